import {
  isRecord,
  type JsonObject,
  namedPages,
  namedRows,
  namedTimestamps,
  readFieldText,
  shortFields,
  toMicro,
  toRecord,
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
  /** The differences in words, such as `percent was 0.5, is 0.6`. */
  readonly details: readonly string[];
}

/** The differences between a service and an expected profile. */
export interface ProfileComparison {
  /** The settings that differ, in the order of the findings. */
  readonly differences: readonly ProfileDifference[];
  /** The expected settings that were not measured. */
  readonly unmeasured: readonly ProfileSetting[];
}

/** The settings that differ from run to run although the service does not change: they never differ here. */
const moving: ReadonlySet<string> = new Set(['rates', 'readLag', 'retrySchedule', 'deliveryFaults']);

/**
 * Compares findings with an expected profile, such as the `profile` of an earlier run. Settings that the profile does not have
 * are ignored, and so is what was not found, and what moves: rates, times, and faults of webhooks. Wallets are compared by their currencies.
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
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(isFound);
  const details = names.flatMap((name) => {
    const [before, now] = [was.get(name), is.get(name)];
    if (normalize(before) === normalize(now)) return [];
    // A field that an expected profile leaves out is not expected.
    if (before === undefined && !isSet(setting)) return [];
    if (before === undefined) return [`${name} is new: ${write(now)}`];
    return now === undefined ? [`${name} is gone`] : [`${name} was ${write(before)}, is ${write(now)}`];
  });
  return details.length === 0 ? [] : [{ setting, expected, found, details: details.slice(0, 4) }];
}

/** Whether what a value leaves out is not there, rather than unknown. */
const isSet = (setting: ProfileSetting): boolean =>
  !/^(?:successStatus|paths|requestBody|amounts|texts|debitAt|refund|statuses|listQuery)$/.test(setting);

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What the names of values stand for. */
const namedValues: { readonly [Name in ProfileSetting]?: Readonly<Record<string, unknown>> } = {
  rows: namedRows,
  pagination: namedPages,
  timestamps: namedTimestamps,
  wallets: { default: { EUR: true, GBP: true, USD: true } },
};

/** Returns the parts of a value by their names in a sentence. The items of a list of texts have no order, but for delays. */
function toParts(setting: ProfileSetting, value: unknown): ReadonlyMap<string, unknown> {
  const named = typeof value === 'string' ? (namedValues[setting]?.[value] ?? value) : value;
  const known = readFieldText(named) ?? named;
  // The balances change with each payment.
  if (setting === 'wallets')
    return new Map(Object.keys(toRecord(known)).map((code) => [`wallet in ${code}`, true]));
  const rules =
    setting === 'outcomes' && Array.isArray(known) ? known.map((rule) => JSON.stringify(rule)) : known;
  const whole = isRecord(rules) ? { ...rules } : { [shortFields[setting] ?? 'the value']: rules };
  return new Map(listParts(whole).filter(([, part]) => JSON.stringify(part) !== '{}'));
}

function listParts(value: unknown, path = ''): (readonly [name: string, part: unknown])[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.map((item) => [`${path} ${item}`, true]);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    listParts(inner, path === '' ? name : `${path}.${name}`),
  );
}

/** Returns a value as text: zeros at the end of an amount do not matter. */
const normalize = (value: unknown): string =>
  /^(?:string|number)$/.test(typeof value) ? String(toMicro(value) ?? value) : JSON.stringify(value);
