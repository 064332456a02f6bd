import type { Profile } from '@service/mock';

/** Names a setting of the profile: something that the service's document leaves open (contract.md 8). */
export type Setting = keyof Profile;

/**
 * Says what was found out of one setting. `found`: the service does as this value says. `other`: it does something that no
 * value of the setting describes. `unknown`: it could not be told; `among` lists the values that are left, where some are out.
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

/** Makes the finding of a setting whose value shows in what was seen. */
export function found<Name extends Setting>(setting: Name, value: Profile[Name], evidence: string): Finding {
  return { setting, state: 'found', value, evidence };
}

/** Makes the finding of a setting for which the service has a way of its own. */
export function other(setting: Setting, evidence: string): Finding {
  return { setting, state: 'other', evidence };
}

/** Makes the finding of a setting that could not be told, and why. */
export function unknown<Name extends Setting>(
  setting: Name,
  evidence: string,
  among?: readonly Profile[Name][],
): Finding {
  return { setting, state: 'unknown', evidence, ...(among && { among }) };
}

const MOST_EVIDENCE = 400;

/** Cuts the evidence of a finding to what a person reads: an answer can put a megabyte into it. */
export function shorten(finding: Finding): Finding {
  const { evidence } = finding;
  const isShort = evidence.length <= MOST_EVIDENCE;
  return isShort ? finding : { ...finding, evidence: `${evidence.slice(0, MOST_EVIDENCE)}…` };
}

/** Says that an experiment came to nothing; its text is the evidence of all that it was to tell. */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive';
}

/** Says that no answer came that could be read. */
export class NoAnswer extends Inconclusive {
  override readonly name = 'NoAnswer';
}
