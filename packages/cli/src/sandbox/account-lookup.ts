import { toRecord } from '@service/internal';
import { modeOfKey, readKey } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { type Control, createUnreadableError, readControlUrl } from './control.ts';
import type { Values } from './operations.ts';

/** The options that select an account. */
export interface AccountOptions {
  readonly account?: string;
  readonly allAccounts?: true;
}

/** Returns the selected account as request fields. Calls the control API if the account is that of the API key. */
export type AccountLookup = (control: Control) => Promise<Values>;

/**
 * Creates the lookup of the selected account: `--account`, else the account of the API key. Sends no request. `hasAll`
 * adds `--all-accounts` to the message if there is neither.
 *
 * @throws {UsageError} when there is neither, or the key cannot be used.
 */
export async function createAccountLookup(
  session: Session,
  { account, allAccounts }: AccountOptions,
  hasAll = false,
): Promise<AccountLookup> {
  if (allAccounts === true) return async () => ({});
  if (account !== undefined) return async () => ({ account });
  const alternative = hasAll ? ', or pass --account ID or --all-accounts' : ', or pass --account ID';
  const key = await readUsableKey(session, alternative);
  return (control) => findAccount(control, key);
}

/**
 * Returns the account and mode of an API key as request fields.
 *
 * @throws {ControlError} when the control API rejects the key or does not respond.
 */
export async function findAccount(control: Control, key: string): Promise<Values> {
  const { id } = toRecord(await control.call('findAccount', { key }));
  // Without an id, the control API would use the first account.
  if (typeof id !== 'string') throw createUnreadableError('findAccount');
  return { account: id, mode: modeOfKey(key) };
}

/**
 * Reads the API key and checks that it can be sent. `alternative` ends the message if there is no key.
 *
 * @throws {UsageError} when there is no key, its form is wrong, or a live key would be sent over plain http.
 */
export async function readUsableKey(session: Session, alternative?: string): Promise<string> {
  const key = await readKey(session, alternative);
  if (!/^service_(?:test|live)_./.test(key))
    throw new UsageError('The API key must start with service_test_ or service_live_.');
  if (modeOfKey(key) === 'live' && readControlUrl(session).protocol === 'http:') {
    throw new UsageError(
      'A live key is never sent over plain http. Use a test key of the mock, or --account ID, and --mode live.',
    );
  }
  return key;
}
