import { isRecord, readFieldText, writeFieldText } from '@service/internal';
import { compareProfile, type ProfileDifference } from '../compare.ts';
import type { Finding } from '../finding.ts';

/** A profile with the settings of a recording. */
export interface ExtendedProfile {
  /** All settings: the earlier ones, which did not change, and the added ones. */
  readonly profile: Record<string, unknown>;
  /** The settings that the profile did not have, or some of whose fields. */
  readonly added: readonly Finding[];
  /** The settings of the profile that differ from the traffic. */
  readonly differences: readonly ProfileDifference[];
}

/**
 * Adds the findings of a recording to a profile. A setting that the profile has stays, and is reported if the recording
 * contradicts it; of settings with fields, such as the refusals, each field.
 */
export function extendProfile(
  profile: Record<string, unknown>,
  findings: readonly Finding[],
): ExtendedProfile {
  const known = findings.filter((finding) => 'value' in finding && JSON.stringify(finding.value) !== '{}');
  const extended: Record<string, unknown> = { ...profile };
  for (const finding of known) extended[finding.setting] = extend(profile[finding.setting], finding);
  return {
    profile: extended,
    added: known.filter(
      ({ setting }) => JSON.stringify(extended[setting]) !== JSON.stringify(profile[setting]),
    ),
    differences: compareProfile(known, profile).differences,
  };
}

/** Returns the value of a profile with the fields of a finding that it lacks. */
function extend(kept: unknown, finding: Finding): unknown {
  const value = 'value' in finding ? finding.value : undefined;
  const known = readFieldText(kept) ?? kept;
  const hasFields = 'proven' in finding && isRecord(value) && isRecord(known);
  if (!hasFields) return kept ?? value;
  const merged = { ...known, ...value, ...known };
  return known === kept ? merged : writeFieldText(merged);
}
