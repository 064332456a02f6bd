import type { Currency } from '@service/contract';
import { depositEntry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import { type Account, accountIdOf } from './account.ts';
import { deriveText } from './ids.ts';
import { addAccount, beginChange, type Caller, commit, type State } from './state.ts';

/** The opening balance of a wallet. */
export interface OpeningBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** The opening balances of a new account in test mode (docs/contract.md#payments). */
export const defaultOpenings: readonly OpeningBalance[] = ['USD', 'EUR', 'GBP'].map((currency) => ({
  currency,
  amount: 100_000_00n,
}));

/** Opens wallets in both modes. Opening balances are deposits in test mode. */
export function openWallets(state: State, { byMode }: Account, openings: readonly OpeningBalance[]): void {
  for (const { currency: opens, amount } of openings) {
    const now = beginChange(state, byMode.test);
    const entries = amount === 0n ? [] : [depositEntry(opens, amount, now)];
    void commit(state, byMode.test, { change: { opens, entries } });
    void commit(state, byMode.live, { change: { opens } });
  }
}

/** The form of a key that opens an account: a test key of at most 268 characters. */
const OPENING_KEY = /^service_test_[\w.~-]{1,255}$/;

/**
 * Opens the account of an unknown key. The policy must be `open`, and the key well-formed and never replaced;
 * otherwise returns undefined.
 */
export function openAccountForKey(state: State, key: string): Caller | undefined {
  const canOpen = state.accountPolicy === 'open' && OPENING_KEY.test(key) && !state.retiredKeys.has(key);
  if (!canOpen) return undefined;
  let name = deriveAccountName(state, key);
  // An account with the derived name may exist already.
  while (state.accounts.has(accountIdOf(state.seed, name)))
    name = deriveAccountName(state, `${key}\n${name}`);
  openWallets(state, addAccount(state, { name, keys: { test: key } }), defaultOpenings);
  return state.apiKeys.get(key);
}

/** Derives a name from a key. Neither the name nor the id of the account reveals the key. */
function deriveAccountName({ seed }: State, key: string): string {
  return `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
}
