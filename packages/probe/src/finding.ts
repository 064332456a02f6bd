import { redactKeys, shortFields, toRecord, writeFieldText } from '@service/internal';
import type { ProfileSetting } from './generated/profile-setting.ts';

export type { ProfileSetting };

/** The measured values by setting. The mock accepts them as `createMock({ profile })`. */
export type MeasuredProfile = object;

/**
 * The result for one setting. `found`: every observation agrees with `value`, also one that was not used to learn it.
 * `partly`: something is missing, or contradicts. `unknown`: not measured.
 */
export type Finding = {
  /** The name of the measured setting, such as `'successStatus'`. */
  readonly setting: ProfileSetting;
  /** The observation behind the result, or the reason for its lack and how to find out. */
  readonly evidence: string;
} & (
  | {
      /** Every observation agrees with `value`. */
      readonly state: 'found';
      /** The measured value. */
      readonly value: unknown;
      /** The fields that were measured; absent for a value without fields. One that is as documented is not in the value. */
      readonly proven?: readonly string[];
    }
  | {
      /** Something is missing, or contradicts. */
      readonly state: 'partly';
      /** The value that most observations show; absent if no value of the setting describes them. */
      readonly value?: unknown;
      /** The fields that are found; absent for a value without fields. */
      readonly proven?: readonly string[];
      /** What is missing, or contradicts the value. */
      readonly missing: readonly string[];
    }
  | {
      /** Not measured: without webhooks, payments or a response. */
      readonly state: 'unknown';
    }
);

/** Removes API keys from a finding: a service or proxy can echo the one of a request. */
export function redactFinding(finding: Finding, key: string): Finding {
  const text = JSON.stringify(finding).replaceAll(key, 'service_test_[redacted]');
  return JSON.parse(redactKeys(text)) as Finding;
}

/** The settings that a profile has as objects: as text their numbers would not read back. */
const asObjects: ReadonlySet<ProfileSetting> = new Set(['timestamps', 'deliveryFaults']);

/** Returns the values that were found, and those of partly explained settings. */
export function toProfile(findings: readonly Finding[]): MeasuredProfile {
  return Object.fromEntries(
    findings.flatMap((finding) => {
      if (!('value' in finding)) return [];
      // A value with only the field that a text is short for is that text.
      const { [shortFields[finding.setting] ?? '']: short, ...others } = toRecord(finding.value);
      const isShort = short !== undefined && Object.keys(others).length === 0;
      const value = isShort ? short : finding.value;
      return [[finding.setting, asObjects.has(finding.setting) ? value : writeFieldText(value)] as const];
    }),
  );
}

/** The error of a request without a usable response. It makes the run incomplete. */
export class NoResponse extends Error {}

/** The error of a request that a run has no time for. It leaves settings unknown, and the run complete. */
export class OutOfTime extends Error {}
