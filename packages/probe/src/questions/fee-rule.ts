// Fits one fee rule to quotes.
import { CENT, FEE_PARTS, type FeeRule, parseFeeRule, writeCents } from '@service/internal';
import type { Quoted } from '../call.ts';

/** The fee of a sent amount, both in hundredths. */
export interface FeePoint {
  readonly send: bigint;
  readonly fee: bigint;
}

/** How fees are rounded to hundredths, the most common first. */
const feeRoundings = ['half_up', 'up', 'down', 'half_even'] as const;
export type FeeRounding = (typeof feeRoundings)[number];

/** Computes the fee of an amount in hundredths. */
export function computeFee(rule: FeeRule, send: bigint, rounding: FeeRounding): bigint {
  const exact = parseFeeRule(rule)(send);
  const [floor, rest] = [exact / FEE_PARTS, (exact % FEE_PARTS) * 2n];
  const isUp = {
    up: rest > 0n,
    down: false,
    half_up: rest >= FEE_PARTS,
    half_even: rest > FEE_PARTS || (rest === FEE_PARTS && floor % 2n === 1n),
  }[rounding];
  return isUp ? floor + 1n : floor;
}

/** Returns the roundings with which a rule gives all fees. */
export function explain(rule: FeeRule, points: readonly FeePoint[]): FeeRounding[] {
  return feeRoundings.filter((rounding) =>
    points.every(({ send, fee }) => computeFee(rule, send, rounding) === fee),
  );
}

/** A number between two fractions with the fewest decimals, in parts of `scale`. */
function findSimplest(least: bigint, most: bigint, scale: bigint): bigint | undefined {
  for (let step = scale; step >= 1n; step /= 10n) {
    const rounded = ((least + step - 1n) / step) * step;
    if (rounded <= most && rounded >= 0n) return rounded;
  }
  return undefined;
}

/** Percents are in millionths of a percent, so that `percent` * hundredths is in parts of a hundredth. */
const PERCENT = 1_000_000n;

const toText = (micro: bigint): string => {
  const [whole, rest] = [
    micro / PERCENT,
    String(micro % PERCENT)
      .padStart(6, '0')
      .replace(/0+$/, ''),
  ];
  return rest === '' ? String(whole) : `${whole}.${rest}`;
};

/**
 * Fits a rule to the fees of some amounts, from the smallest to the largest: a fixed fee and a percentage, between a least and
 * a greatest fee. Undefined if none gives all of them.
 */
export function fitRule(given: readonly FeePoint[]): FeeRule | undefined {
  const points = given.toSorted((a, b) => (a.send < b.send ? -1 : 1));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (points.every(({ fee }) => fee === 0n)) return {};
  if (points.every(({ fee }) => fee === first.fee)) return { flat: writeCents(first.fee) };
  // The least and the greatest fee are those of several amounts at the ends.
  const lows = points.filter(({ fee }) => fee === first.fee);
  const highs = points.filter(({ fee }) => fee === last.fee);
  for (const minimum of [undefined, first.fee])
    for (const maximum of [undefined, last.fee]) {
      if (
        (minimum !== undefined && (lows.length < 2 || minimum === 0n)) ||
        (maximum !== undefined && highs.length < 2)
      )
        continue;
      const middle = points.filter(({ fee }) => fee !== minimum && fee !== maximum);
      const rule = fitLine(middle, {
        ...(minimum !== undefined && { minimum: writeCents(minimum) }),
        ...(maximum !== undefined && { maximum: writeCents(maximum) }),
      });
      if (rule !== undefined && explain(rule, points).length > 0) return rule;
    }
  return undefined;
}

/** Fits a fixed fee and a percentage. The fee of each amount is exact up to a hundredth. */
function fitLine(points: readonly FeePoint[], limits: FeeRule): FeeRule | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.send === last.send) return undefined;
  let [least, most] = [0n, 100n * PERCENT];
  for (const one of points)
    for (const other of [first, last]) {
      const width = one.send - other.send;
      if (width <= 0n) continue;
      const rise = one.fee - other.fee;
      const [from, to] = [((rise - 1n) * FEE_PARTS) / width, ((rise + 1n) * FEE_PARTS) / width];
      [least, most] = [from > least ? from : least, to < most ? to : most];
    }
  const percent = findSimplest(least, most, PERCENT);
  if (percent === undefined) return undefined;
  const rests = points.map(({ send, fee }) => fee * FEE_PARTS - send * percent);
  const [low, high] = [
    rests.reduce((a, b) => (a > b ? a : b)) - FEE_PARTS,
    rests.reduce((a, b) => (a < b ? a : b)) + FEE_PARTS,
  ];
  const flat = findSimplest(low > 0n ? low : 0n, high, 100n * FEE_PARTS);
  if (flat === undefined) return undefined;
  return {
    ...(percent > 0n && { percent: toText(percent) }),
    ...(flat > 0n && {
      flat: flat % FEE_PARTS === 0n ? writeCents(flat / FEE_PARTS) : toText(flat / (FEE_PARTS / CENT)),
    }),
    ...limits,
  };
}

/** Returns the points of quotes. */
export const toPoints = (quotes: readonly Quoted[]): FeePoint[] =>
  quotes.map(({ send, fee }) => ({ send: send / CENT, fee: fee / CENT }));
