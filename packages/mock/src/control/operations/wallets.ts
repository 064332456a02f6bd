import type { Currency } from '@service/contract';
import { accountMode, anyAmount, currency, positiveAmount } from '../fields.ts';
import { type AccountModeRef, findAccountState } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { adjustmentEntry, depositEntry, type Entry } from '../../domain/ledger.ts';
import { isSupported, type Minor, parseDecimal, smallestStep } from '../../domain/money.ts';
import { AMOUNT_SCALE } from '../../domain/json.ts';
import type { Profile } from '../../domain/profile.ts';
import type * as s from '../../domain/schema.ts';
import { balanceOf, beginChange, commit, type State } from '../../state/state.ts';
import { SandboxError } from '../../state/sandbox-error.ts';

/** The largest amount that a double represents exactly to the cent. */
const MOST: Minor = 10n ** 15n - 1n;

/**
 * Parses an amount of 0 or more in a supported currency.
 *
 * @throws {SandboxError}
 */
export function readAmountOf(code: Currency, amount: number | string, profile: Profile): Minor {
  if (!isSupported(code, profile)) {
    const message = `${JSON.stringify(code)} is not a supported currency. Use another one, or add it to the profile setting currencies.`;
    throw new SandboxError('invalid_argument', message);
  }
  const step = smallestStep(code, profile.minorUnits);
  const units = parseDecimal(String(amount), AMOUNT_SCALE);
  const isInRange = units !== undefined && units >= 0n && units <= MOST;
  if (isInRange && units % step === 0n) return units;
  const decimals = step === 1n ? 'at most 2 decimals' : 'no decimals';
  const message = `${String(amount)} is not an amount of ${code}. Use a number or text with ${decimals}, such as '1000', up to 9999999999999.99.`;
  throw new SandboxError('invalid_argument', message);
}

/** The wallets of accounts. */
export interface WalletControl {
  /** Deposits an amount above 0, as a `deposit` transaction. */
  readonly credit: (
    deposit: AccountModeRef & {
      /** The ISO 4217 code, such as `'USD'`. Creates the wallet if it does not exist. */
      readonly currency: string;
      /** A number or decimal text with at most 2 decimals. */
      readonly amount: number | string;
    },
  ) => void;
  /** Sets the balance, with an `adjustment` transaction for the difference. */
  readonly set: (balance: Parameters<WalletControl['credit']>[0]) => void;
}

const walletAmount = {
  ...accountMode,
  currency,
  amount: anyAmount,
};

/** Operations on wallets. */
export const wallets: Operations<WalletControl> = {
  credit: operation('creditWallet', 'POST /wallets/credit', {
    input: { ...walletAmount, amount: positiveAmount },
    run: ({ state }, input) =>
      postAmount(state, input, (deposit, now) => {
        if (deposit === 0n) throw new SandboxError('invalid_argument', 'A deposit must be more than 0.');
        return depositEntry(input.currency, deposit, now);
      }),
  }),
  set: operation('setWallet', 'POST /wallets/set', {
    input: walletAmount,
    run: ({ state }, input) =>
      postAmount(state, input, (balance, now, before) =>
        adjustmentEntry(input.currency, balance - before, now),
      ),
  }),
};

/** Posts an entry for the amount of a wallet, and opens the wallet if it does not exist. */
function postAmount(
  state: State,
  target: s.Output<typeof walletAmount>,
  createEntry: (amount: Minor, now: number, before: Minor) => Entry,
): void {
  const { currency: opens } = target;
  const accountState = findAccountState(state, target);
  const amount = readAmountOf(opens, target.amount, accountState.profile);
  const now = beginChange(state, accountState);
  const before = balanceOf(accountState, 'wallet', opens);
  void commit(state, accountState, { opens, entries: [createEntry(amount, now, before)] });
}
