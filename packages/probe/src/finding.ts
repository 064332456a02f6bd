import { redactKeys } from '@service/internal';
import type { ProfileChoice } from '@service/mock';

/** The text in place of an API key. */
export const REDACTED = 'service_test_[redacted]';

type Profile = Required<ProfileChoice>;

/** The name of a profile setting: a behavior that the service's document leaves open. */
export type ProfileSetting = keyof Profile;

/** The measured values by setting. The mock accepts them as `createMock({ profile })`. */
export type MeasuredProfile = ProfileChoice;

/**
 * The result for one setting. `found`: every observation agrees with `value`, also one that was not used to learn it.
 * `partly`: only a part is explained. `unknown`: not measured.
 */
export type Finding =
  | {
      /** The name of the measured setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** Every observation agrees with `value`. */
      readonly state: 'found';
      /** The measured value. */
      readonly value: Profile[ProfileSetting];
      /** The observation behind the finding. */
      readonly evidence: string;
    }
  | {
      /** The name of the measured setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** Only a part of the behavior is explained. */
      readonly state: 'partly';
      /** The explained part, which is safe alone; absent if there is none. */
      readonly value?: Profile[ProfileSetting];
      /** What is not explained, by name. */
      readonly missing: readonly string[];
      /** The observation behind the finding. */
      readonly evidence: string;
    }
  | {
      /** The name of the setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** Not measured: without webhooks, payments or a response. */
      readonly state: 'unknown';
      /** The reason, and how to find out. */
      readonly evidence: string;
      /** The values that remain possible; absent if the run excluded none. */
      readonly among?: readonly Profile[ProfileSetting][];
    };

/** Creates the finding of a setting whose value was measured. */
export function found<Name extends ProfileSetting>(
  setting: Name,
  value: Profile[Name],
  evidence: string,
): Finding {
  return { setting, state: 'found', value, evidence };
}

/** Creates the finding of a setting of which a part is explained, or nothing without a value. */
export function partly<Name extends ProfileSetting>(
  setting: Name,
  missing: readonly string[],
  evidence: string,
  value?: Profile[Name],
): Finding {
  return { setting, state: 'partly', missing, evidence, ...(value !== undefined && { value }) };
}

/** Creates the finding of a template: `found` if it explains all fields. */
export function learned<Name extends ProfileSetting>(
  setting: Name,
  value: Profile[Name],
  evidence: string,
  unexplained: readonly string[],
): Finding {
  return unexplained.length === 0
    ? found(setting, value, evidence)
    : partly(setting, unexplained, evidence, value);
}

/** Creates the finding of a setting that no profile value describes. */
export function other(setting: ProfileSetting, evidence: string): Finding {
  return partly(setting, [evidence], evidence);
}

/** Creates the finding of a setting that was not measured; the evidence is the reason. */
export function unknown<Name extends ProfileSetting>(
  setting: Name,
  evidence: string,
  among?: readonly Profile[Name][],
): Finding {
  return { setting, state: 'unknown', evidence, ...(among && { among }) };
}

/** Removes API keys from a finding: a service or proxy can echo the one of a request, also in what becomes a template. */
export function redactFinding(finding: Finding, key: string | undefined): Finding {
  const text = JSON.stringify(finding);
  return JSON.parse(redactKeys(key === undefined ? text : text.replaceAll(key, REDACTED))) as Finding;
}

/** The error of a request without a usable response. It makes the run incomplete. */
export class NoResponse extends Error {
  override readonly name: string = 'NoResponse';
}
