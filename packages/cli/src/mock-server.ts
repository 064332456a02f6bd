import { parseRecord, toRecord } from '@service/internal';
import { type Mock, SandboxError } from '@service/mock';
import { listen, type MockServer, type ServedRequest } from '@service/mock/node';
import { createAddressError, type ListenAddress, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { type Part, toLogLine } from './terminal.ts';

/** The options of a served mock. */
export interface MockServerOptions extends ListenAddress {
  readonly selfService?: boolean | undefined;
  /** Maximum time for running requests at the end, in milliseconds. */
  readonly grace?: number | undefined;
  /** Prints the log entry of a request: a document, and a line. Undefined prints none. */
  readonly log: ((document: object, line: readonly Part[]) => void) | undefined;
}

/**
 * Serves a mock. The token of its control API is that of SERVICE_SANDBOX_TOKEN, if it is set.
 *
 * @throws {UsageError} when the address cannot be listened on, or the token is invalid.
 */
export async function serveMock(
  { env, clock }: Session,
  mock: Mock,
  { port, host, selfService, grace, log }: MockServerOptions,
): Promise<MockServer> {
  const control = { token: env.SERVICE_SANDBOX_TOKEN, selfService };
  const onResponse = log && ((served: ServedRequest) => log(...toLogEntry(served, clock.now())));
  try {
    const server = await listen(mock, { port, hostname: host, control, onResponse, grace });
    // Later, to shorten the start.
    setImmediate(saveMemory);
    return server;
  } catch (error) {
    if (error instanceof SandboxError)
      throw new UsageError(error.message.replace('listen: control.token', 'SERVICE_SANDBOX_TOKEN'));
    throw createAddressError({ host, port }, error);
  }
}

/** Halves the memory of a mock that has kept many payments: new objects in little space, and the heap grows in small steps. */
function saveMemory(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) setFlagsFromString(flag);
}

/** Creates the log entry of a request: method, path, status, time, and the new id or the error of its response. */
function toLogEntry(
  { method, path, status, body, duration }: ServedRequest,
  now: number,
): [document: object, line: readonly Part[]] {
  const { data, error } = parseRecord(body ?? '') ?? {};
  const { message } = toRecord(error);
  const { id } = toRecord(data);
  const at = new Date(now).toISOString();
  const duration_ms = Math.round(duration);
  const result = {
    ...(typeof message === 'string' && { error: message }),
    ...(method === 'POST' && typeof id === 'string' && { id }),
  };
  const words = [method.padEnd(4), path];
  return [
    { at, method, path, status: status ?? null, duration_ms, ...result },
    toLogLine({ at, words, status, ms: duration_ms, detail: result.error ?? result.id }),
  ];
}
