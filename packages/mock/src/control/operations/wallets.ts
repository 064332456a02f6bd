import type { Currency } from '@service/contract';
import { accountMode, anyAmount, positiveAmount } from '../fields.ts';
import { type AccountModeRef, findAccountState } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { adjustmentEntry, depositEntry, type Entry, reservedBy } from '../../domain/ledger.ts';
import { isSupported, type Minor, parseDecimal, smallestStep } from '../../domain/money.ts';
import { AMOUNT_SCALE, toAmount } from '../../domain/json.ts';
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
  if (typeof currency !== 'string' || !isSupported(currency, profile)) {
    throw new SandboxError('invalid_argument', `${JSON.stringify(currency)} is not a supported currency.`);
  }
  const isText = typeof amount === 'number' || typeof amount === 'string';
  const units = isText ? parseDecimal(String(amount), AMOUNT_SCALE) : undefined;
  const isInRange = units !== undefined && units >= 0n && units <= MOST;
  if (isInRange && units % smallestStep(currency, minorUnits) === 0n) return units;
  const decimals = smallestStep(currency, minorUnits) === 1n ? 'at most 2 decimals' : 'no decimals';
  const message = `${String(amount)} is not an amount of ${currency}. Use a number or text with ${decimals}, such as '1000'${units !== undefined && units > MOST ? ', up to 9999999999999.99' : ''}.`;
  throw new SandboxError('invalid_argument', message);
}

/**
 * The invariants of a ledger. `balanced`: all accounts add up to 0 in every currency. `history`: the balance of each wallet
 * is the sum of its transactions. `reserved`: the reserved amounts are those of the open payments. `funded`: no wallet
 * has less than it reserves.
 */
type LedgerCheckName = 'balanced' | 'not_overdrawn' | 'history' | 'reserved' | 'funded';

/** An invariant of the ledger of an account and mode, and whether it holds. */
export interface LedgerCheck {
  readonly name: LedgerCheckName;
  readonly isHeld: boolean;
  /** The number of currencies, or the first sum that contradicts it. */
  readonly detail: string;
}

type Amounts = readonly (readonly [Currency, Minor])[];

/** Checks the ledger of an account and mode against its payments and transactions. */
export function checkLedger({ ledger, transactions, payments, reserved }: AccountState): LedgerCheck[] {
  const all = [...ledger.values()].flatMap((balances) => [...balances]);
  const wallets = [...(ledger.get('wallet') ?? [])];
  const rows = transactions.map(({ currency, amount }) => [currency, -amount] as const);
  const held = [...payments.values()].map(
    (payment) => [payment.from_currency, -reservedBy(payment)] as const,
  );
  return [
    checkSums('balanced', all, 0n),
    checkSums('not_overdrawn', wallets),
    checkSums('history', [...wallets, ...rows], 0n),
    checkSums('reserved', [...reserved, ...held], 0n),
    checkSums('funded', [...wallets, ...held]),
  ];
}

/** Checks that the sum of amounts in each currency is not negative, and at most `most`. */
function checkSums(name: LedgerCheckName, amounts: Amounts, most?: Minor): LedgerCheck {
  const sums = new Map<Currency, Minor>();
  for (const [currency, amount] of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  const wrong = [...sums].find(([, sum]) => sum < 0n || sum > (most ?? sum));
  const detail =
    wrong === undefined ? `${sums.size} currencies` : `${wrong[0]} ${toAmount(wrong[1]).toString()}`;
  return { name, isHeld: wrong === undefined, detail };
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
