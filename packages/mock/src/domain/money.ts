import type { Currency } from '@service/contract';
import { computeExactFee, FEE_PARTS, findFeeRule, readPercent } from '@service/internal';
import { type Micro, type Minor, smallestStep } from './currencies.ts';
import { Decimal } from './json.ts';
import type { Terms } from './profile.ts';
import { computeRate, type Market } from './rates.ts';
import { divide } from './rounding.ts';

export { currencies, isSupported, type Micro, type Minor, smallestStep } from './currencies.ts';

export const AMOUNT_SCALE = 2;

const RATE_SCALE = 6;

/** Converts an amount to a decimal. */
export function toAmount(units: Minor): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts a rate to a decimal. */
export function toRate(units: Micro): Decimal {
  return new Decimal(units, RATE_SCALE);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d{1,3}))?$/;

/**
 * Parses the text of a JSON number into units of 10^-`scale`, exactly. Returns undefined for other text, and
 * for a value with more than `scale` decimals (`10.000` has none).
 */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', direction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const shift = scale - fraction.length + Number(`${direction}${exponent}`);
  const units =
    shift >= 0 ? BigInt(digits + '0'.repeat(shift)) : divideExactly(BigInt(digits), 10n ** BigInt(-shift));
  return units === undefined || sign === '' ? units : -units;
}

/** Converts decimal text of a profile to units of 10^-`scale`: minor units by default. */
export function toUnits(text: string, scale: number = AMOUNT_SCALE): Minor {
  return parseDecimal(text, scale) ?? 0n;
}

function divideExactly(numerator: bigint, denominator: bigint): bigint | undefined {
  return numerator % denominator === 0n ? numerator / denominator : undefined;
}

/** A currency pair and the amount to send. */
export interface Exchange {
  /** The ISO 4217 code of the debited wallet. */
  readonly from_currency: Currency;
  /** The ISO 4217 code of the received amount. */
  readonly to_currency: Currency;
  /** In minor units of `from_currency`. */
  readonly send_amount: Minor;
}

/** An exchange with its fee, rate and received amount. */
export interface Quote extends Exchange {
  /** In minor units of `from_currency`. */
  readonly fee: Minor;
  /** Received units per sent unit, in millionths. */
  readonly rate: Micro;
  /** In minor units of `to_currency`. */
  readonly receive_amount: Minor;
}

/**
 * Quotes an exchange. By default the fee is 0.50 % of the sent amount and is taken out of it. Each figure is
 * rounded once (docs/contract.md#quotes). A fee that is taken out of a smaller amount leaves 0.
 */
export function quoteExchange(exchange: Exchange, terms: Terms, market: Market): Quote {
  const { from_currency, to_currency, send_amount } = exchange;
  const { rounding, feeMode, fees, minorUnits } = terms;
  const rule = findFeeRule(fees, from_currency, to_currency);
  const roundIn =
    (direction: typeof rounding | 'up') =>
    (numerator: bigint, denominator: bigint, currency: Currency): Minor => {
      const step = smallestStep(currency, minorUnits);
      return divide(numerator, denominator * step, direction) * step;
    };
  const margin = feeMode === 'inRate' && rule !== undefined ? readPercent(rule) : 0n;
  const rate = computeRate(
    { from: from_currency, to: to_currency, amount: send_amount, margin },
    terms,
    market,
  );
  const hasFee = feeMode === 'inside' || feeMode === 'onTop';
  const roundFee = roundIn(rule?.rounding ?? rounding);
  const fee = hasFee ? roundFee(computeExactFee(rule, send_amount), FEE_PARTS, from_currency) : 0n;
  const left = feeMode === 'inside' ? send_amount - fee : send_amount;
  const exchanged = left < 0n ? 0n : left;
  const receive_amount = roundIn(rounding)(exchanged * rate, 1_000_000n, to_currency);
  return { from_currency, to_currency, send_amount, fee, rate, receive_amount };
}

/** Returns the wallet debit of an exchange: the sent amount, plus a fee on top. */
export function debitAmount({ send_amount, fee }: Quote, { feeMode }: Terms): Minor {
  return feeMode === 'onTop' ? send_amount + fee : send_amount;
}
