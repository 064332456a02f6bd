import { moneyComparisons } from './compare-money.ts';
import type { Finding, ProfileSetting } from './finding.ts';
import { isWithinTolerance } from './tolerance.ts';

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

/**
 * Compares findings with an expected profile, such as the `profile` of an earlier run. Settings that the
 * profile does not have are ignored. Fees are compared by the fees of some amounts, rates within their changes, and
 * wallets by their currencies.
 *
 * @example const { differences } = compareProfile(findings, JSON.parse(saved));
 */
export function compareProfile(
  findings: readonly Finding[],
  expected: { readonly [Name in ProfileSetting]?: unknown },
): ProfileComparison {
  const relevant = findings.filter(({ setting }) => setting in expected);
  const measured = relevant.filter(({ state }) => state !== 'unknown');
  return {
    differences: measured.flatMap((finding) => findDifference(finding, expected[finding.setting])),
    unmeasured: relevant.flatMap(({ setting, state }) => (state === 'unknown' ? [setting] : [])),
  };
}

function findDifference(finding: Finding, expected: unknown): ProfileDifference[] {
  const { setting, state, evidence } = finding;
  if (state !== 'found') return [{ setting, expected, found: evidence }];
  const { value } = finding;
  const details = moneyComparisons[setting]?.(expected, value);
  if (details !== undefined)
    return details.length === 0 ? [] : [{ setting, expected, found: value, details }];
  if (isWithinTolerance(setting, value, expected)) return [];
  return normalize(value) === normalize(expected) ? [] : [{ setting, expected, found: value }];
}

/** Writes a value as text. The order of `events`, which is a set, and of fields does not matter. */
function normalize(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.map(normalize);
    return `[${(value.every((item) => typeof item === 'string') ? items.toSorted() : items).join()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${normalize(each)}`).join()}}`;
}
