import { type Profile, redactKeys } from '@service/internal';

const REDACTED = 'service_test_[redacted]';

/** The name of a profile setting: a behavior that the service's document leaves open. */
export type ProfileSetting = keyof Profile;

/** The measured values by setting. The mock accepts them as `createMock({ profile })`. */
export type MeasuredProfile = Partial<Profile>;

/**
 * The result for one setting. `found`: the service behaves as `value` describes. `other`: no value of the
 * setting describes the service. `unknown`: not measured; `among` lists the values that remain possible.
 */
export type Finding =
  | {
      /** The name of the measured setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** The service behaves as `value` describes. */
      readonly state: 'found';
      /** The measured value. */
      readonly value: Profile[ProfileSetting];
      /** The observation behind the finding. */
      readonly evidence: string;
    }
  | {
      /** The name of the measured setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** No value of the setting describes the service. */
      readonly state: 'other';
      /** The observation that matches no value. */
      readonly evidence: string;
    }
  | {
      /** The name of the setting, such as `'createStatus'`. */
      readonly setting: ProfileSetting;
      /** Not measured: without webhooks, payments or a response. */
      readonly state: 'unknown';
      /** The reason, or the observation that does not decide. */
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

/** Creates the finding of a setting that no profile value describes. */
export function other(setting: ProfileSetting, evidence: string): Finding {
  return { setting, state: 'other', evidence };
}

/** Creates the finding of a setting that was not measured; the evidence is the reason. */
export function unknown<Name extends ProfileSetting>(
  setting: Name,
  evidence: string,
  among?: readonly Profile[Name][],
): Finding {
  return { setting, state: 'unknown', evidence, ...(among && { among }) };
}

const MAX_EVIDENCE_LENGTH = 400;

/** Removes API keys from the evidence and the value of a finding: a service or proxy can echo the one of a request. */
export function redactEvidence(finding: Finding, key: string): Finding {
  const redact = (text: string): string => redactKeys(text.replaceAll(key, REDACTED));
  const redacted = { ...finding, evidence: redact(finding.evidence) };
  // A template can have text of a response.
  return redacted.state === 'found'
    ? { ...redacted, value: JSON.parse(redact(JSON.stringify(redacted.value))) as Profile[ProfileSetting] }
    : redacted;
}

/** Truncates the evidence of a finding: a response can put a megabyte into it. */
export function shorten(finding: Finding): Finding {
  const { evidence } = finding;
  const isShort = evidence.length <= MAX_EVIDENCE_LENGTH;
  return isShort ? finding : { ...finding, evidence: `${evidence.slice(0, MAX_EVIDENCE_LENGTH)}…` };
}

/**
 * The error of an experiment without a result. Its message is the evidence of each setting of the experiment.
 */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive';
}

/** The error of a request without a usable response. It makes the run incomplete. */
export class NoResponse extends Inconclusive {
  override readonly name = 'NoResponse';
}

/**
 * Returns the reason for an experiment without a result.
 *
 * @throws {unknown} any other error, and `NoResponse`, because a missing response makes the run incomplete.
 */
export function explainInconclusive(error: unknown): string {
  if (!(error instanceof Inconclusive) || error instanceof NoResponse) throw error;
  return error.message;
}

/** Measures a setting. Without a result, it is `unknown`. */
export async function measureSetting(
  setting: ProfileSetting,
  measure: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await measure();
  } catch (error) {
    return unknown(setting, explainInconclusive(error));
  }
}
