import type { Currency } from '@service/contract';
import { adjustmentEntry, depositEntry, type Entry } from '../../domain/ledger.ts';
import type { Minor } from '../../domain/money.ts';
import { type AccountState, balanceOf } from '../../state/account-state.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { beginChange, commit, type State } from '../../state/state.ts';
import { readAmountOf } from '../amount.ts';
import { accountMode, amount, positiveAmount } from '../fields.ts';
import { type AccountModeIds, type AccountModeRef, findAccountState } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { annotate, text } from '../../domain/schema.ts';

/** An amount for the wallet of an account, mode and currency. */
export interface WalletAmount extends AccountModeRef {
  /** The ISO 4217 code, such as `'USD'`. Creates the wallet if it does not exist. */
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

const walletAmount = {
  ...accountMode,
  currency: annotate(text("a code such as 'USD'"), { pattern: '^[A-Z]{3}$', examples: ['USD'] }),
  amount,
};

/** Operations on wallets. */
export const wallets: Operations<WalletControl> = {
  credit: operation({
    id: 'creditWallet',
    method: 'POST',
    path: '/wallets/credit',
    input: { ...walletAmount, amount: positiveAmount },
    run({ state }, input) {
      const deposit = readAmount(state, input);
      if (deposit === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
      postEntries(state, input, (now) => [depositEntry(input.currency, deposit, now)]);
    },
  }),
  set: operation({
    id: 'setWallet',
    method: 'POST',
    path: '/wallets/set',
    input: walletAmount,
    run({ state }, input) {
      const balance = readAmount(state, input);
      postEntries(state, input, (now, accountState) => {
        const difference = balance - balanceOf(accountState, 'wallet', input.currency);
        return difference === 0n ? [] : [adjustmentEntry(input.currency, difference, now)];
      });
    },
  }),
};

interface ParsedWalletAmount extends AccountModeIds {
  readonly currency: Currency;
  readonly amount: number | string;
}

function readAmount(state: State, target: ParsedWalletAmount): Minor {
  return readAmountOf(target.currency, target.amount, findAccountState(state, target).profile);
}

function postEntries(
  state: State,
  target: ParsedWalletAmount,
  createEntries: (now: number, accountState: AccountState) => readonly Entry[],
): void {
  const { currency: opens } = target;
  const accountState = findAccountState(state, target);
  const now = beginChange(state, accountState);
  void commit(state, accountState, { change: { opens, entries: createEntries(now, accountState) } });
}
