import {
  CENT,
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  isRecord,
  type JsonObject,
  toMicro,
  toRecord,
  toMilliseconds,
  upgradeProfile,
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
  ...(['rates', 'durations', 'latency', 'readLag', 'deliveryFaults'] as const),
  // A limit is only reached sometimes.
  ...(['rateLimit', 'retryAfter'] as const),
]);

/**
 * Compares findings with an expected profile, such as the `profile` of an earlier run. Settings that the profile does not have
 * are ignored, and so are values that were only partly explained, rates and times, which move. Fees are compared by the fees of
 * some amounts, wallets by their currencies, and templates by their fields.
 *
 * @example const { differences } = compareProfile(findings, JSON.parse(saved));
 */
export function compareProfile(findings: readonly Finding[], expected: object): ProfileComparison {
  const wanted = upgradeProfile(expected);
  const relevant = findings.filter(({ setting }) => setting in wanted && !moving.has(setting));
  return {
    differences: relevant.flatMap((finding) => findDifference(finding, wanted[finding.setting])),
    unmeasured: relevant.flatMap(({ setting, state }) => (state === 'unknown' ? [setting] : [])),
  };
}

function findDifference(finding: Finding, expected: unknown): ProfileDifference[] {
  const { setting, state, evidence } = finding;
  if (state === 'partly' && finding.value === undefined) return [{ setting, expected, found: evidence }];
  if (state === 'unknown' || (state === 'partly' && !hasParts(setting, finding.value))) return [];
  const { value } = finding;
  const details = compareValues(setting, expected, value);
  if (details === undefined ? isSameValue(expected, value) : details.length === 0) return [];
  return [{ setting, expected, found: value, ...(details && { details }) }];
}

/** Returns whether each field of a value is found by itself. Other objects are one template. */
export function hasParts(setting: ProfileSetting, value: unknown): value is JsonObject {
  return isRecord(value) && !/Shape$|^pagination$/.test(setting);
}

/** The part of a setting for which its value can be short. */
const shortFor: { readonly [Name in ProfileSetting]?: string } = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
};

/** Returns a sentence for each difference. Undefined for values that are compared as a whole. */
function compareValues(
  setting: ProfileSetting,
  expected: unknown,
  value: unknown,
): readonly string[] | undefined {
  if (setting === 'fees') return compareFees(expected, value);
  // The balances change with each payment.
  if (setting === 'wallets') {
    const [before, now] = [expected, value].map((each) =>
      each === 'default' ? ['EUR', 'GBP', 'USD'] : Object.keys(toRecord(each)),
    );
    return compareSets(before ?? [], now ?? [], 'wallet in');
  }
  if (setting === 'currencies') {
    const [before, now] = [expected, value].map((each) => (isRecord(each) ? each : { codes: each }));
    const lists = [before, now].map((each) => (each?.codes === 'default' ? defaultCurrencies : each?.codes));
    const [was, is] = lists.map((list) => (Array.isArray(list) ? list.map(String) : undefined));
    const codes = was && is ? compareSets(was, is, 'currency') : [];
    return [...codes, ...compareParts({ ...before, codes: 0 }, { ...now, codes: 0 })];
  }
  if (setting === 'retrySchedule') return compareSchedules(expected, value);
  if (!hasParts(setting, value)) return undefined;
  const short = shortFor[setting];
  if (short !== undefined && !isRecord(expected)) return compareParts({ [short]: expected }, value);
  return isRecord(expected) ? compareParts(expected, value) : undefined;
}

/**
 * Returns whether two values of a setting are equal, in any order. Templates are if they write the same fields with the same
 * statuses: the values of few responses do not tell all placeholders.
 */
function isSameValue(one: unknown, two: unknown): boolean {
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

/** Writes a value as text. The order of names, such as those of `events`, and zeros at the end do not matter. */
function normalize(value: unknown): string {
  const micro = typeof value === 'string' ? toMicro(value) : undefined;
  if (micro !== undefined) return String(micro);
  const isNames = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return JSON.stringify(isNames ? value.toSorted() : value) ?? 'undefined';
}

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Compares the parts that both have: a run can miss one. */
function compareParts(expected: JsonObject, found: JsonObject): readonly string[] {
  const names = Object.keys(expected).filter(
    (name) => name in found && !isSameValue(expected[name], found[name]),
  );
  return names.map((name) => `${name} was ${write(expected[name])}, is ${write(found[name])}`);
}

/** The amounts, in hundredths, whose fees are compared. */
const samples = [1_000n, 100_000n, 10_000_000n, 1_000_000_000n] as const;
const MAX_DIFFERENCES = 3;

function compareFees(expected: unknown, found: unknown): readonly string[] | undefined {
  const lists = [expected, found].flatMap((value) =>
    Array.isArray(value) && value.every(isRecord) ? [value as FeeRule[]] : [],
  );
  const [before, now] = lists;
  if (before === undefined || now === undefined) return undefined;
  const rules = lists.flat();
  const sides = (side: 'from' | 'to', usual: string): string[] => [
    ...new Set([usual, ...rules.flatMap((rule) => rule[side] ?? [])]),
  ];
  // A fee of about one percent reaches a limit at about its hundredfold.
  const limits = rules.flatMap(({ minimum, maximum, amount }) => [
    ...[minimum, maximum].map((text) => (toMicro(text) ?? 0n) / 100n),
    (toMicro(amount?.from) ?? 0n) / CENT,
  ]);
  const amounts = [...new Set([...samples, ...limits.filter((limit) => limit > 0n)])];
  const differences = sides('from', 'USD').flatMap((from) =>
    sides('to', 'EUR').flatMap((to) =>
      amounts.flatMap((amount) => {
        const [one, two] = [before, now].map((each) =>
          formatFee(findFeeRule(each, { from, to, amount }), amount),
        );
        const pair = to === 'EUR' ? from : `${from} to ${to}`;
        return one === two ? [] : [`fee on ${writeCents(amount)} ${pair} was ${one}, is ${two}`];
      }),
    ),
  );
  return differences.slice(0, MAX_DIFFERENCES);
}

function formatFee(rule: FeeRule | undefined, amount: bigint): string {
  const added = { up: 2n * FEE_PARTS - 1n, down: 0n, half_up: FEE_PARTS }[rule?.rounding ?? 'half_up'];
  return writeCents((2n * computeExactFee(rule, amount) + added) / (2n * FEE_PARTS));
}

function compareSets(before: readonly string[], now: readonly string[], noun: string): readonly string[] {
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
  if (before === undefined || now === undefined) return undefined;
  return before.flatMap((delay, index) => {
    const [one = 0, two] = [delay, now[index]].map((each) => toMilliseconds(each as never));
    if (two === undefined || Math.abs(one - two) <= 1_000 + Math.max(one, two) / 4) return [];
    return [`retry ${index + 1} came after ${String(delay)}, now after ${String(now[index])}`];
  });
}
