import type { View } from '../domain/change.ts';
import { depositEntry, type Entry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import type { Account } from './account.ts';
import type { AccountState } from './account-state.ts';
import { transact, type State } from './state.ts';

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
  const open = (currency: Currency, target: AccountState, decide: (view: View) => readonly Entry[]): void => {
    transact(state, target, { decide: (view) => ({ change: { opens: currency, entries: decide(view) } }) });
  };
  for (const { currency, amount } of openings) {
    open(currency, byMode.test, ({ now }) => (amount === 0n ? [] : [depositEntry(currency, amount, now)]));
    open(currency, byMode.live, () => []);
  }
}
