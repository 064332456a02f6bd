import { type Micro, type RateTier, writeCents, writeMicro } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { askRate, listPrices, type Pair } from '../quote.ts';
import { noDecimals } from './no-decimals.ts';
import { listRateChanges } from './rate-changes.ts';

/** The experiment about rates that depend on the amount. Its result is part of `rates`. */
export const rateTiers: readonly Experiment[] = [
  { settings: [], subject: 'rates of small and large amounts', run: probeTiers },
];

/** The rates of amounts from the smallest to the largest one. */
export interface MeasuredTiers {
  /** The rates of the smallest amounts by pair. */
  readonly pairs: Readonly<Record<string, string>>;
  readonly tiers: readonly RateTier[];
}

/** 1.00 to 100000000.00 in hundredths. */
const decades = Array.from({ length: 9 }, (_, power) => 100n * 10n ** BigInt(power));

/** The most tiers. A rate with more changes depends on each amount. */
const MAX_TIERS = 8;

/** Compares the rates of the amounts that were asked so far, and looks for the amounts from which they differ. */
async function probeTiers(context: ProbeContext): Promise<[]> {
  const { from, to } = context.plan;
  const { quotes, readings } = context.market;
  // The rate changes for another reason.
  if (listRateChanges(readings).length > 0 || quotes.size === 0) return [];
  const limits = new Map<string, readonly bigint[]>();
  const main = await findLimits(context, { from, to }, decades);
  if (main === undefined || main.length === 0) return [];
  limits.set(from, main);
  for (const source of listSources(context)) {
    const target = [from, to].find((code) => quotes.has(`${source}/${code}`));
    const price = quotes.get(`${from}/${source}`)?.rate;
    if (target === undefined || price === undefined) continue;
    const expected = main.map((limit) => (limit * price) / ONE);
    const near = expected.flatMap((limit) => [(limit * 97n) / 100n, (limit * 103n) / 100n]);
    const own = await findLimits(context, { from: source, to: target }, near);
    if (own?.length === main.length) limits.set(source, own);
  }
  context.market.tiers = await measureTiers(context, limits);
  return [];
}

const ONE = 1_000_000n;

/** Returns the currencies besides that of the plan from which payments were quoted. */
function listSources({ plan, market }: ProbeContext): string[] {
  const sources = new Set([...market.quotes.keys()].map((pair) => pair.slice(0, 3)));
  sources.delete(plan.from);
  return [...sources];
}

/** The most quotes for the limits of one pair. */
const MAX_QUOTES = 120;

/**
 * Returns the smallest amount of each rate but the first, in hundredths. Undefined if the amounts do not have a few rates.
 */
async function findLimits(
  context: ProbeContext,
  pair: Pair,
  amounts: readonly bigint[],
): Promise<readonly bigint[] | undefined> {
  const unit = noDecimals.includes(pair.from) ? 100n : 1n;
  const asked = listPrices(context, pair);
  const ask = async (amount: bigint): Promise<void> => {
    if (!asked.has(amount)) await askRate(context, pair, amount);
  };
  await askEach(
    amounts.map((amount) => amount - (amount % unit)),
    ask,
  );
  for (let quotes = 0; quotes < MAX_QUOTES;) {
    const changes = listChanges(asked);
    if (changes.length > MAX_TIERS) return undefined;
    const next = changes.flatMap((change) => chooseBetween(change, unit));
    if (next.length === 0)
      return (await isSteady(context, pair, asked)) ? changes.map(([, high]) => high) : undefined;
    const count = asked.size;
    await askEach(next, ask);
    if (asked.size === count) return undefined;
    quotes += next.length;
  }
  return undefined;
}

/** Asks for a few amounts at once. */
async function askEach(amounts: readonly bigint[], ask: (amount: bigint) => Promise<void>): Promise<void> {
  for (let start = 0; start < amounts.length; start += 4)
    await Promise.all(amounts.slice(start, start + 4).map(ask));
}

/** The least amount that is compared: the rate of a smaller one can follow from its rounded amounts. */
const LEAST = 100n;

/** Returns each two amounts next to each other with different rates. */
function listChanges(asked: ReadonlyMap<bigint, Micro>): (readonly [low: bigint, high: bigint])[] {
  const sorted = [...asked.keys()].filter((amount) => amount >= LEAST).toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.slice(1).flatMap((high, index) => {
    const low = sorted[index] ?? high;
    return asked.get(low) === asked.get(high) ? [] : [[low, high] as const];
  });
}

/**
 * Returns an amount between two ones, in multiples of `unit`: the neighbor of a round one, which is often a limit, or else
 * the round amount that is nearest to the middle.
 */
function chooseBetween([low, high]: readonly [bigint, bigint], unit: bigint): bigint[] {
  if (high - low <= unit) return [];
  if (isRound(high)) return [high - unit];
  if (isRound(low)) return [low + unit];
  for (let power = 10n ** 12n; power > unit; power /= 10n) {
    const nearest = ((low + high + power) / (2n * power)) * power;
    if (nearest > low && nearest < high) return [nearest];
  }
  const middle = (low + high) / 2n;
  return [middle - (middle % unit)];
}

/** Returns whether an amount in hundredths has at most two digits that are not zeros at its end. */
function isRound(amount: bigint): boolean {
  return String(amount).replace(/0+$/, '').length <= 2;
}

/** Checks that the rates of the smallest and the largest amount have not changed meanwhile. */
async function isSteady(
  context: ProbeContext,
  pair: Pair,
  asked: ReadonlyMap<bigint, Micro>,
): Promise<boolean> {
  const sorted = [...asked.keys()].filter((amount) => amount >= LEAST).toSorted((a, b) => (a < b ? -1 : 1));
  for (const amount of [sorted[0], sorted.at(-1)]) {
    const before = amount === undefined ? undefined : asked.get(amount);
    if (amount !== undefined && (await askRate(context, pair, amount)) !== before) return false;
  }
  return true;
}

/** Measures the rates of all pairs in each tier. */
async function measureTiers(
  context: ProbeContext,
  limits: ReadonlyMap<string, readonly bigint[]>,
): Promise<MeasuredTiers> {
  const names = [...context.market.quotes.keys()].filter((pair) => limits.has(pair.slice(0, 3)));
  const count = Math.max(...[...limits.values()].map((each) => each.length));
  const ofTiers = await Promise.all(
    Array.from({ length: count + 1 }, async (_, tier) => {
      const rates: Record<string, string> = {};
      for (const name of names) {
        const pair = { from: name.slice(0, 3), to: name.slice(4) };
        const own = limits.get(pair.from) ?? [];
        const amount = tier === 0 ? ((own[0] ?? 0n) / 200n) * 100n : (own[tier - 1] ?? 0n);
        const rate = await askRate(context, pair, amount);
        if (rate !== undefined) rates[name] = writeMicro(rate);
      }
      return rates;
    }),
  );
  const [pairs = {}, ...others] = ofTiers;
  // Limits are round in the currency in which the service counts them.
  const sources = [...limits].toSorted(([, one], [, other]) => countDigits(one) - countDigits(other));
  const tiers = others.map((rates, index) => ({
    from: Object.fromEntries(sources.map(([source, own]) => [source, writeCents(own[index] ?? 0n)])),
    pairs: rates,
  }));
  return { pairs, tiers };
}

function countDigits(limits: readonly bigint[]): number {
  return limits.reduce((sum, limit) => sum + String(limit).replace(/0+$/, '').length, 0);
}
