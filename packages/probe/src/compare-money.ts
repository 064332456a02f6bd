import {
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  isRecord,
  toMicro,
  toRecord,
  writeCents,
} from '@service/internal';
import type { ProfileSetting } from './finding.ts';

/**
 * Returns a sentence for each difference between an expected and a measured value; undefined if one of them is not a
 * value of the setting.
 */
export type CompareValues = (expected: unknown, found: unknown) => readonly string[] | undefined;

/** The settings for money whose values are compared by their effect. */
export const moneyComparisons: { readonly [Name in ProfileSetting]?: CompareValues } = {
  fees: compareFees,
  rates: compareRates,
  currencies: compareCurrencies,
  wallets: compareWallets,
  amountLimits: compareLimits,
};

/** The amounts, in hundredths, whose fees are compared. */
const samples = [1_000n, 100_000n, 10_000_000n, 1_000_000_000n] as const;
const MAX_DIFFERENCES = 3;

function compareFees(expected: unknown, found: unknown): readonly string[] | undefined {
  if (!isRules(expected) || !isRules(found)) return undefined;
  const rules = [...expected, ...found];
  const sources = new Set([...rules.map(({ from }) => from), undefined]);
  const targets = new Set([...rules.map(({ to }) => to), undefined]);
  const differences = [...sources].flatMap((source) =>
    [...targets].flatMap((target) => {
      const [from, to] = [source ?? 'USD', target ?? 'EUR'];
      const one = findFeeRule(expected, from, to);
      const other = findFeeRule(found, from, to);
      const limits = [one, other].flatMap((rule) => [rule?.minimum, rule?.maximum]).map(toCents);
      return [...samples, ...limits.filter((limit) => limit > 0n).map((limit) => limit * 100n)].flatMap(
        (amount) => {
          const [before, now] = [formatFee(one, amount), formatFee(other, amount)];
          const pair = target === undefined ? from : `${from} to ${to}`;
          return before === now ? [] : [`fee on ${writeCents(amount)} ${pair} was ${before}, is ${now}`];
        },
      );
    }),
  );
  return differences.slice(0, MAX_DIFFERENCES);
}

function isRules(value: unknown): value is readonly FeeRule[] {
  return Array.isArray(value) && value.every(isRecord);
}

function toCents(text: string | undefined): bigint {
  return (toMicro(text) ?? 0n) / 10_000n;
}

function formatFee(rule: FeeRule | undefined, amount: bigint): string {
  const added = { up: 2n * FEE_PARTS - 1n, down: 0n, nearest: FEE_PARTS }[rule?.rounding ?? 'nearest'];
  return writeCents((2n * computeExactFee(rule, amount) + added) / (2n * FEE_PARTS));
}

/** Compares the rates of the pairs that both have. Rates that change may differ by twice the largest change. */
function compareRates(expected: unknown, found: unknown): readonly string[] | undefined {
  if (!isRecord(expected) || !isRecord(found)) return undefined;
  const [before, now] = [toRecord(expected.pairs), toRecord(found.pairs)];
  const [movedBefore, moves] = [toRecord(expected.moves), toRecord(found.moves)];
  const tolerance = [movedBefore.by, moves.by].reduce<bigint>((sum, by) => {
    const share = toMicro(by) ?? 0n;
    return share > sum ? share : sum;
  }, 0n);
  const differences = Object.keys(before).flatMap((pair) => {
    const [one, other] = [toMicro(before[pair]), toMicro(now[pair])];
    if (one === undefined || other === undefined) return [];
    const distance = one > other ? one - other : other - one;
    const isEqual = distance * 1_000_000n <= 2n * tolerance * one;
    return isEqual ? [] : [`rate ${pair} was ${String(before[pair])}, is ${String(now[pair])}`];
  });
  const more = differences.length - MAX_DIFFERENCES;
  return [
    ...differences.slice(0, MAX_DIFFERENCES),
    ...(more > 0 ? [`${more} more rates differ`] : []),
    ...compareMoves(expected.moves, found.moves),
    ...compareTiers(expected.tiers, found.tiers),
  ];
}

/** Compares the amounts from which the rates of both differ, and these rates. */
function compareTiers(expected: unknown, found: unknown): string[] {
  const [before, now] = [expected, found].map((tiers) => (Array.isArray(tiers) ? tiers.map(toRecord) : []));
  if (before?.length !== now?.length)
    return [`the rates had ${before?.length} tiers of amounts, now they have ${now?.length}`];
  return (before ?? []).flatMap((tier, index) => {
    const [limits, other] = [toRecord(tier.from), toRecord(now?.[index]?.from)];
    const moved = Object.keys(limits).filter(
      (code) => other[code] !== undefined && toMicro(limits[code]) !== toMicro(other[code]),
    );
    return [
      ...moved.map(
        (code) => `tier from ${String(limits[code])} ${code} now starts at ${String(other[code])}`,
      ),
      ...(compareRates({ pairs: tier.pairs }, { pairs: now?.[index]?.pairs }) ?? []),
    ];
  });
}

function compareMoves(expected: unknown, found: unknown): string[] {
  if (expected === undefined) return found === undefined ? [] : ['the rates did not change, now they do'];
  const [before, now] = [toRecord(expected).every, toRecord(found).every];
  const isOther = before !== undefined && now !== undefined && before !== now;
  return isOther ? [`the rates changed each ${formatEvery(before)}, now each ${formatEvery(now)}`] : [];
}

/** Formats an interval: text, or milliseconds. */
function formatEvery(every: unknown): string {
  return typeof every === 'string' ? every : `${JSON.stringify(every)} ms`;
}

function compareCurrencies(expected: unknown, found: unknown): readonly string[] | undefined {
  const [before, now] = [expected, found].map((value) => (value === 'default' ? defaultCurrencies : value));
  if (!Array.isArray(before) || !Array.isArray(now)) return undefined;
  return compareSets(before.map(String), now.map(String), (code) => `currency ${code}`);
}

/** Compares the currencies of the wallets: their balances change with each payment. */
function compareWallets(expected: unknown, found: unknown): readonly string[] | undefined {
  const [before, now] = [expected, found].map((value) =>
    value === 'default' ? ['EUR', 'GBP', 'USD'] : isRecord(value) ? Object.keys(value) : undefined,
  );
  return before && now && compareSets(before, now, (code) => `wallet in ${code}`);
}

function compareSets(
  before: readonly string[],
  now: readonly string[],
  describe: (item: string) => string,
): string[] {
  return [
    ...now.filter((item) => !before.includes(item)).map((item) => `${describe(item)} is new`),
    ...before.filter((item) => !now.includes(item)).map((item) => `${describe(item)} is gone`),
  ];
}

function compareLimits(expected: unknown, found: unknown): readonly string[] | undefined {
  if (!isRecord(expected) || !isRecord(found)) return undefined;
  return (['minimum', 'maximum'] as const).flatMap((name) =>
    toMicro(expected[name]) === toMicro(found[name])
      ? []
      : [`${name} amount was ${String(expected[name])}, is ${String(found[name])}`],
  );
}
