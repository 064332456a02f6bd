import type { Currency } from '@service/contract';
import { FEE_PARTS, memoize, parseFeeRule, type RateSettings, toMicro } from '@service/internal';
import { AMOUNT_SCALE } from './json.ts';
import type { Profile, Terms } from './profile.ts';

/** A rate in millionths. */
export type Micro = bigint;

/** An amount in hundredths of a currency. */
export type Minor = bigint;

/** Units of each currency per US dollar. The rates are invented for tests (docs/contract.md#money). */
const currencyTable = `
  AED 3.6725  AUD 1.5243  BDT 119.48  BHD 0.376  BRL 5.6842  CAD 1.3712  CHF 0.8842
  CLP 948.62  CNY 7.2431  COP 4362.75  CZK 23.184  DKK 6.873  EGP 48.652  EUR 0.9213
  GBP 0.7894  GHS 15.482  HKD 7.7824  HUF 362.45  IDR 15873  ILS 3.7124  INR 83.912
  JPY 151.23  KES 129.15  KRW 1378.5  KWD 0.3071  MAD 9.9214  MXN 19.8345  MYR 4.452
  NGN 1602.75  NOK 10.8456  NZD 1.6678  PHP 58.214  PKR 278.35  PLN 3.9615  RON 4.5821
  SAR 3.75  SEK 10.5123  SGD 1.3456  THB 34.685  TRY 34.215  TWD 32.184  UGX 3668.4
  USD 1  VND 25410  XOF 604.333184  ZAR 18.1425
`;

/** The currencies of the table without decimals (ISO 4217). */
const withoutDecimals: ReadonlySet<Currency> = new Set(['CLP', 'JPY', 'KRW', 'UGX', 'VND', 'XOF']);

/** The precision of amounts: 2 decimals in every currency, or the ISO 4217 digits, at most 2. */
export type MinorUnits = 'two' | 'iso';

/** Millionths of each currency per US dollar. */
const perDollar: ReadonlyMap<Currency, Micro> = new Map(
  Array.from(currencyTable.matchAll(/([A-Z]{3}) ([\d.]+)/g), ([, code = '', units]) => [
    code,
    toMicro(units) ?? 0n,
  ]),
);

/** The currencies of the table, sorted by code. */
export const currencies: readonly Currency[] = [...perDollar.keys()];

/** Returns whether a profile supports a currency. Codes are upper case. */
export function isSupported(code: unknown, { currencies: { codes } }: Pick<Profile, 'currencies'>): boolean {
  if (typeof code !== 'string') return false;
  return codes === 'default' ? perDollar.has(code) : codes.split(' ').includes(code);
}

/** Returns the smallest amount of a currency in hundredths: 1, or 100 for a currency without decimals. */
export function smallestStep(code: Currency, minorUnits: MinorUnits): Minor {
  return minorUnits === 'iso' && withoutDecimals.has(code) ? 100n : 1n;
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
  const padded = BigInt(digits + '0'.repeat(Math.max(0, shift)));
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (padded % divisor !== 0n) return undefined;
  const units = padded / divisor;
  return sign === '' ? units : -units;
}

/** Converts decimal text of a profile to units of 10^-`scale`: minor units by default. */
export function toUnits(text: string, scale: number = AMOUNT_SCALE): Minor {
  return parseDecimal(text, scale) ?? 0n;
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
  /** The wallet debit: the sent amount, plus a fee on top. */
  readonly debit: Minor;
  /** Received units per sent unit, in millionths. */
  readonly rate: Micro;
  /** In minor units of `to_currency`. */
  readonly receive_amount: Minor;
}

/**
 * Quotes an exchange. By default the fee is 0.50 % of the sent amount and is taken out of it. Each figure is
 * rounded once (docs/contract.md#quotes). A fee that is taken out of a smaller amount leaves 0.
 */
export function quoteExchange(exchange: Exchange, terms: Terms): Quote {
  const { from_currency, to_currency, send_amount } = exchange;
  const { rounding, fees, minorUnits } = terms;
  const { mode = 'inside', rounding: how = rounding } = fees;
  const fee = round(parseRule(fees)(send_amount), FEE_PARTS, smallestStep(from_currency, minorUnits), how);
  const left = mode === 'inside' ? send_amount - fee : send_amount;
  const exchanged = left < 0n ? 0n : left;
  const rate = computeRate(from_currency, to_currency, terms);
  const receive_amount = round(exchanged * rate, ONE, smallestStep(to_currency, minorUnits), rounding);
  const debit = mode === 'onTop' ? send_amount + fee : send_amount;
  return { from_currency, to_currency, send_amount, fee, debit, rate, receive_amount };
}

const parseRule = memoize(parseFeeRule);

/** Divides and rounds to a multiple of a step. */
function round(numerator: bigint, denominator: bigint, step: Minor, how: Rounding | 'up'): Minor {
  return divide(numerator, denominator * step, how) * step;
}

const ONE = 1_000_000n;

/** Computes the units of `to` per unit of `from`: six decimals, rounded once. Returns 0 without a rate. */
export function computeRate(from: Currency, to: Currency, terms: Pick<Terms, 'rates' | 'rounding'>): Micro {
  const known = ratesOf(terms);
  const key = `${from}/${to}`;
  let rate = known.get(key);
  if (rate === undefined) {
    const exact = findRate(from, to, terms.rates);
    rate = exact === undefined ? 0n : divide(ONE * exact.over, exact.under, terms.rounding);
    known.set(key, rate);
  }
  return rate;
}

/** The rates by pair. */
const ratesOf = memoize<object, Map<string, Micro>>(() => new Map());

/** Returns whether a profile has a rate for two currencies. */
export function hasRate(from: Currency, to: Currency, terms: Pick<Terms, 'rates' | 'rounding'>): boolean {
  return computeRate(from, to, terms) > 0n;
}

/** A fraction of two positive numbers. */
interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/**
 * Returns the rate of a pair: the given one, from which nothing is deducted, else the inverse of the given one, from which the
 * spread is deducted in each direction, else that by the rates to the dollar. Undefined without one.
 */
function findRate(from: Currency, to: Currency, { pairs = {}, spread }: RateSettings): Ratio | undefined {
  if (from === to) return { over: 1n, under: 1n };
  const given = toMicro(pairs[`${from}/${to}`]);
  if (given !== undefined) return { over: given, under: ONE };
  const kept = ONE - (toMicro(spread) ?? 0n);
  const inverse = toMicro(pairs[`${to}/${from}`]);
  if (inverse !== undefined) return { over: kept * kept, under: ONE * inverse };
  const toPerDollar = (code: Currency): Ratio | undefined => {
    const [back, there] = [toMicro(pairs[`${code}/USD`]), toMicro(pairs[`USD/${code}`])];
    if (there === undefined && back !== undefined) return { over: ONE, under: back };
    const units = there ?? perDollar.get(code);
    return units === undefined ? undefined : { over: units, under: ONE };
  };
  const [one, other] = [toPerDollar(from), toPerDollar(to)];
  return one && other && { over: kept * other.over * one.under, under: ONE * other.under * one.over };
}

/** A rounding mode. */
export type Rounding = 'half_up' | 'half_even' | 'down';

/** Divides two non-negative numbers and rounds once. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding | 'up'): bigint {
  const quotient = numerator / denominator;
  if (rounding === 'down') return quotient;
  if (rounding === 'up') return quotient * denominator < numerator ? quotient + 1n : quotient;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice === denominator && rounding === 'half_even') return quotient + (quotient % 2n);
  return twice >= denominator ? quotient + 1n : quotient;
}
