import {
  FEE_PARTS,
  feeRoundings,
  parseFeeRule,
  type FeeRule,
  writeCents,
  writeMicro,
} from '@service/internal';

/** The fee of an amount, both in hundredths. */
export interface FeePoint {
  readonly amount: bigint;
  readonly fee: bigint;
}

/** Rules that agree with some points, and an amount at which they may differ. */
export interface FeeFit {
  readonly rules: readonly FeeRule[];
  /** The points are on the percentage, not on the minimum or the maximum. */
  readonly line: readonly FeePoint[];
}

/** Distances between an exact fee and the shown one, in parts of the smallest unit. */
const roundings = {
  nearest: [-FEE_PARTS / 2n, FEE_PARTS / 2n],
  down: [0n, FEE_PARTS - 1n],
  up: [1n - FEE_PARTS, 0n],
} as const;

/**
 * Returns the simplest fee rules that agree with all points: those with the fewest decimals of the percentage.
 * `unit` is the smallest unit of a fee in hundredths. Returns no rules if none agrees.
 */
export function fitFees(points: readonly FeePoint[], unit: bigint): FeeFit {
  const sorted = points.toSorted((one, other) => (one.amount < other.amount ? -1 : 1));
  const [least, most] = [sorted[0]?.fee ?? 0n, sorted.at(-1)?.fee ?? 0n];
  if (sorted.every(({ fee }) => fee === least))
    return { rules: [least === 0n ? {} : { flat: writeCents(least) }], line: sorted };
  for (const [hasMinimum, hasMaximum] of [[], [false, true], [true, false], [true, true]]) {
    const line = sorted.filter(({ fee }) => !(hasMinimum && fee === least) && !(hasMaximum && fee === most));
    const limits = {
      ...(hasMinimum && { minimum: writeCents(least) }),
      ...(hasMaximum && { maximum: writeCents(most) }),
    };
    const rules = fitLine(line, unit)
      .map((rule) => ({ ...rule, ...limits }))
      .filter((rule) => agrees(rule, sorted, unit));
    if (rules.length > 0) return { rules, line };
  }
  const line = sorted.filter(({ fee }) => fee !== least && fee !== most);
  return { rules: [], line };
}

/** Returns whether a rule gives the fee of each point, all of them rounded in the same direction. */
export function agrees(rule: FeeRule, points: readonly FeePoint[], unit: bigint): boolean {
  return listRoundings(rule, points, unit).length > 0;
}

/** Returns the roundings that give the fee of each point: those of a rule with one direction are only that. */
function listRoundings(rule: FeeRule, points: readonly FeePoint[], unit: bigint): (keyof typeof roundings)[] {
  const toFee = parseFeeRule(rule);
  const possible = rule.rounding === undefined ? (['nearest', ...feeRoundings] as const) : [rule.rounding];
  return possible.filter((name) => {
    const [below, above] = roundings[name];
    return points.every(({ amount, fee }) => {
      const distance = toFee(amount) - fee * FEE_PARTS;
      return distance >= below * unit && distance <= above * unit;
    });
  });
}

/** Adds the direction in which all fees are rounded, if they show that it is not to the nearest. */
export function addRounding(rule: FeeRule, points: readonly FeePoint[], unit: bigint): FeeRule {
  const [first] = listRoundings(rule, points, unit);
  return first === undefined || first === 'nearest' ? rule : { ...rule, rounding: first };
}

const PERCENT_DECIMALS = 6;
const MAX_CANDIDATES = 40n;

/** Fits a percentage and a fixed amount to points that have neither the minimum nor the maximum. */
function fitLine(line: readonly FeePoint[], unit: bigint): FeeRule[] {
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined || first.fee === last.fee) return [];
  const [rise, run] = [(last.fee - first.fee) * FEE_PARTS, last.amount - first.amount];
  const slack = FEE_PARTS * unit;
  const [low, high] = [(rise - slack) / run, (rise + slack) / run + 1n];
  for (let decimals = 0; decimals <= PERCENT_DECIMALS; decimals += 1) {
    const step = 10n ** BigInt(PERCENT_DECIMALS - decimals);
    const start = low < 0n ? 0n : low / step;
    // Too many percentages: the points are too close to each other to tell them apart.
    if (high / step - start > MAX_CANDIDATES) return [];
    const rules: FeeRule[] = [];
    for (let percent = start * step; percent <= high; percent += step)
      rules.push(...fitFlat(line, { percent, unit }));
    if (rules.length > 0) return rules;
  }
  return [];
}

/** Returns the rules with a percentage whose fixed amount agrees with all points. */
function fitFlat(
  line: readonly FeePoint[],
  { percent, unit }: { readonly percent: bigint; readonly unit: bigint },
): FeeRule[] {
  const share = percent === 0n ? {} : { percent: writeMicro(percent) };
  // The fixed amount is a whole number of the smallest unit near the difference of any point.
  const [{ amount, fee }] = line as [FeePoint];
  const nearest = fee - (amount * percent) / FEE_PARTS;
  const rules: FeeRule[] = [];
  for (let flat = nearest - unit - 1n; flat <= nearest + unit + 1n; flat += 1n) {
    if (flat < 0n || flat % unit !== 0n) continue;
    const rule = { ...share, ...(flat > 0n && { flat: writeCents(flat) }) };
    if (agrees(rule, line, unit)) rules.push(rule);
  }
  return rules;
}
