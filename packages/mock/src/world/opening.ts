import type { Slice } from '../domain/change.ts';
import { bookDeposit, type Entry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import type { Account } from './account.ts';
import type { Books } from './books.ts';
import { transact, type World } from './world.ts';

/** Says what a wallet holds from the start. */
export interface Opening {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** Lists what a new account starts with in test mode (contract.md 3). */
export const usualOpenings: readonly Opening[] = ['USD', 'EUR', 'GBP'].map((currency) => ({
  currency,
  amount: 100_000_00n,
}));

/** Opens wallets in both modes; what is in them from the start is a deposit in test mode. */
export function openWallets(world: World, { books }: Account, openings: readonly Opening[]): void {
  const open = (currency: Currency, target: Books, decide: (slice: Slice) => readonly Entry[]): void => {
    transact(world, target, { decide: (slice) => ({ change: { opens: currency, entries: decide(slice) } }) });
  };
  for (const { currency, amount } of openings) {
    open(currency, books.test, ({ now }) => (amount === 0n ? [] : [bookDeposit(currency, amount, now)]));
    open(currency, books.live, () => []);
  }
}
