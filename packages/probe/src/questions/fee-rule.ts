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

/** Rounds to a multiple of a unit. */
export function roundTo(exact: bigint, unit: bigint, rounding: FeeRounding): bigint {
  const [floor, rest] = [exact / unit, (exact % unit) * 2n];
  const isUp = {
    up: rest > 0n,
    down: false,
    half_up: rest >= unit,
    half_even: rest > unit || (rest === unit && floor % 2n === 1n),
  }[rounding];
  return (isUp ? floor + 1n : floor) * unit;
}

/** Computes the fee of an amount in hundredths. */
export const computeFee = (rule: FeeRule, send: bigint, rounding: FeeRounding): bigint =>
  roundTo(parseFeeRule(rule)(send), FEE_PARTS, rounding) / FEE_PARTS;

/** Returns the roundings with which a rule gives all fees. */
export function explain(rule: FeeRule, points: readonly FeePoint[]): FeeRounding[] {
  return feeRoundings.filter((rounding) =>
    points.every(({ send, fee }) => computeFee(rule, send, rounding) === fee),
  );
}

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
  const isCommon = (fee: bigint): boolean => points.filter((one) => one.fee === fee).length > 1;
  const leasts = first.fee > 0n && isCommon(first.fee) ? [undefined, first.fee] : [undefined];
  const greatest = isCommon(last.fee) ? [undefined, last.fee] : [undefined];
  return leasts
    .flatMap((minimum) => greatest.map((maximum) => [minimum, maximum] as const))
    .flatMap(([minimum, maximum]) => {
      const limits = {
        ...(minimum !== undefined && { minimum: writeCents(minimum) }),
        ...(maximum !== undefined && { maximum: writeCents(maximum) }),
      };
      const middle = points.filter(({ fee }) => fee !== minimum && fee !== maximum);
      return listLines(middle).map((line): FeeRule => ({ ...line, ...limits }));
    })
    .find((rule) => explain(rule, points).length > 0);
}

/** Lists the lines through the first and the last amount, those with the fewest decimals first. */
function listLines(points: readonly FeePoint[]): Pick<FeeRule, 'percent' | 'flat'>[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.send === last.send) return [];
  const slope = (100 * Number(last.fee - first.fee)) / Number(last.send - first.send);
  return [0, 1, 2, 3, 4].flatMap((decimals) => {
    const percent = Number(slope.toFixed(decimals));
    const rest = Number(first.fee) - (Number(first.send) * percent) / 100;
    // The fee of the first amount is rounded in any way.
    return [Math.round(rest), Math.floor(rest), Math.ceil(rest)]
      .filter((flat) => flat >= 0)
      .map((flat) => ({
        ...(percent > 0 && { percent: String(percent) }),
        ...(flat > 0 && { flat: writeCents(BigInt(flat)) }),
      }));
  });
}

/** Returns the points of quotes. */
export const toPoints = (quotes: readonly Quoted[]): FeePoint[] =>
  quotes.map(({ send, fee }) => ({ send: send / CENT, fee: fee / CENT }));
