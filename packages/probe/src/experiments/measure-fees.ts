import { computeExactFee, FEE_PARTS, type FeeRule, toMicro, CENT } from '@service/internal';
import { addRounding, agrees, type FeePoint, fitFees } from './fit-fees.ts';

/** Returns the fee of an amount, both in hundredths; undefined if the service rejects the amount. */
export type AskFee = (amount: bigint) => Promise<bigint | undefined>;

/** The result of a measurement: the rule, unless no rule gives all observed fees. */
export interface MeasuredFees {
  readonly rule: FeeRule | undefined;
  readonly points: readonly FeePoint[];
}

/** 0.01 to 100000000.00, and the largest amount of the contract. */
const decades = [...Array.from({ length: 11 }, (_, power) => 10n ** BigInt(power)), 99_999_999_999n];

/** Amounts that are not round, so that their fee has to be rounded. */
const odd = [3n, 37n, 1_234n, 5_789n, 34_567n, 123_457n, 9_876_543n, 45_678_901n, 8_765_432_109n];

const MAX_ROUNDS = 30;

/** Number of amounts that are tried just above the smallest fee. */
const MAX_SMALLER = 10;

/**
 * Measures the fee schedule of a pair of currencies: asks for the fee of amounts of each size, looks for the
 * amounts between the minimum and the maximum by bisection, and verifies the rule with further amounts.
 *
 * @param options `unit`: the smallest unit of a fee in hundredths
 */
export async function measureFees(ask: AskFee, { unit }: { readonly unit: bigint }): Promise<MeasuredFees> {
  const asked = new Set<bigint>();
  const points: FeePoint[] = [];
  const add = async (amounts: readonly bigint[]): Promise<void> => {
    const whole = amounts.map((amount) => amount - (amount % unit));
    const fresh = [...new Set(whole)].filter((amount) => amount > 0n && !asked.has(amount));
    for (const amount of fresh) asked.add(amount);
    const fees = await askAll(fresh, ask);
    for (const [index, amount] of fresh.entries()) {
      const fee = fees[index];
      // A fee as large as its amount can be one that the service has limited to the amount.
      if (fee !== undefined && fee < amount) points.push({ amount, fee });
    }
  };
  await add(decades);
  for (let smaller = 0; smaller < MAX_SMALLER; smaller += 1) {
    const count = points.length;
    await add(chooseSmaller(points, unit));
    if (points.length === count) break;
  }
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const { rules, line } = fitFees(points, unit);
    const [rule, ...others] = rules;
    const count = asked.size;
    await add(rules.slice(0, 3).flatMap((each) => choosePrecise(each, points)));
    if (rule !== undefined && others.length === 0 && agrees(rule, points, unit))
      return { rule: addRounding(rule, points, unit), points };
    await add(chooseNarrower(points, line));
    // No amount tells the remaining rules apart: they differ by the rounding of a percentage with many decimals.
    if (asked.size === count) {
      const likely = rules[Math.floor(rules.length / 2)];
      return { rule: likely && addRounding(likely, points, unit), points };
    }
  }
  return { rule: undefined, points };
}

/** Asks for a few fees at once, so that a slow service does not delay the probe by each of them. */
async function askAll(amounts: readonly bigint[], ask: AskFee): Promise<(bigint | undefined)[]> {
  const fees: (bigint | undefined)[] = [];
  for (let start = 0; start < amounts.length; start += 4)
    fees.push(...(await Promise.all(amounts.slice(start, start + 4).map(ask))));
  return fees;
}

/**
 * Returns the amount just above the fee of the smallest amount. Each minimum is less than that fee, and one that is little
 * more than the fixed amount shows only in the fees of smaller amounts.
 */
function chooseSmaller(points: readonly FeePoint[], unit: bigint): bigint[] {
  const [first] = points.toSorted(byAmount);
  return first === undefined ? [] : [first.fee + unit];
}

const byAmount = (one: FeePoint, other: FeePoint): number => (one.amount < other.amount ? -1 : 1);

/** Returns the amounts in the middle between the percentage and the minimum, and between it and the maximum. */
function chooseNarrower(points: readonly FeePoint[], line: readonly FeePoint[]): bigint[] {
  const sorted = points.toSorted(byAmount);
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined) {
    const at = sorted.findIndex(({ fee }) => fee !== sorted[0]?.fee);
    return middle(sorted[at - 1], sorted[at]);
  }
  const below = sorted.findLast(({ amount }) => amount < first.amount);
  const above = sorted.find(({ amount }) => amount > last.amount);
  return [...middle(below, first), ...middle(last, above)];
}

/** Returns the amount between two points: their geometric mean while they are far apart. */
function middle(low: FeePoint | undefined, high: FeePoint | undefined): bigint[] {
  if (low === undefined || high === undefined) return [];
  let mean = (low.amount + high.amount) / 2n;
  while (mean > low.amount * 4n) mean /= 2n;
  return mean > low.amount && mean < high.amount ? [mean] : [];
}

/** Returns amounts that the rule was not fitted to: odd ones, and those around its minimum and maximum. */
function choosePrecise(rule: FeeRule, points: readonly FeePoint[]): bigint[] {
  const largest = points.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
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
