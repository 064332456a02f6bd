import { accountIdOf } from './account.ts';
import { deriveText } from './ids.ts';
import { openWallets, defaultOpenings } from './opening.ts';
import { addAccount, type Caller, type State } from './state.ts';

/** The form of a key that opens an account: a test key of at most 268 characters. */
const OPENING_KEY = /^service_test_[\w.~-]{1,255}$/;

/**
 * Returns the account and mode of a key. With the policy `open`, a well-formed test key that was never used
 * opens an account; a replaced key does not. Returns undefined for an unknown key.
 */
export function findCaller(state: State, key: string): Caller | undefined {
  const caller = state.apiKeys.get(key);
  if (caller !== undefined || !canOpen(state, key)) return caller;
  openAccountForKey(state, key);
  return state.apiKeys.get(key);
}

function canOpen(state: State, key: string): boolean {
  return state.accountPolicy === 'open' && OPENING_KEY.test(key) && !state.retiredKeys.has(key);
}

/** Opens the account of a key. Its name and id do not reveal the key. */
function openAccountForKey(state: State, key: string): void {
  let name = deriveAccountName(state, key);
  // An account with the derived name may exist already.
  while (state.accounts.has(accountIdOf(state.seed, name)))
    name = deriveAccountName(state, `${key}\n${name}`);
  openWallets(state, addAccount(state, { name, testKey: key }), defaultOpenings);
}

function deriveAccountName({ seed }: State, key: string): string {
  return `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
}
