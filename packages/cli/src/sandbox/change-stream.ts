import { findRootCause, type JsonObject, parseRecord, runClock } from '@service/internal';
import { ControlError } from '../errors.ts';
import type { Session } from '../session.ts';
import { type Control, openControl, readControlUrl } from './control.ts';

/** Changes of a mock. */
export interface ChangeEvent {
  /** The changed records, and whether the lists must be read again. */
  readonly changes: JsonObject;
  /** Whether it is the first event after a lost connection. */
  readonly isReconnected: boolean;
  /** The control API that sent it. */
  readonly control: Control;
}

/** Time between two tries to connect, in milliseconds. */
const RECONNECT_DELAY = 1_000;

/**
 * Passes the changes of a mock to a callback, in order, until the run is interrupted. After a lost connection it connects
 * again and continues after the last event.
 *
 * @throws {UsageError} when the base URL or the token is invalid.
 * @throws {ControlError} when the first connection fails, or the mock rejects a later one.
 */
export async function watchChanges(
  session: Session,
  onChange: (event: ChangeEvent) => Promise<void>,
): Promise<void> {
  const { signal, clock = runClock } = session.environment;
  const { note } = session.output;
  let since: string | undefined;
  let state: 'first' | 'connected' | 'lost' = 'first';
  while (!signal.aborted) {
    try {
      const control = await openControl(session);
      const body = await control.stream('streamEvents', { since });
      let isReconnected = state === 'lost';
      if (isReconnected) note('The mock responds again.');
      state = 'connected';
      for await (const { id, changes } of readEvents(body, signal)) {
        await onChange({ changes, isReconnected, control });
        since = id;
        isReconnected = false;
      }
    } catch (error) {
      const isRetried = state !== 'first' && error instanceof ControlError && !error.isRefusal;
      if (!isRetried && !signal.aborted) throw error;
    }
    if (signal.aborted) return;
    if (state !== 'lost')
      note(`The mock at ${readControlUrl(session).origin} does not respond. Waiting until it does.`);
    state = 'lost';
    await clock.sleep(RECONNECT_DELAY, signal);
  }
}

interface StreamEvent {
  readonly id: string;
  readonly changes: JsonObject;
}

/**
 * Reads server-sent events until the signal is aborted. Comments, which keep the connection open, have no data.
 *
 * @throws {ControlError} when the connection is lost.
 */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // Node can collect a signal that follows another one as garbage, so the signal of the request may not end a long body.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  let text = '';
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ControlError('no_answer', 'The connection was lost.', { cause: findRootCause(cause) });
      });
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const changes = parseRecord(findField(block, 'data'));
        if (changes !== undefined) yield { id: findField(block, 'id'), changes };
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

function findField(block: string, name: string): string {
  const line = block.split('\n').find((each) => each.startsWith(`${name}: `));
  return line?.slice(name.length + 2) ?? '';
}
