import {
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  isRecord,
  toMicro,
  toMilliseconds,
  writeCents,
} from '@service/internal';
import type { Finding, ProfileSetting } from './finding.ts';

/** A setting whose measured value is not the expected one. */
export interface ProfileDifference {
  /** The name of the setting, such as `'createStatus'`. */
  readonly setting: ProfileSetting;
  /** The value in the expected profile. */
  readonly expected: unknown;
  /** The measured value, or the evidence if no value of the setting describes the service. */
  readonly found: unknown;
  /** The differences of a structured value in words, such as `fee on 1000.00 USD was 5.00, is 6.00`. */
  readonly details?: readonly string[];
}

/** The differences between a service and an expected profile. */
export interface ProfileComparison {
  /** The settings that differ, in the order of the findings. */
  readonly differences: readonly ProfileDifference[];
  /** The expected settings that were not measured. */
  readonly unmeasured: readonly ProfileSetting[];
}

/** The settings that differ from run to run although the service does not change: they never differ here. */
const moving: ReadonlySet<ProfileSetting> = new Set([
  ...(['rates', 'durations', 'latency', 'readLag', 'deliveryFaults', 'rateLimit'] as const),
  // A limit is only reached sometimes.
  ...(['rateLimitHeaders', 'retryAfter'] as const),
]);

/**
 * Compares findings with an expected profile, such as the `profile` of an earlier run. Settings that the profile does not have
 * are ignored, and so are values that were only partly explained, rates and times, which move. Fees are compared by the fees of
 * some amounts, wallets by their currencies, and templates by their fields.
 *
 * @example const { differences } = compareProfile(findings, JSON.parse(saved));
 */
export function compareProfile(
  findings: readonly Finding[],
  expected: { readonly [Name in ProfileSetting]?: unknown },
): ProfileComparison {
  const relevant = findings.filter(({ setting }) => setting in expected && !moving.has(setting));
  return {
    differences: relevant.flatMap((finding) => findDifference(finding, expected[finding.setting])),
    unmeasured: relevant.flatMap(({ setting, state }) => (state === 'unknown' ? [setting] : [])),
  };
}

function findDifference(finding: Finding, expected: unknown): ProfileDifference[] {
  const { setting, state, evidence } = finding;
  if (state === 'partly' && finding.value === undefined) return [{ setting, expected, found: evidence }];
  if (state !== 'found') return [];
  const { value } = finding;
  const details = comparisons[setting]?.(expected, value);
  if (details !== undefined)
    return details.length === 0 ? [] : [{ setting, expected, found: value, details }];
  return isSameValue(expected, value) ? [] : [{ setting, expected, found: value }];
}

/**
 * Returns whether two values of a setting are equal, in any order. Templates are if they write the same fields with the same
 * statuses: the values of few responses do not tell all placeholders.
 */
export function isSameValue(one: unknown, two: unknown): boolean {
  if (!isTemplate(one) || !isTemplate(two)) return normalize(one) === normalize(two);
  return listFields(one).join() === listFields(two).join();
}

function isTemplate(value: unknown): boolean {
  return isRecord(value) || (Array.isArray(value) && value.some(isRecord));
}

/** Returns the paths of the fields of a template, with the numbers and the kinds of rows in it. */
function listFields(template: unknown): string[] {
  if (Array.isArray(template)) return template.filter(isRecord).flatMap(listFields).toSorted();
  if (!isRecord(template)) return typeof template === 'number' ? [String(template)] : [];
  const kind = typeof template.of === 'string' ? `${template.of} ` : '';
  const fields = Object.entries(template).flatMap(([name, value]) => [
    kind + name,
    ...listFields(value).map((inner) => `${kind}${name}.${inner}`),
  ]);
  return fields.toSorted();
}

/** Writes a value as text. The order of `events`, which is a set, and of fields does not matter. */
function normalize(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.map(normalize);
    return `[${(value.every((item) => typeof item === 'string') ? items.toSorted() : items).join()}]`;
  }
  return JSON.stringify(value) ?? 'undefined';
}

/**
 * Returns a sentence for each difference between an expected and a measured value; undefined if one of them is not a
 * value of the setting.
 */
type CompareValues = (expected: unknown, found: unknown) => readonly string[] | undefined;

/** The settings whose values are compared by their effect, or by their parts. */
const comparisons: { readonly [Name in ProfileSetting]?: CompareValues } = {
  fees: compareFees,
  currencies: (expected, found) =>
    compareSets(
      ...([expected, found].map((value) => (value === 'default' ? defaultCurrencies : value)) as [
        unknown,
        unknown,
      ]),
      'currency',
    ),
  // The balances change with each payment.
  wallets: (expected, found) =>
    compareSets(
      ...([expected, found].map((value) =>
        value === 'default' ? ['EUR', 'GBP', 'USD'] : isRecord(value) ? Object.keys(value) : undefined,
      ) as [unknown, unknown]),
      'wallet in',
    ),
  amountLimits: (expected, found) => {
    if (!isRecord(expected) || !isRecord(found)) return undefined;
    return (['minimum', 'maximum'] as const).flatMap((name) =>
      toMicro(expected[name]) === toMicro(found[name])
        ? []
        : [`${name} amount was ${String(expected[name])}, is ${String(found[name])}`],
    );
  },
  retrySchedule: compareSchedules,
  deprecation: (expected, found) => {
    if (!isRecord(expected) || !isRecord(found)) return undefined;
    const names = Object.keys({ ...expected, ...found }).filter((name) => expected[name] !== found[name]);
    return names.map((name) => `${name} was ${String(expected[name])}, is ${String(found[name])}`);
  },
  headers: compareParts,
  refusals: compareParts,
  issues: compareParts,
  beside: compareParts,
  ids: (expected, found) => {
    if (!isRecord(expected) || !isRecord(found)) return undefined;
    const names = Object.keys(expected).filter((name) => name in found && expected[name] !== found[name]);
    return names.map((name) => `ids of a ${name} were ${String(expected[name])}, are ${String(found[name])}`);
  },
};

/** Compares the parts that both have: a run can miss one. */
function compareParts(expected: unknown, found: unknown): readonly string[] | undefined {
  if (!isRecord(expected) || !isRecord(found)) return undefined;
  const names = Object.keys(expected).filter(
    (name) => name in found && !isSameValue(expected[name], found[name]),
  );
  return names.map(
    (name) => `${name} was ${JSON.stringify(expected[name])}, is ${JSON.stringify(found[name])}`,
  );
}

/** The amounts, in hundredths, whose fees are compared. */
const samples = [1_000n, 100_000n, 10_000_000n, 1_000_000_000n] as const;
const MAX_DIFFERENCES = 3;

function compareFees(expected: unknown, found: unknown): readonly string[] | undefined {
  const [before, now] = [expected, found].map((value) =>
    Array.isArray(value) && value.every(isRecord) ? (value as FeeRule[]) : undefined,
  );
  if (before === undefined || now === undefined) return undefined;
  const rules = [...before, ...now];
  const sides = (side: 'from' | 'to', usual: string): string[] => [
    ...new Set([usual, ...rules.flatMap((rule) => rule[side] ?? [])]),
  ];
  const limits = rules.flatMap(({ minimum, maximum }) =>
    [minimum, maximum].map((text) => (toMicro(text) ?? 0n) / 100n),
  );
  const amounts = [...new Set([...samples, ...limits.filter((limit) => limit > 0n)])];
  const differences = sides('from', 'USD').flatMap((from) =>
    sides('to', 'EUR').flatMap((to) =>
      amounts.flatMap((amount) => {
        const [one, two] = [before, now].map((each) => formatFee(findFeeRule(each, from, to), amount));
        const pair = to === 'EUR' ? from : `${from} to ${to}`;
        return one === two ? [] : [`fee on ${writeCents(amount)} ${pair} was ${one}, is ${two}`];
      }),
    ),
  );
  return differences.slice(0, MAX_DIFFERENCES);
}

function formatFee(rule: FeeRule | undefined, amount: bigint): string {
  const added = { up: 2n * FEE_PARTS - 1n, down: 0n, nearest: FEE_PARTS }[rule?.rounding ?? 'nearest'];
  return writeCents((2n * computeExactFee(rule, amount) + added) / (2n * FEE_PARTS));
}

function compareSets(expected: unknown, found: unknown, noun: string): readonly string[] | undefined {
  if (!Array.isArray(expected) || !Array.isArray(found)) return undefined;
  const [before, now] = [expected.map(String), found.map(String)];
  return [
    ...now.filter((item) => !before.includes(item)).map((item) => `${noun} ${item} is new`),
    ...before.filter((item) => !now.includes(item)).map((item) => `${noun} ${item} is gone`),
  ];
}

/** Compares the delays that both runs saw: a delay may differ by a quarter and a second. */
function compareSchedules(expected: unknown, found: unknown): readonly string[] | undefined {
  const [before, now] = [expected, found].map((value) =>
    value === 'default' ? ['5s', '5m'] : Array.isArray(value) ? value : undefined,
  );
  if (before === undefined || now === undefined) return expected === found ? [] : undefined;
  return before.flatMap((delay, index) => {
    const other: unknown = now[index];
    if (other === undefined) return [];
    const [one, two] = [delay, other].map((each) => toMilliseconds(each as never));
    const limit = 1_000 + Math.max(one ?? 0, two ?? 0) / 4;
    return Math.abs((one ?? 0) - (two ?? 0)) <= limit
      ? []
      : [`retry ${index + 1} came after ${String(delay)}, now after ${JSON.stringify(other)}`];
  });
}
