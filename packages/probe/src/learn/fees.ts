// The fee rules that quotes show.
import {
  CENT,
  computeExactFee,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  type Micro,
  parseFeeRule,
  toMicro,
  writeCents,
  writeMicro,
} from '@service/internal';
import { groupBy } from '../group.ts';
import { type Part, learned, partly, unknown } from '../finding.ts';
import type { Traffic } from '../traffic.ts';
import {
  abs,
  noDecimals,
  ONE,
  type Pair,
  type Plan,
  type Quoted,
  readQuotes,
  readWallets,
} from './quotes.ts';

/** The fee of an amount, both in hundredths. */
interface FeePoint {
  readonly amount: bigint;
  readonly fee: bigint;
}

type FeeMode = 'inside' | 'onTop';

/** The fees of a pair, in the order of the quotes. */
interface PairFees extends Pair {
  readonly points: readonly FeePoint[];
  /** The smallest unit of a fee in hundredths. */
  readonly unit: bigint;
  /** Whether the fee is part of the sent amount; undefined if the fees are too small to tell. */
  readonly mode: FeeMode | undefined;
  /** The amounts that were asked, also those that were refused. */
  readonly asked: ReadonlySet<bigint>;
}

/** Collects the fees of each pair, the pair of the plan first. */
function listFees(traffic: Traffic, quotes: readonly Quoted[]): PairFees[] {
  const asked = new Map<string, Set<bigint>>();
  for (const { sent, path } of traffic.calls)
    if (path === '/quotes' && typeof sent.amount === 'number') {
      const name = `${String(sent.from_currency)}/${String(sent.to_currency)}`;
      asked.set(name, (asked.get(name) ?? new Set()).add((toMicro(sent.amount) ?? 0n) / CENT));
    }
  const own = `${traffic.from}/${traffic.to}`;
  return [...asked]
    .filter(([name]) => /^[A-Z]{3}\/[A-Z]{3}$/.test(name))
    .toSorted(([one], [two]) => Number(two === own) - Number(one === own))
    .map(([name, amounts]) => {
      const [from = '', to = ''] = name.split('/');
      const isOwn = (one: Quoted): boolean => one.from === from && one.to === to;
      const all = quotes.filter((one) => isOwn(one) && one.send > 0n && one.send % CENT === 0n);
      const points = new Map(
        all.map(({ send, fee }) => [send / CENT, { amount: send / CENT, fee: fee / CENT }]),
      );
      const isWhole = noDecimals.includes(from) && all.every(({ fee }) => fee % ONE === 0n);
      const unit = isWhole ? 100n : 1n;
      return { from, to, points: [...points.values()], unit, mode: findMode(all), asked: amounts };
    });
}

/** Returns the mode that gives all received amounts, but for their rounding and hidden digits of the rate. */
function findMode(quotes: readonly Quoted[]): FeeMode | undefined {
  const fits = (amountOf: (one: Quoted) => bigint): boolean =>
    quotes.every((one) => {
      const product = (amountOf(one) * one.rate) / ONE;
      const difference = product - one.receive;
      const slack = (one.receive % ONE === 0n ? ONE : 2n * CENT) + product / 10_000n;
      return difference <= slack && difference >= -slack;
    });
  const [isInside, isOnTop] = [fits(({ send, fee }) => send - fee), fits(({ send }) => send)];
  return isInside === isOnTop ? undefined : isInside ? 'inside' : 'onTop';
}

const byAmount = (one: FeePoint, two: FeePoint): number => (one.amount < two.amount ? -1 : 1);

/** Distances between an exact fee and the shown one, in parts of the smallest unit. */
const roundings = {
  half_up: [-FEE_PARTS / 2n, FEE_PARTS / 2n],
  half_even: [-FEE_PARTS / 2n, FEE_PARTS / 2n],
  down: [0n, FEE_PARTS - 1n],
  up: [1n - FEE_PARTS, 0n],
} as const;

/** Returns the roundings that give the fee of each point: those of a rule with one direction are only that. */
function listRoundings(rule: FeeRule, points: readonly FeePoint[], unit: bigint): (keyof typeof roundings)[] {
  const toFee = parseFeeRule(rule);
  const possible = rule.rounding === undefined ? (['half_up', 'up', 'down'] as const) : [rule.rounding];
  return possible.filter((name) => {
    const [below, above] = roundings[name];
    return points.every(({ amount, fee }) => {
      const distance = toFee(amount) - fee * FEE_PARTS;
      return distance >= below * unit && distance <= above * unit;
    });
  });
}

const agrees = (rule: FeeRule, points: readonly FeePoint[], unit: bigint): boolean =>
  listRoundings(rule, points, unit).length > 0;

/** Returns the simplest fee rules that agree with all points: those with the fewest decimals of the percentage. */
function fitFees(points: readonly FeePoint[], unit: bigint): readonly FeeRule[] {
  const sorted = points.toSorted(byAmount);
  const [least, most] = [sorted[0]?.fee ?? 0n, sorted.at(-1)?.fee ?? 0n];
  if (sorted.every(({ fee }) => fee === least)) return [least === 0n ? {} : { flat: writeCents(least) }];
  for (const [hasMinimum, hasMaximum] of [[], [false, true], [true, false], [true, true]]) {
    const line = sorted.filter(({ fee }) => !(hasMinimum && fee === least) && !(hasMaximum && fee === most));
    // The first fee of the next band is no maximum.
    if (hasMaximum && sorted.filter(({ fee }) => fee === most).length < 2) continue;
    const limits = {
      ...(hasMinimum && { minimum: writeCents(least) }),
      ...(hasMaximum && { maximum: writeCents(most) }),
    };
    const rules = fitLine(line, unit)
      .map((rule) => ({ ...rule, ...limits }))
      .filter((rule) => agrees(rule, sorted, unit));
    if (rules.length > 0) return rules;
  }
  return [];
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
    for (let percent = start * step; percent <= high; percent += step) {
      // The fixed amount is a whole number of the smallest unit near the difference of any point.
      const nearest = first.fee - (first.amount * percent) / FEE_PARTS;
      for (let flat = nearest - unit - 1n; flat <= nearest + unit + 1n; flat += 1n) {
        if (flat < 0n || flat % unit !== 0n) continue;
        const rule = {
          ...(percent > 0n && { percent: writeMicro(percent) }),
          ...(flat > 0n && { flat: writeCents(flat) }),
        };
        if (agrees(rule, line, unit)) rules.push(rule);
      }
    }
    if (rules.length > 0) return rules;
  }
  return [];
}

/** Splits points into bands of amounts, each with one rule. */
function splitBands(points: readonly FeePoint[], unit: bigint): (readonly FeePoint[])[] {
  const bands: FeePoint[][] = [];
  for (const point of points.toSorted(byAmount)) {
    const band = bands.at(-1);
    if (band !== undefined && fitFees([...band, point], unit).length > 0) band.push(point);
    else bands.push([point]);
  }
  return bands;
}

/** 0.01 to 100000000.00, and the largest amount of the contract. */
const decades = [...Array.from({ length: 11 }, (_, power) => 10n ** BigInt(power)), 99_999_999_999n];
/** Amounts that are not round, so that their fee has to be rounded. */
const odd = [3n, 37n, 1_234n, 5_789n, 34_567n, 123_457n, 9_876_543n, 45_678_901n, 8_765_432_109n];
/** Small, medium and large amounts that show whether a pair has the rule of another pair. */
const compared = [1_000n, 12_300n, 456_700n, 98_765_400n];
/** The most pairs whose rules are measured one by one, the most bands of amounts of one pair, and its most amounts. */
const [MAX_PAIRS, MAX_BANDS, MAX_AMOUNTS] = [10, 6, 90];

/** Returns the amounts, in hundredths, whose fees would tell more. Empty when the rules are measured. */
export function planFees(traffic: Traffic): Plan[] {
  const [main, ...others] = listFees(traffic, readQuotes(traffic));
  if (main === undefined) return [];
  const first = chooseAmounts(main);
  if (first.length > 0) return [{ ...main, amounts: first }];
  const groups = new Set<string>();
  const wallets = new Set([main.from, main.to, ...readWallets(traffic).map(([code]) => code)]);
  // An application pays from its wallets: their pairs come before the other destinations.
  const isOther = ({ pair }: FittedPair): number => Number(pair.from === main.from);
  const fitted = fitPairs(main, others).toSorted((one, two) => isOther(one) - isOther(two));
  return fitted.flatMap(({ pair, owner }) => {
    if (pair === main || !wallets.has(pair.from)) return [];
    const isSource = pair.from !== main.from;
    if (owner !== pair) {
      // One destination shows the fees from another wallet.
      const fresh = compared.filter((amount) => !pair.asked.has(amount));
      const isAsked = !isSource || groups.has(pair.from) || fresh.length === 0;
      groups.add(pair.from);
      return isAsked ? [] : [{ ...pair, amounts: fresh }];
    }
    const group = `${pair.from} ${pair.points[0]?.fee} ${isSource ? pair.to : ''}`;
    if (groups.has(group) || groups.size >= MAX_PAIRS) return [];
    groups.add(group);
    const amounts = chooseAmounts(pair);
    return amounts.length > 0 ? [{ ...pair, amounts }] : [];
  });
}

/** Returns the next amounts that narrow the rules of a pair. */
function chooseAmounts({ points, unit, asked }: PairFees): bigint[] {
  const fresh = (amounts: readonly bigint[]): bigint[] =>
    [...new Set(amounts.map((amount) => amount - (amount % unit)))]
      .filter((amount) => amount > 0n && !asked.has(amount))
      .slice(0, Math.max(0, MAX_AMOUNTS - asked.size));
  const start = fresh(decades);
  if (start.length > 0) return start;
  const sorted = points.toSorted(byAmount);
  // Each minimum is less than the fee of the smallest amount, and can show only in the fees of smaller amounts.
  const smaller = fresh(sorted.slice(0, 1).map(({ fee }) => fee + unit));
  if (smaller.length > 0) return smaller;
  const rules = fitFees(points, unit);
  const precise = fresh(rules.slice(0, 3).flatMap((rule) => choosePrecise(rule, sorted)));
  if (precise.length > 0 || rules.length === 1) return precise;
  const bands = splitBands(points, unit);
  if (bands.length > MAX_BANDS) return [];
  const limits = bands.slice(1).flatMap((band, index) => chooseLimit(bands[index]?.at(-1), band[0], unit));
  const next = fresh(limits);
  if (next.length > 0) return next;
  const inside = bands.flatMap((band) => {
    const [first, last] = [band[0]?.amount ?? 0n, band.at(-1)?.amount ?? 0n];
    const amounts = fitFees(band, unit)
      .slice(0, 2)
      .flatMap((rule) => choosePrecise(rule, band));
    return [...amounts, ...chooseBetween(band[0], band.at(-1))].filter(
      (amount) => amount > first && amount < last,
    );
  });
  return fresh(inside);
}

/** Returns amounts that the rule was not fitted to: odd ones, and those around its minimum and maximum. */
function choosePrecise(rule: FeeRule, sorted: readonly FeePoint[]): bigint[] {
  const largest = sorted.at(-1)?.amount ?? 0n;
  const share = computeExactFee({ percent: rule.percent ?? '0' }, 1n);
  const kinks = [rule.minimum, rule.maximum].flatMap((limit) => {
    if (limit === undefined || share === 0n) return [];
    const rest = ((toMicro(limit) ?? 0n) - (toMicro(rule.flat) ?? 0n)) / CENT;
    const kink = (rest * FEE_PARTS) / share;
    const near = (kink * 9n) / 10n;
    return [near, kink - 3n * (FEE_PARTS / share), kink + 3n * (FEE_PARTS / share), kink + (kink - near)];
  });
  return [...odd, ...kinks].filter((amount) => amount > 0n && amount <= largest);
}

/** Returns the amount between two points: their geometric mean while they are far apart. */
function chooseBetween(low: FeePoint | undefined, high: FeePoint | undefined): bigint[] {
  if (low === undefined || high === undefined) return [];
  let mean = (low.amount + high.amount) / 2n;
  while (mean > low.amount * 4n) mean /= 2n;
  return mean > low.amount && mean < high.amount ? [mean] : [];
}

/** Returns the amounts at which a band can start: the smallest known one, and the roundest before it. */
function chooseLimit(low: FeePoint | undefined, high: FeePoint | undefined, unit: bigint): bigint[] {
  if (low === undefined || high === undefined || high.amount - low.amount <= unit) return [];
  for (let step = 10n ** 11n; step > unit; step /= 10n)
    for (const each of [5n, 2n, 1n]) {
      const round = (low.amount / (each * step) + 1n) * each * step;
      if (round < high.amount) return [round - unit, round, high.amount - unit];
    }
  return [high.amount - unit, ...chooseBetween(low, high)];
}

/** The fewest points that show a rule. */
const MIN_POINTS = 7;

/** Rules for bands of amounts, from the largest amounts to the smallest. */
interface FittedRules {
  readonly rules: readonly FeeRule[];
  /** Whether they give all fees of the pair, also those from which they do not follow. */
  readonly isConfirmed: boolean;
  readonly mode: FeeMode | undefined;
}

/** Fits the rules of a pair, and tests each with the last point of its band, from which it does not follow. */
function fitRules({ points, unit, mode }: PairFees): FittedRules {
  const isOne = fitFees(points, unit).length > 0;
  const bands = isOne ? [points.toSorted(byAmount)] : splitBands(points, unit);
  if (points.length < MIN_POINTS || bands.length > MAX_BANDS) return { rules: [], isConfirmed: false, mode };
  const fitted = bands.map((band, index) => {
    const own = points.filter((point) => band.includes(point));
    const before = fitFees(own.slice(0, -1), unit).filter((rule) => agrees(rule, own, unit));
    const possible = before.length > 0 ? before : fitFees(own, unit);
    const [rule = {}] = possible.slice(possible.length / 2);
    const [last, next] = [band.at(-1), bands[index + 1]?.[0]];
    const isNext = next === undefined || (last && next.amount - last.amount <= unit);
    const from = index === 0 ? {} : { amount: { from: writeCents(band[0]?.amount ?? 0n) } };
    return {
      rule: { ...from, ...addRounding(rule, band, unit) },
      isConfirmed: isNext && own.length > 2 && before.length > 0,
    };
  });
  const rules = fitted.map(({ rule }) => rule).toReversed();
  return { rules, isConfirmed: fitted.every((band) => band.isConfirmed), mode };
}

/** Adds the direction in which all fees are rounded, if they show that it is not to the nearest. */
function addRounding(rule: FeeRule, points: readonly FeePoint[], unit: bigint): FeeRule {
  const [first] = listRoundings(rule, points, unit);
  return first === undefined || first === 'half_up' ? rule : { ...rule, rounding: first };
}

/** Returns whether rules give the fee of each point. */
function agreesAll({ rules, mode }: FittedRules, pair: PairFees): boolean {
  const { from, to, points, unit } = pair;
  const own = groupBy(points, ({ amount }) => findFeeRule(rules, { from, to, amount }));
  return (
    (pair.mode === undefined || pair.mode === mode) &&
    [...own].every(([rule, each]) => rule !== undefined && agrees(rule, each, unit))
  );
}

interface FittedPair {
  readonly pair: PairFees;
  readonly fitted: FittedRules;
  /** The pair to which the rules were fitted. */
  readonly owner: PairFees;
}

/** Fits the rules of each pair with fees. One with the fees of an earlier pair, or of one with more fees, has its rules. */
function fitPairs(main: PairFees, others: readonly PairFees[]): FittedPair[] {
  const known: FittedPair[] = [];
  for (const pair of [main, ...others.toSorted((one, two) => two.points.length - one.points.length)]) {
    if (pair.points.length === 0) continue;
    const same = known.find(({ fitted }) => agreesAll(fitted, pair));
    known.push({ pair, fitted: same?.fitted ?? fitRules(pair), owner: same?.owner ?? pair });
  }
  return known;
}

/** Learns the fee rules of all pairs. */
export function evaluateFees(traffic: Traffic, quotes: readonly Quoted[]): Part {
  const [main, ...others] = listFees(traffic, quotes);
  if (main === undefined || main.points.length === 0) return unknown('fees', 'no quote was read');
  const all = fitPairs(main, others);
  const own = all[0]?.fitted ?? fitRules(main);
  const shown = formatPoints(main);
  const isFree = main.points.every(({ fee }) => fee === 0n);
  if (own.rules.length === 0)
    return main.points.length >= MIN_POINTS
      ? partly('fees', [`the fees ${shown}`], `no rule gives them: ${shown}`)
      : unknown('fees', `${shown}: too few to tell the rule`);
  const pairs: PairRules[] = [];
  const missing = [
    ...(own.isConfirmed ? [] : [`the fees between ${shown}`]),
    ...(own.mode === undefined && !isFree ? ['whether the fee is part of the sent amount'] : []),
    ...(isFree ? listMargins(main, quotes) : []),
  ];
  for (const { pair, fitted } of all) {
    if (fitted.rules.length === 0 || (!fitted.isConfirmed && pair !== main))
      missing.push(`the fees from ${pair.from} to ${pair.to}`);
    else pairs.push({ from: pair.from, to: pair.to, fitted });
  }
  const value = combineRules(pairs, own);
  const evidence = `${shown}; ${pairs.length} pairs, ${value.length} ${value.length === 1 ? 'rule' : 'rules'}`;
  return learned('fees', value, evidence, missing);
}

interface PairRules extends Pair {
  readonly fitted: FittedRules;
}

/** Joins the rules of pairs: those of a destination or a source that all its pairs share, and last those of all others. */
function combineRules(pairs: readonly PairRules[], usual: FittedRules): FeeRule[] {
  const place = (side: Partial<Pair>, { rules, mode }: FittedRules): FeeRule[] =>
    rules.map((rule) => ({ ...side, ...rule, ...(mode === 'onTop' && { mode }) }));
  const rest = pairs.filter(({ fitted }) => fitted !== usual);
  const joined: FeeRule[] = [];
  const done = new Set<object>();
  // A rule of one side can show the rest of the other side as another one.
  for (const side of ['from', 'to', 'from', 'to'] as const)
    for (const one of rest) {
      if (done.has(one)) continue;
      const group = pairs.filter((each) => each[side] === one[side] && !done.has(each));
      if (!group.every(({ fitted, from, to }) => fitted === one.fitted || from === to)) continue;
      joined.push(...place({ [side]: one[side] }, one.fitted));
      for (const each of group) if (each.fitted === one.fitted) done.add(each);
    }
  const single = rest.filter((one) => !done.has(one));
  return [
    ...single.flatMap(({ from, to, fitted }) => place({ from, to }, fitted)),
    ...joined,
    ...place({}, usual),
  ].filter((rule, index, { length }) => index < length - 1 || Object.keys(rule).length > 0);
}

/** Returns whether quotes without a fee have a margin in the rate, which the measured rates contain. */
function listMargins({ from, to }: Pair, quotes: readonly Quoted[]): string[] {
  const last = (source: string, target: string): Micro | undefined =>
    quotes.findLast((one) => one.from === source && one.to === target)?.rate;
  const [same, there = 0n, back = 0n] = [last(from, from), last(from, to), last(to, from)];
  const isFree = same === undefined ? abs((there * back) / ONE - ONE) < ONE / 2_000n : same === ONE;
  return isFree ? [] : ['a margin in the rates of pairs that were not asked'];
}

const SHOWN = 6;

/** Formats some of the points, from the smallest to the largest amount. */
function formatPoints({ points, from }: PairFees): string {
  const sorted = points.toSorted(byAmount);
  const every = Math.max(1, Math.ceil(sorted.length / SHOWN));
  const shown = sorted.filter((_, index) => index % every === every - 1);
  const texts = shown.map(({ amount, fee }) => `${writeCents(fee)} on ${writeCents(amount)} ${from}`);
  return `${texts.join(', ')} (${points.length} amounts)`;
}
