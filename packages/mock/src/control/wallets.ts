import type { View } from '../domain/change.ts';
import { adjustmentEntry, depositEntry, type Entry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import { SandboxError } from '../state/sandbox-error.ts';
import { transact, type State } from '../state/state.ts';
import { readAmountOf } from './amount.ts';
import { checkArguments } from './arguments.ts';
import { type AccountModeRef, findAccountState } from './locate.ts';

/** A wallet and an amount. */
export interface WalletAmount extends AccountModeRef {
  readonly currency: Currency;
  /** A number or decimal text with at most 2 decimals. */
  readonly amount: number | string;
}

/** The wallets of accounts. */
export interface WalletControl {
  /** Deposits an amount above 0, as a `deposit` transaction. */
  readonly credit: (deposit: WalletAmount) => void;
  /** Sets the balance, with an `adjustment` transaction for the difference. */
  readonly set: (balance: WalletAmount) => void;
}

/** Creates the wallet control of a sandbox. */
export function createWalletControl(state: State): WalletControl {
  const readAmount = (call: string, target: WalletAmount): Minor => {
    checkArguments(call, target, ['account', 'mode', 'currency', 'amount']);
    return readAmountOf(target.currency, target.amount, findAccountState(state, target).profile.minorUnits);
  };
  const post = (target: WalletAmount, decide: (view: View) => readonly Entry[]): void => {
    const { currency: opens } = target;
    const accountState = findAccountState(state, target);
    transact(state, accountState, { decide: (view) => ({ change: { opens, entries: decide(view) } }) });
  };
  return {
    credit(deposit) {
      const amount = readAmount('wallets.credit', deposit);
      if (amount === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
      post(deposit, ({ now }) => [depositEntry(deposit.currency, amount, now)]);
    },
    set(balance) {
      const wanted = readAmount('wallets.set', balance);
      post(balance, ({ now, balanceOf }) => {
        const difference = wanted - balanceOf(balance.currency);
        return difference === 0n ? [] : [adjustmentEntry(balance.currency, difference, now)];
      });
    },
  };
}
