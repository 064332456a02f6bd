import {
  defaultCurrencies,
  type FeeRule,
  isRecord,
  type JsonObject,
  namedPages,
  namedRows,
  namedTimestamps,
  shortFields,
  toMicro,
  toMilliseconds,
  toRecord,
  writeCents,
} from '@service/internal';
import type { Finding, ProfileSetting } from './finding.ts';
import { computeFee } from './questions/fee-rule.ts';
import { listLeaves } from './refused.ts';

/** A setting whose measured value is not the expected one. */
export interface ProfileDifference {
  /** The name of the setting, such as `'successStatus'`. */
  readonly setting: ProfileSetting;
  /** The value in the expected profile. */
  readonly expected: unknown;
  /** The measured value, or the evidence if no value of the setting describes the service. */
  readonly found: unknown;
  /** The differences in words, such as `fee on 1000.00 was 5.00, is 6.00`. */
  readonly details: readonly string[];
}

/** The differences between a service and an expected profile. */
export interface ProfileComparison {
  /** The settings that differ, in the order of the findings. */
  readonly differences: readonly ProfileDifference[];
  /** The expected settings that were not measured. */
  readonly unmeasured: readonly ProfileSetting[];
}

/** The settings and fields that differ from run to run although the service does not change: they never differ here. */
const moving: ReadonlySet<string> = new Set([
  'rates',
  'readLag',
  'deliveryFaults',
  'statuses.pending',
  'statuses.processing',
  'statuses.completed',
  // A limit is only reached sometimes.
  'rateLimit',
  'retryAfter',
]);

/**
 * Compares findings with an expected profile, such as the `profile` of an earlier run. Settings that the profile does not have
 * are ignored, and so is what was not found, and rates and times, which move. Fees are compared by the fees of some amounts,
 * and wallets by their currencies.
 *
 * @example const { differences } = compareProfile(findings, JSON.parse(saved));
 */
export function compareProfile(findings: readonly Finding[], expected: object): ProfileComparison {
  const wanted = expected as JsonObject;
  const relevant = findings.filter(({ setting }) => wanted[setting] !== undefined && !moving.has(setting));
  return {
    differences: relevant.flatMap((finding) => findDifference(finding, wanted[finding.setting])),
    unmeasured: relevant.flatMap(({ setting, state }) => (state === 'unknown' ? [setting] : [])),
  };
}

function findDifference(finding: Finding, expected: unknown): ProfileDifference[] {
  const { setting, state, evidence } = finding;
  if (state === 'unknown') return [];
  const { proven } = finding;
  if (state === 'partly' && proven === undefined) {
    // Something that no value describes is a change. A value that is not proven is none.
    const isOther = finding.value === undefined;
    return isOther ? [{ setting, expected, found: evidence, details: [evidence] }] : [];
  }
  const found = finding.value ?? {};
  const [was, is] = [toParts(setting, expected), toParts(setting, found)];
  const isFound = (name: string): boolean =>
    proven === undefined || proven.includes(name.split(/[ .]/)[0] ?? '');
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => isFound(name) && !moving.has(`${setting}.${name}`),
  );
  const details = names.flatMap((name) => {
    const [before, now] = [was.get(name), is.get(name)];
    if (isSame(setting, before, now)) return [];
    // A field that an expected profile leaves out is not expected.
    if (before === undefined && !isSet(setting)) return [];
    if (before === undefined) return [`${name} is new: ${write(now)}`];
    return now === undefined ? [`${name} is gone`] : [`${name} was ${write(before)}, is ${write(now)}`];
  });
  return details.length === 0 ? [] : [{ setting, expected, found, details: details.slice(0, MAX_DETAILS) }];
}

const MAX_DETAILS = 4;

/** Whether what a value leaves out is not there, rather than unknown. */
const isSet = (setting: ProfileSetting): boolean =>
  !/^(?:successStatus|paths|requestBody|amounts|texts|debitAt|refund|statuses|listQuery)$/.test(setting);

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Reads the parts of a value by their names in a sentence. */
const readParts: {
  readonly [Name in ProfileSetting]?: (value: unknown) => Iterable<readonly [string, unknown]>;
} = {
  fees: (value) =>
    samples.map((amount) => [`fee on ${writeCents(amount)}`, writeFee(value as FeeRule, amount)]),
  // The balances change with each payment.
  wallets: (value) =>
    toSet(value === 'default' ? ['EUR', 'GBP', 'USD'] : Object.keys(toRecord(value)), 'wallet in'),
  currencies: (value) => {
    const { codes, ...others } = isRecord(value) ? value : { codes: value };
    const listed = codes === 'default' ? defaultCurrencies : codes;
    return [...Object.entries(others), ...(Array.isArray(listed) ? toSet(listed, 'codes:') : [])];
  },
  events: (value) => toSet(value as readonly string[], 'event'),
  retrySchedule: (value) => {
    const delays = value === 'default' ? ['5s', '5m'] : value === 'none' ? [] : (value as readonly string[]);
    return delays.map((delay, index) => [`retry ${index + 1}`, delay]);
  },
  rows: (value) => listLeaves(resolve(namedRows, value)),
  pagination: (value) => listLeaves({ by: 'page', ...toRecord(resolve(namedPages, value)) }),
  timestamps: (value) => Object.entries(toRecord(resolve(namedTimestamps, value))),
  outcomes: (value) =>
    toSet(
      (value as readonly object[]).map((rule) => JSON.stringify(rule)),
      'outcome',
    ),
};

/** Returns the parts of a value. Without a rule of its own, these are its fields. */
function toParts(setting: ProfileSetting, value: unknown): ReadonlyMap<string, unknown> {
  const read = readParts[setting];
  if (read) return new Map(read(value));
  const whole = isRecord(value) ? value : { [shortFields[setting] ?? 'the value']: value };
  return new Map(listLeaves(whole).filter(([, leaf]) => JSON.stringify(leaf) !== '{}'));
}

const resolve = (named: object, value: unknown): unknown =>
  typeof value === 'string' ? (named as JsonObject)[value] : value;

const toSet = (items: readonly unknown[], noun: string): Map<string, unknown> =>
  new Map(items.map((item) => [`${noun} ${String(item)}`, true]));

/** Returns whether two values are equal. Zeros at the end of an amount do not matter, and delays are measured. */
function isSame(setting: ProfileSetting, one: unknown, other: unknown): boolean {
  if (setting === 'retrySchedule') {
    // A run can be too short for the last one.
    if (one === undefined || other === undefined) return true;
    const [was = 0, is = 0] = [one, other].map((delay) => toMilliseconds(delay as never));
    return Math.abs(was - is) <= 1_000 + Math.max(was, is) / 4;
  }
  return normalize(one) === normalize(other);
}

const normalize = (value: unknown): string =>
  typeof value === 'string' ? String(toMicro(value) ?? value) : JSON.stringify(value);

/** The amounts, in hundredths, whose fees are compared. */
const samples = [1_000n, 50_000n, 100_000n, 10_000_000n, 1_000_000_000n] as const;

function writeFee(rule: FeeRule, amount: bigint): string {
  const { mode = 'inside', rounding = 'half_up' } = rule;
  return `${writeCents(computeFee(rule, amount, rounding))}${mode === 'inside' ? '' : ` (${mode})`}`;
}
