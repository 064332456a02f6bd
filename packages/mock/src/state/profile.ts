import { isRecord } from '@service/internal';
import { type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import {
  anyOf,
  choiceOf,
  listOf,
  object,
  oneOf,
  optional,
  text,
  type Value,
  type ValueFields,
} from '../domain/schema.ts';
import { statuses } from '../domain/status.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const dates = object<object>({ deprecated: text(), sunset: text(), link: optional(text()) });

/** The schema of each setting. */
export const settings: ValueFields = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, oneOf<string | number>(values)]),
  ),
  events: { ...listOf(oneOf(statuses)), expected: `a list of any of ${statuses.join(', ')}` },
  deprecation: {
    ...anyOf(oneOf(['none']), dates),
    expected: "'none' or { deprecated, sunset, link? } with ISO 8601 times",
    parse: (value) => (value === 'none' || isDeprecation(value) ? value : undefined),
  },
};

const choice = choiceOf<ProfileChoice>(settings);

/** Settings of a profile, also in the spelling of an earlier version. */
export const profileChoice: Value<ProfileChoice> = {
  ...choice,
  expected: 'an object of settings',
  parse: (value) => choice.parse(isRecord(value) ? upgradeProfile(value) : value),
  findProblems: (value, name) =>
    choice.findProblems?.(isRecord(value) ? upgradeProfile(value) : value, name) ?? [],
};

/** Applies a choice of settings to a profile. */
export function applyChoice(profile: Profile, chosen: ProfileChoice): Profile {
  const given = Object.entries(upgradeProfile(chosen)).filter(([, value]) => value !== undefined);
  return { ...profile, ...structuredClone(Object.fromEntries(given) as ProfileChoice) };
}

function isDeprecation(value: unknown): boolean {
  if (!isRecord(value) || dates.parse(value) === undefined) return false;
  const { deprecated, sunset, link: _, ...unknown } = value;
  const hasTimes = [deprecated, sunset].every((time) => !Number.isNaN(Date.parse(String(time))));
  return hasTimes && Object.keys(unknown).length === 0;
}
