import type { Profile } from '@service/mock';

/** A profile setting: a behavior that the service's document leaves open. */
export type Setting = keyof Profile;

/**
 * The result for one setting. `found`: the service behaves as `value` describes. `other`: no value of the
 * setting describes the service. `unknown`: not measured; `among` lists the values that remain possible.
 */
export type Finding =
  | { readonly setting: Setting; readonly state: 'found'; readonly value: unknown; readonly evidence: string }
  | { readonly setting: Setting; readonly state: 'other'; readonly evidence: string }
  | {
      readonly setting: Setting;
      readonly state: 'unknown';
      readonly evidence: string;
      readonly among?: readonly unknown[];
    };

/** Creates the finding of a setting whose value was measured. */
export function found<Name extends Setting>(setting: Name, value: Profile[Name], evidence: string): Finding {
  return { setting, state: 'found', value, evidence };
}

/** Creates the finding of a setting that no profile value describes. */
export function other(setting: Setting, evidence: string): Finding {
  return { setting, state: 'other', evidence };
}

/** Creates the finding of a setting that was not measured; the evidence is the reason. */
export function unknown<Name extends Setting>(
  setting: Name,
  evidence: string,
  among?: readonly Profile[Name][],
): Finding {
  return { setting, state: 'unknown', evidence, ...(among && { among }) };
}

const MAX_EVIDENCE_LENGTH = 400;

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
