import { bookAdjustment, bookDeposit, type Entry } from '../domain/ledger.ts';
import type { Slice } from '../domain/change.ts';
import type { Currency } from '@service/contract';
import { SandboxError } from '../world/sandbox-error.ts';
import { openWallet } from '../world/books.ts';
import { transact, type World } from '../world/world.ts';
import { readAmountOf } from './amount.ts';
import { type BooksRef, findBooks } from './locate.ts';

/** Names a wallet and an amount for it. */
export interface WalletAmount extends BooksRef {
  readonly currency: Currency;
  /** A number or decimal text of at most 2 decimals. */
  readonly amount: number | string;
}

/** Puts money into wallets. */
export interface WalletControl {
  /** Deposits an amount above 0; it shows as a `deposit`. */
  readonly credit: (deposit: WalletAmount) => void;
  /** Sets the balance; the difference shows as an `adjustment`. */
  readonly set: (balance: WalletAmount) => void;
}

/** Creates the control of wallets. */
export function createWalletControl(world: World): WalletControl {
  const book = (target: WalletAmount, decide: (slice: Slice) => Entry | undefined): void => {
    const books = findBooks(world, target);
    openWallet(books, target.currency);
    transact(world, books, {
      decide: (slice) => {
        const entry = decide(slice);
        return entry === undefined ? {} : { change: { entries: [entry], events: [] } };
      },
    });
  };
  return {
    credit(deposit) {
      const amount = readAmountOf(deposit.currency, deposit.amount);
      if (amount === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
      book(deposit, ({ now }) => bookDeposit(deposit.currency, amount, now));
    },
    set(balance) {
      const wanted = readAmountOf(balance.currency, balance.amount);
      book(balance, ({ now, balanceOf }) => {
        const difference = wanted - balanceOf(balance.currency);
        return difference === 0n ? undefined : bookAdjustment(balance.currency, difference, now);
      });
    },
  };
}
