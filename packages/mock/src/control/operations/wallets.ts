import type { Currency } from '@service/contract';
import { accountMode, anyAmount, positiveAmount } from '../fields.ts';
import { type AccountModeRef, findAccountState } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { adjustmentEntry, depositEntry, type Entry } from '../../domain/ledger.ts';
import { isSupported, type Minor, parseDecimal, smallestStep } from '../../domain/money.ts';
import { AMOUNT_SCALE } from '../../domain/json.ts';
import type { Profile } from '../../domain/profile.ts';
import * as s from '../../domain/schema.ts';
import { type AccountState, balanceOf } from '../../state/account-state.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { beginChange, commit, type State } from '../../state/state.ts';

/** The largest amount that a double represents exactly to the cent. */
const MOST: Minor = 10n ** 15n - 1n;

/**
 * Parses an amount of 0 or more in a supported currency.
 *
 * @throws {SandboxError}
 */
export function readAmountOf(currency: Currency, amount: number | string, profile: Profile): Minor {
  const { minorUnits } = profile;
  if (!isSupported(currency, profile))
    throw new SandboxError('invalid_argument', `${JSON.stringify(currency)} is not a supported currency.`);
  const units = parseDecimal(String(amount), AMOUNT_SCALE);
  const isInRange = units !== undefined && units >= 0n && units <= MOST;
  if (isInRange && units % smallestStep(currency, minorUnits) === 0n) return units;
  const decimals = smallestStep(currency, minorUnits) === 1n ? 'at most 2 decimals' : 'no decimals';
  const message = `${String(amount)} is not an amount of ${currency}. Use a number or text with ${decimals}, such as '1000'${units !== undefined && units > MOST ? ', up to 9999999999999.99' : ''}.`;
  throw new SandboxError('invalid_argument', message);
}

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
  currency: s.annotate(s.text("a code such as 'USD'"), { pattern: '^[A-Z]{3}$', examples: ['USD'] }),
  amount: anyAmount,
};

/** Operations on wallets. */
export const wallets: Operations<WalletControl> = {
  credit: operation('creditWallet', 'POST /wallets/credit', {
    input: { ...walletAmount, amount: positiveAmount },
    run({ state }, input) {
      const deposit = readAmount(state, input);
      if (deposit === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
      postEntries(state, input, (now) => [depositEntry(input.currency, deposit, now)]);
    },
  }),
  set: operation('setWallet', 'POST /wallets/set', {
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

type ParsedWalletAmount = s.Output<typeof walletAmount>;

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
  void commit(state, accountState, { opens, entries: createEntries(now, accountState) });
}
