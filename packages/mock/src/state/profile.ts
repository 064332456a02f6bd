import { dropHeaders, isRecord, type JsonObject } from '@service/internal';
import { defaultProfile, type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import {
  anything,
  choiceOf,
  type Fields,
  keep,
  listOf,
  nameOr,
  oneOf,
  parseAs,
  type Schema,
  text,
} from '../domain/schema.ts';
import { statuses } from '../domain/status.ts';
import { templateSettings } from './profile-templates.ts';
import { time } from '../domain/time.ts';
import { behaviorFields } from './profile-behavior.ts';
import { moneyFields } from './profile-money.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const link = text('a URL or a path of visible ASCII characters without < and >', { pattern: '^[!-;=?-~]+$' });
const dates = choiceOf<object>({ link }, { deprecated: time, sunset: time });

/** The schema of each setting. */
export const settings: Fields = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, oneOf<string | number>(values)]),
  ),
  ...behaviorFields,
  ...moneyFields,
  events: listOf(oneOf(statuses), `a list of any of ${statuses.join(', ')}`),
  ...templateSettings,
  deprecation: nameOr(['none'], dates, '{ deprecated, sunset, link? } with ISO 8601 times with an offset'),
};

/** Settings of a profile, also in the spelling of an earlier version. */
export const profileChoice: Schema<ProfileChoice> = keep(
  choiceOf(settings, {}, { expected: 'an object of settings', title: 'ProfileSettings' }),
  (value) => (isRecord(value) ? upgradeProfile(value) : value),
);

/** Completes a stored profile. Leaves out headers and settings that this release refuses, and names them. */
export function repairProfile(stored: object): {
  readonly profile: Profile;
  readonly dropped: readonly string[];
} {
  const { profile, dropped } = dropHeaders(upgradeProfile(stored) as JsonObject);
  const given = Object.entries(profile);
  const invalid = given.flatMap(([name, value]) =>
    Object.hasOwn(settings, name) && parseAs(settings[name] ?? anything, value) === undefined ? [name] : [],
  );
  const kept = Object.fromEntries(given.filter(([name]) => !invalid.includes(name)));
  return { profile: { ...defaultProfile, ...kept }, dropped: [...dropped, ...invalid] };
}

/** Applies a choice of settings to a profile. */
export function applyChoice(profile: Profile, chosen: ProfileChoice): Profile {
  const given = Object.entries(upgradeProfile(chosen)).filter(([, value]) => value !== undefined);
  return { ...profile, ...structuredClone(Object.fromEntries(given) as ProfileChoice) };
}
