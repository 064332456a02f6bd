import { adjustmentEntry, depositEntry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import { balanceOf } from '../state/account-state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { beginChange, commit, type State } from '../state/state.ts';
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
  return {
    credit(deposit) {
      const amount = readAmount('wallets.credit', deposit);
      if (amount === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
      const { currency: opens } = deposit;
      const accountState = findAccountState(state, deposit);
      const now = beginChange(state, accountState);
      void commit(state, accountState, { change: { opens, entries: [depositEntry(opens, amount, now)] } });
    },
    set(balance) {
      const wanted = readAmount('wallets.set', balance);
      const { currency: opens } = balance;
      const accountState = findAccountState(state, balance);
      const now = beginChange(state, accountState);
      const difference = wanted - balanceOf(accountState, 'wallet', opens);
      const entries = difference === 0n ? [] : [adjustmentEntry(opens, difference, now)];
      void commit(state, accountState, { change: { opens, entries } });
    },
  };
}
