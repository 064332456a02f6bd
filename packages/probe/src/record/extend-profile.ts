import { isRecord } from '@service/internal';
import { compareProfile, hasParts } from '../compare.ts';
import type { Finding } from '../finding.ts';

/** A setting, or a part of one such as `refusals.rate_limit`, and the traffic that shows it. */
export interface ProfileEntry {
  /** The setting and its part, such as `refusals.rate_limit`. */
  readonly name: string;
  /** The value that the traffic shows. */
  readonly value: unknown;
  /** The observation behind the value. */
  readonly evidence: string;
}

/** A part of a profile that the traffic contradicts. The profile keeps its value. */
export interface Contradiction extends ProfileEntry {
  /** The value in the profile. */
  readonly kept: unknown;
}

/** A profile with the settings of a recording. */
export interface ExtendedProfile {
  /** All settings: the earlier ones, which did not change, and the added ones. */
  readonly profile: Record<string, unknown>;
  /** The settings that the profile did not have. */
  readonly added: readonly ProfileEntry[];
  /** The settings of the profile that differ from the traffic. */
  readonly contradictions: readonly Contradiction[];
}

/**
 * Adds the findings of a recording to a profile. A setting that the profile has stays, and is reported if the recording
 * contradicts it; of settings with parts, such as the refusals, each part.
 */
export function extendProfile(
  profile: Record<string, unknown>,
  findings: readonly Finding[],
): ExtendedProfile {
  const extended: Record<string, unknown> = { ...profile };
  const added: ProfileEntry[] = [];
  const contradictions: Contradiction[] = [];
  const compare = (finding: Finding, name: string, [kept, value]: readonly [unknown, unknown]): void => {
    const { setting, evidence } = finding;
    if (kept === undefined) added.push({ name, value, evidence });
    else if (compareProfile([finding], { [setting]: profile[setting] }).differences.length > 0)
      contradictions.push({ name, value, kept, evidence });
  };
  for (const finding of findings) {
    if (!('value' in finding) || isEmpty(finding.value)) continue;
    const { setting, value, state } = finding;
    const kept = profile[setting];
    if (!hasParts(setting, value) || !isRecord(kept)) {
      // A value that is only partly explained contradicts nothing.
      if (kept === undefined || state === 'found') compare(finding, setting, [kept, value]);
      extended[setting] = kept ?? value;
      continue;
    }
    extended[setting] = { ...value, ...kept };
    for (const [name, part] of Object.entries(value)) {
      const own = { ...finding, value: { [name]: part } } as Finding;
      compare(own, `${setting}.${name}`, [kept[name], part]);
    }
  }
  return { profile: extended, added, contradictions };
}

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
