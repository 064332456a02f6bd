import type { Currency } from '@service/contract';
import { Decimal } from './json.ts';
import type { Terms } from './profile.ts';

/** An amount in hundredths of a currency. */
export type Minor = bigint;

/** A rate in millionths. */
export type Micro = bigint;

export const AMOUNT_SCALE = 2;

export const RATE_SCALE = 6;

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

function divideExactly(numerator: bigint, denominator: bigint): bigint | undefined {
  return numerator % denominator === 0n ? numerator / denominator : undefined;
}

/** A rounding mode. */
export type Rounding = 'half_up' | 'half_even' | 'down';

/** Divides two non-negative numbers and rounds once. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator;
  if (rounding === 'down') return quotient;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice === denominator && rounding === 'half_even') return quotient + (quotient % 2n);
  return twice >= denominator ? quotient + 1n : quotient;
}

/**
 * Units per US dollar and ISO 4217 digits of each currency. The rates are invented for tests
 * (docs/contract.md#money).
 */
const currencyTable: ReadonlyMap<Currency, readonly [perDollar: string, digits: number]> = new Map([
  ['AED', ['3.6725', 2]],
  ['AUD', ['1.5243', 2]],
  ['BDT', ['119.48', 2]],
  ['BHD', ['0.376', 3]],
  ['BRL', ['5.6842', 2]],
  ['CAD', ['1.3712', 2]],
  ['CHF', ['0.8842', 2]],
  ['CLP', ['948.62', 0]],
  ['CNY', ['7.2431', 2]],
  ['COP', ['4362.75', 2]],
  ['CZK', ['23.184', 2]],
  ['DKK', ['6.873', 2]],
  ['EGP', ['48.652', 2]],
  ['EUR', ['0.9213', 2]],
  ['GBP', ['0.7894', 2]],
  ['GHS', ['15.482', 2]],
  ['HKD', ['7.7824', 2]],
  ['HUF', ['362.45', 2]],
  ['IDR', ['15873', 2]],
  ['ILS', ['3.7124', 2]],
  ['INR', ['83.912', 2]],
  ['JPY', ['151.23', 0]],
  ['KES', ['129.15', 2]],
  ['KRW', ['1378.5', 0]],
  ['KWD', ['0.3071', 3]],
  ['MAD', ['9.9214', 2]],
  ['MXN', ['19.8345', 2]],
  ['MYR', ['4.452', 2]],
  ['NGN', ['1602.75', 2]],
  ['NOK', ['10.8456', 2]],
  ['NZD', ['1.6678', 2]],
  ['PHP', ['58.214', 2]],
  ['PKR', ['278.35', 2]],
  ['PLN', ['3.9615', 2]],
  ['RON', ['4.5821', 2]],
  ['SAR', ['3.75', 2]],
  ['SEK', ['10.5123', 2]],
  ['SGD', ['1.3456', 2]],
  ['THB', ['34.685', 2]],
  ['TRY', ['34.215', 2]],
  ['TWD', ['32.184', 2]],
  ['UGX', ['3668.4', 0]],
  ['USD', ['1', 2]],
  ['VND', ['25410', 0]],
  ['XOF', ['604.333184', 0]],
  ['ZAR', ['18.1425', 2]],
]);

/** The precision of amounts: 2 decimals in every currency, or the ISO 4217 digits, at most 2. */
export type MinorUnits = 'two' | 'iso';

/** The supported currencies, sorted by code. */
export const currencies: readonly Currency[] = [...currencyTable.keys()];

const perDollar: ReadonlyMap<Currency, Micro> = new Map(
  [...currencyTable].map(([code, [rate]]) => [code, parseDecimal(rate, RATE_SCALE) ?? 0n]),
);

/** Returns whether a currency is supported. Codes are upper case. */
export function isSupported(code: Currency): boolean {
  return currencyTable.has(code);
}

/** The rounding and the margin of a rate. */
export interface RateRule {
  readonly rounding: Rounding;
  /** The margin that replaces a fee, in thousandths of the rate. */
  readonly margin: bigint;
}

/** Computes the units of `to` per unit of `from`: six decimals, rounded once. */
export function computeRate(from: Currency, to: Currency, { rounding, margin }: RateRule): Micro {
  const kept = (1000n - margin) * 10n ** BigInt(RATE_SCALE);
  if (from === to) return kept / 1000n;
  return divide((perDollar.get(to) ?? 0n) * kept, (perDollar.get(from) ?? 0n) * 1000n, rounding);
}

/** Returns the smallest amount of a currency in hundredths: 1, or 100 for a currency without decimals. */
export function smallestStep(code: Currency, minorUnits: MinorUnits): Minor {
  return minorUnits === 'iso' && currencyTable.get(code)?.[1] === 0 ? 100n : 1n;
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

/** The fee rate: 0.50 %, in thousandths. */
const FEE_RATE = 5n;

/**
 * Quotes an exchange. By default the fee is 0.50 % of the sent amount and is taken out of it. Each figure is
 * rounded once (docs/contract.md#quotes).
 */
export function quoteExchange(exchange: Exchange, terms: Terms): Quote {
  const { from_currency, to_currency, send_amount } = exchange;
  const { rounding, feeMode, minorUnits } = terms;
  const round = (numerator: bigint, denominator: bigint, currency: Currency): Minor => {
    const step = smallestStep(currency, minorUnits);
    return divide(numerator, denominator * step, rounding) * step;
  };
  const margin = feeMode === 'inRate' ? FEE_RATE : 0n;
  const rate = computeRate(from_currency, to_currency, { rounding, margin });
  const fee =
    feeMode === 'inside' || feeMode === 'onTop' ? round(send_amount * FEE_RATE, 1000n, from_currency) : 0n;
  const exchanged = feeMode === 'inside' ? send_amount - fee : send_amount;
  const receive_amount = round(exchanged * rate, 1_000_000n, to_currency);
  return { from_currency, to_currency, send_amount, fee, rate, receive_amount };
}

/** Returns the wallet debit of an exchange: the sent amount, plus a fee on top. */
export function debitAmount({ send_amount, fee }: Quote, { feeMode }: Terms): Minor {
  return feeMode === 'onTop' ? send_amount + fee : send_amount;
}
