import {
  CENT,
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  isRecord,
  type JsonObject,
  shortFields,
  toMicro,
  toRecord,
  toMilliseconds,
  writeCents,
} from '@service/internal';
import type { Finding, ProfileSetting } from './finding.ts';

/** A setting whose measured value is not the expected one. */
export interface ProfileDifference {
  /** The name of the setting, such as `'successStatus'`. */
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
  ...(['rates', 'statuses', 'readLag', 'deliveryFaults'] as const),
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
  const wanted = expected as JsonObject;
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

/** Returns a sentence for each difference. Undefined for values that are compared as a whole. */
function compareValues(
  setting: ProfileSetting,
  ...values: readonly [expected: unknown, found: unknown]
): readonly string[] | undefined {
  if (setting === 'fees') {
    const [before, now] = values.filter((value) => Array.isArray(value)) as FeeRule[][];
    if (before === undefined || now === undefined) return undefined;
    const points = listPoints([...before, ...now]);
    return compareParts(listFees(before, points), listFees(now, points)).slice(0, MAX_DIFFERENCES);
  }
  const [before, now] = values.map((value) => toParts(setting, value));
  return before && now && compareParts(before, now);
}

const toSet = (items: readonly unknown[], noun: string): JsonObject =>
  Object.fromEntries(items.map((item) => [`${noun} ${String(item)}`, true]));

/** Returns the parts of a value by name: `true` for the items of a set. Undefined for one without parts. */
function toParts(setting: ProfileSetting, value: unknown): JsonObject | undefined {
  // The balances change with each payment.
  if (setting === 'wallets')
    return toSet(value === 'default' ? ['EUR', 'GBP', 'USD'] : Object.keys(toRecord(value)), 'wallet in');
  if (setting === 'currencies') {
    const { codes, ...others } = isRecord(value) ? value : { codes: value };
    const listed = codes === 'default' ? defaultCurrencies : codes;
    return { ...others, ...(Array.isArray(listed) && toSet(listed, 'currency')) };
  }
  if (setting === 'retrySchedule') {
    const delays = value === 'default' ? ['5s', '5m'] : value;
    return Array.isArray(delays)
      ? Object.fromEntries(delays.map((delay, index) => [`retry ${index + 1}`, delay as unknown]))
      : undefined;
  }
  if (hasParts(setting, value)) return value;
  const short = shortFields[setting];
  return short === undefined ? undefined : { [short]: value };
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

/** Compares the parts that both have: a run can miss one, but no item of a set. */
function compareParts(expected: JsonObject, found: JsonObject): readonly string[] {
  const isItem = (name: string): boolean => expected[name] === true || found[name] === true;
  const isMissing = (name: string, { [name]: value }: JsonObject, other: JsonObject): boolean =>
    value === undefined && isItem(name) && Object.values(other).includes(true);
  return [...new Set([...Object.keys(found), ...Object.keys(expected)])].flatMap((name) => {
    const [was, is] = [expected[name], found[name]];
    if (isMissing(name, expected, found)) return [`${name} is new`];
    if (isMissing(name, found, expected)) return [`${name} is gone`];
    const isSame = name.startsWith('retry ') ? isNear(was, is) : isSameValue(was, is);
    return was === undefined || is === undefined || isSame
      ? []
      : [`${name} was ${write(was)}, is ${write(is)}`];
  });
}

/** Returns whether two delays differ by at most a quarter and a second. */
function isNear(was: unknown, is: unknown): boolean {
  const [one = 0, two = 0] = [was, is].map((delay) => toMilliseconds(delay as never));
  return Math.abs(one - two) <= 1_000 + Math.max(one, two) / 4;
}

/** The amounts, in hundredths, whose fees are compared. */
const samples = [1_000n, 100_000n, 10_000_000n, 1_000_000_000n] as const;
const MAX_DIFFERENCES = 3;

/** The amount of a fee, and its currencies. */
interface FeePoint {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** Returns the points at which rules can differ. A fee of about one percent reaches a limit at about its hundredfold. */
function listPoints(rules: readonly FeeRule[]): FeePoint[] {
  const sides = (side: 'from' | 'to', usual: string): string[] => [
    ...new Set([usual, ...rules.flatMap((rule) => rule[side] ?? [])]),
  ];
  const limits = rules.flatMap(({ minimum, maximum, amount }) => [
    ...[minimum, maximum].map((text) => (toMicro(text) ?? 0n) / 100n),
    (toMicro(amount?.from) ?? 0n) / CENT,
  ]);
  const amounts = [...new Set([...samples, ...limits.filter((limit) => limit > 0n)])];
  return sides('from', 'USD').flatMap((from) =>
    sides('to', 'EUR').flatMap((to) => amounts.map((amount) => ({ from, to, amount }))),
  );
}

function listFees(rules: readonly FeeRule[], points: readonly FeePoint[]): JsonObject {
  const fees = points.map(({ from, to, amount }) => {
    const rule = findFeeRule(rules, { from, to, amount });
    const added = { up: 2n * FEE_PARTS - 1n, down: 0n, half_up: FEE_PARTS, half_even: FEE_PARTS }[
      rule?.rounding ?? 'half_up'
    ];
    const fee = writeCents((2n * computeExactFee(rule, amount) + added) / (2n * FEE_PARTS));
    return [`fee on ${writeCents(amount)} ${to === 'EUR' ? from : `${from} to ${to}`}`, fee] as const;
  });
  return Object.fromEntries(fees);
}
