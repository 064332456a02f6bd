import type { Currency } from '@service/contract';
import {
  CENT,
  FEE_PARTS,
  type RateMoves,
  type RateSettings,
  toMicro,
  toMilliseconds,
} from '@service/internal';
import { type Micro, type Minor, readPerDollar } from './currencies.ts';
import type { Instant } from './json.ts';
import type { Terms } from './profile.ts';
import { divide } from './rounding.ts';

/** The state that moving rates depend on. */
export interface Market {
  readonly now: Instant;
  /** Draws a number from 0 to below 1, which depends only on the seed and on the purpose. */
  readonly draw: (purpose: string) => number;
}

/** A pair of currencies, the sent amount, and the margin that replaces a fee in parts of the rate (`FEE_PARTS`). */
export interface RateRequest {
  readonly from: Currency;
  readonly to: Currency;
  readonly amount: Minor;
  readonly margin: bigint;
}

const ONE = 1_000_000n;

/** A fraction of two positive numbers. */
interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/**
 * Computes the units of `to` per unit of `from`: six decimals, rounded once. Nothing is deducted from the rate that
 * the profile has for the pair. Returns 0 without a rate.
 */
export function computeRate(
  { from, to, amount, margin }: RateRequest,
  { rates: given, rounding }: Pick<Terms, 'rates' | 'rounding'>,
  market: Market,
): Micro {
  const kept = { over: FEE_PARTS - margin, under: FEE_PARTS };
  if (from === to) return divide(ONE * kept.over, kept.under, rounding);
  const rates = chooseTier({ from, amount }, given);
  const found = findRatio(from, to, rates);
  if (found === undefined) return 0n;
  const spread = { over: ONE - (toMicro(rates.spread) ?? 0n), under: ONE };
  const deducted = { direct: [], inverse: [spread, spread, kept, kept], other: [spread, kept] }[found.kind];
  const factors = [
    found,
    ...deducted,
    ...(rates.moves ? [moveRate(from, to, { ...market, ...rates.moves })] : []),
  ];
  const over = factors.reduce((product, factor) => product * factor.over, ONE);
  return divide(
    over,
    factors.reduce((product, factor) => product * factor.under, 1n),
    rounding,
  );
}

/** Returns the rates for an amount: those of the last tier that it reaches, and the others. */
function chooseTier(
  { from, amount }: Pick<RateRequest, 'from' | 'amount'>,
  rates: RateSettings,
): RateSettings {
  if (rates.tiers === undefined) return rates;
  const tier = rates.tiers.findLast(({ from: limits }) => {
    const currency = Object.hasOwn(limits, from) ? from : (Object.keys(limits)[0] ?? from);
    const { over, under } = findRatio(from, currency, rates) ?? { over: 0n, under: 1n };
    return amount * CENT * over >= (toMicro(limits[currency]) ?? 0n) * under;
  });
  return { ...rates, ...tier, pairs: { ...rates.pairs, ...tier?.pairs } };
}

/** Returns whether a profile has a rate for two currencies. */
export function hasRate(from: Currency, to: Currency, { rates }: Pick<Terms, 'rates'>): boolean {
  return findRatio(from, to, rates) !== undefined;
}

/** Returns the rate of a pair: given for the pair, the inverse of the given one, or by the rates to the dollar. */
function findRatio(
  from: Currency,
  to: Currency,
  { pairs = {} }: RateSettings,
): (Ratio & { readonly kind: 'direct' | 'inverse' | 'other' }) | undefined {
  if (from === to) return { kind: 'direct', over: ONE, under: ONE };
  const readPair = (one: Currency, other: Currency): Micro | undefined => toMicro(pairs[`${one}/${other}`]);
  const given = readPair(from, to);
  if (given !== undefined) return { kind: 'direct', over: given, under: ONE };
  const inverse = readPair(to, from);
  if (inverse !== undefined) return { kind: 'inverse', over: ONE, under: inverse };
  const toPerDollar = (code: Currency): Ratio | undefined => {
    const back = readPair(code, 'USD');
    const there = code === 'USD' ? ONE : readPair('USD', code);
    if (there === undefined && back !== undefined) return { over: ONE, under: back };
    const units = there ?? readPerDollar(code);
    return units === undefined ? undefined : { over: units, under: ONE };
  };
  const [one, other] = [toPerDollar(from), toPerDollar(to)];
  return one && other && { kind: 'other', over: other.over * one.under, under: other.under * one.over };
}

const MINUTE = 60_000;
const DRAWS = 2 ** 32;

/** Returns the factor by which a rate differs at a time. That of the inverse pair is its inverse. */
function moveRate(
  from: Currency,
  to: Currency,
  { now, draw, by, every = MINUTE }: Market & RateMoves,
): Ratio {
  const length = toMilliseconds(every);
  const [first, second] = from < to ? [from, to] : [to, from];
  const drawn = Math.floor(draw(`rate ${first}/${second} ${Math.floor(now / length)}`) * DRAWS);
  const share = (toMicro(by) ?? 0n) * BigInt(2 * drawn - DRAWS);
  const [whole, moved] = [ONE * BigInt(DRAWS), ONE * BigInt(DRAWS) + share];
  return from < to ? { over: moved, under: whole } : { over: whole, under: moved };
}
