import { isRecord, type JsonObject } from '@service/internal';
import { type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import { anyOf, choiceOf, listOf, object, oneOf, optional, text } from '../domain/schema.ts';
import type { Value, ValueFields } from '../domain/value.ts';
import { statuses } from '../domain/status.ts';
import { templateSettings } from './profile-templates.ts';
import { time } from '../domain/time.ts';
import { behaviorFields } from './profile-behavior.ts';
import { moneyFields } from './profile-money.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const dates = object<object>({ deprecated: time, sunset: time, link: optional(text()) });

/** The schema of each setting. */
export const settings: ValueFields = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, oneOf<string | number>(values)]),
  ),
  ...behaviorFields,
  ...moneyFields,
  events: { ...listOf(oneOf(statuses)), expected: `a list of any of ${statuses.join(', ')}` },
  ...templateSettings,
  deprecation: {
    ...anyOf(oneOf(['none']), dates),
    expected: "'none' or { deprecated, sunset, link? } with ISO 8601 times with an offset",
    parse: (value) => (value === 'none' || isDeprecation(value) ? value : undefined),
    explain: (value) => (isRecord(value) ? explainDates(value) : undefined),
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
  const { deprecated: _, sunset: __, link: ___, ...unknown } = value;
  return Object.keys(unknown).length === 0;
}

/** Explains the first date that is not a time. */
function explainDates(given: JsonObject): string | undefined {
  for (const name of ['deprecated', 'sunset']) {
    const reason = time.explain?.(given[name]);
    if (time.parse(given[name]) === undefined && reason !== undefined) return `in ${name}, ${reason}`;
  }
  return undefined;
}
