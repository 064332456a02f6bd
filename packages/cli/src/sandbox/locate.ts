import { modeOfKey, readKey } from '../config.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { type Control, unreadable } from './control.ts';
import { findOperation } from './operations.ts';
import { readControlUrl } from './origin.ts';
import type { Values } from './values.ts';

/** Holds the options that say whose account is meant. */
export type Whose = {
  readonly account?: string;
  readonly allAccounts?: true;
};

/** Asks the control for the account that is meant, and returns it as fields; `mode` is that of the key. */
export type Locate = (control: Control) => Promise<Values>;

/**
 * Finds out whose account is meant: the one that is named, or that of the API key. Nothing is sent yet.
 *
 * @throws UsageError when there is neither, or the key cannot be used here.
 */
export async function locate(session: Session, { account, allAccounts }: Whose): Promise<Locate> {
  if (allAccounts === true) return async () => ({});
  if (account !== undefined) return async () => ({ account });
  const key = await readUsableKey(session, ', or name the account with --account ID');
  return (control) => findBooks(control, key);
}

/** Finds the account of a key, and its mode. Throws ControlError. */
export async function findBooks(control: Control, key: string): Promise<Values> {
  const operation = findOperation('findAccount');
  const { id } = ((await control.call(operation, { key })) ?? {}) as { id?: unknown };
  // Without an id the control would take the account that it opened first.
  if (typeof id !== 'string') throw unreadable(operation);
  return { account: id, mode: modeOfKey(key) };
}

/** Reads the API key, and checks that it is one that may travel. Throws UsageError, with what else would do. */
export async function readUsableKey(session: Session, alternative?: string): Promise<string> {
  const key = await readKey(session, alternative);
  if (!/^service_(?:test|live)_./.test(key))
    throw new UsageError('The API key must begin with service_test_ or service_live_.');
  if (modeOfKey(key) === 'live' && readControlUrl(session).protocol === 'http:') {
    throw new UsageError(
      'A live key never travels over plain http. Use a test key of the sandbox, or --account ID, and --mode live.',
    );
  }
  return key;
}
