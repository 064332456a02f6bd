import { isRecord } from '@service/internal';
import { compareProfile } from '../compare.ts';
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
 * contradicts it; of settings with fields, such as the refusals, each field.
 */
export function extendProfile(
  profile: Record<string, unknown>,
  findings: readonly Finding[],
): ExtendedProfile {
  const extended: Record<string, unknown> = { ...profile };
  const added: ProfileEntry[] = [];
  const contradictions: Contradiction[] = [];
  for (const finding of findings) {
    if (!('value' in finding) || JSON.stringify(finding.value) === '{}') continue;
    const { setting, value, evidence } = finding;
    const kept = profile[setting];
    const [difference] = kept === undefined ? [] : compareProfile([finding], profile).differences;
    if (difference)
      contradictions.push({ name: setting, value, kept, evidence: difference.details.join('; ') });
    if (kept === undefined) added.push({ name: setting, value, evidence });
    const hasFields =
      finding.proven !== undefined && isRecord(value) && (kept === undefined || isRecord(kept));
    if (!hasFields) extended[setting] = kept ?? value;
    else {
      const known = isRecord(kept) ? kept : {};
      extended[setting] = { ...value, ...known };
      if (kept !== undefined)
        for (const [name, part] of Object.entries(value))
          if (!(name in known)) added.push({ name: `${setting}.${name}`, value: part, evidence });
    }
  }
  return { profile: extended, added, contradictions };
}
