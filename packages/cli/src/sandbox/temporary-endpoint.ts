import { isRecord, type JsonObject, toRecord } from '@service/internal';
import { toMessage } from '../errors.ts';
import type { Session } from '../session.ts';
import { type Control, createUnreadableError, findAccount, openControl } from './control.ts';
import type { Values } from './document.ts';

/** A webhook endpoint of a mock that is set only while a command runs. */
export interface TemporaryEndpoint {
  readonly secret: string;
  /** Restores the previous endpoint, unless it was changed in the meantime. Never rejects; prints a warning if it fails. */
  readonly restore: () => Promise<void>;
}

/** Maximum time to restore the endpoint, in milliseconds. */
const RESTORE_TIMEOUT = 10_000;

/**
 * Sets the webhook endpoint of the account of an API key in a mock until it is restored. Without a signing secret, the
 * mock creates one.
 *
 * @throws {UsageError} when the base URL or the token is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
export async function setTemporaryEndpoint(
  session: Session,
  key: string,
  url: URL,
  secret: string | undefined,
): Promise<TemporaryEndpoint> {
  const control = await openControl(session);
  const account = await findAccount(control, key);
  const previous = await readEndpoint(control.call, account);
  if (previous !== null) Object.assign(previous, toRecord(await control.call('getSecret', account)));
  /** Restores the previous endpoint. Returns false if the endpoint was changed in the meantime. */
  const undo = async (): Promise<boolean> => {
    // A separate signal, because the endpoint is also restored after an interrupt.
    const signal = AbortSignal.timeout(RESTORE_TIMEOUT);
    const { call } = await openControl({ ...session, signal });
    const present = await readEndpoint(call, account);
    if (present?.url !== url.href) return false;
    if (previous === null) await call('removeEndpoint', account);
    else if (previous.url === 'collect:')
      await call('collectEvents', { ...account, secret: previous.secret });
    else await call('setEndpoint', { ...account, ...previous });
    return true;
  };
  const { note } = session.output;
  const restore = async (): Promise<void> => {
    try {
      const isRestored = await undo();
      if (!isRestored) note('The endpoint of the mock was changed in the meantime, so it is not restored.');
    } catch (error) {
      note(`warning: the endpoint of the mock could not be restored. ${toMessage(error)}`);
    }
  };
  try {
    const issued = toRecord(await control.call('setEndpoint', { ...account, url: url.href, secret }));
    if (typeof issued.secret !== 'string') throw createUnreadableError('setEndpoint');
    return { secret: issued.secret, restore };
  } catch (error) {
    // The endpoint may be set even if the response was lost.
    await undo().catch(() => {});
    throw error;
  }
}

async function readEndpoint(call: Control['call'], account: Values): Promise<JsonObject | null> {
  const { endpoint } = toRecord(await call('getEndpoint', account));
  return isRecord(endpoint) ? endpoint : null;
}
