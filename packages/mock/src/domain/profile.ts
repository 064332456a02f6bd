import type { NamedProfile, ProfileChoice } from '../generated/profile.ts';
import * as s from './schema.ts';
import { type Setting, settingRows, type settings, type SettingWithSchemas } from './settings.ts';

export type { NamedProfile, ProfileChoice };

type Rows = typeof settings;
type FieldValues<Row> = Row extends { readonly fields: infer Fields }
  ? { readonly [Name in keyof Fields]: Loaded<Fields[Name]> }
  : never;
/** The value of a setting in the mock: an example in place of its name, and all fields. */
type Loaded<Row> =
  Row extends Setting<infer Value, infer _>
    ? Value
    : Row extends readonly (infer Value)[]
      ? Value
      : FieldValues<Row>;

/** A loaded profile: one value for each question that the service's document leaves open, with examples in place of their names. */
export type Profile = { readonly [Name in keyof Rows]: Loaded<Rows[Name]> };

/** The settings for money and statuses, and the forms of values. A payment keeps the values from its create. */
export type Terms = Pick<
  Profile,
  | 'minorUnits'
  | 'rounding'
  | 'fees'
  | 'rates'
  | 'debitAt'
  | 'refund'
  | 'statuses'
  | 'outcomes'
  | 'absent'
  | 'numbers'
  | 'timestamps'
>;

const rows: readonly [name: string, setting: SettingWithSchemas][] = Object.entries(settingRows);

/** The default value of every setting, as the mock uses it. */
export const defaultProfile: Profile = Object.freeze(
  Object.fromEntries(rows.map(([name, { fallback }]) => [name, fallback])),
) as Profile;

/** The default value of every setting. */
export const namedDefaults: NamedProfile = Object.freeze(nameExamples(defaultProfile));

/** The schema of each setting. */
export const settingSchemas: s.Fields = Object.fromEntries(rows.map(([name, { schema }]) => [name, schema]));

/** Settings of a profile. */
export const profileChoice: s.Schema<ProfileChoice> = s.keep(
  s.choiceOf(settingSchemas, {}, { expected: 'an object of settings', title: 'ProfileSettings' }),
);

/** Applies a choice of settings to a profile. Examples take the place of their names. */
export function applyChoice(profile: Profile, chosen: ProfileChoice): Profile {
  const changes = Object.entries(structuredClone(chosen)).flatMap(([name, given]) => {
    const setting = settingRows[name];
    const known = setting?.named?.[given as string];
    const value = known ?? setting?.complete?.(given, profile[name as keyof Profile]) ?? given;
    return given === undefined ? [] : [[name, value]];
  });
  return { ...profile, ...Object.fromEntries(changes) };
}

/** Writes the names of examples in place of those that have one. */
export function nameExamples(profile: Profile): NamedProfile {
  const shown = Object.entries(profile).map(([name, value]) => {
    const text = JSON.stringify(value);
    const named = Object.entries(settingRows[name]?.named ?? {});
    return [name, named.find(([, known]) => JSON.stringify(known) === text)?.[0] ?? value];
  });
  return Object.fromEntries(shown) as NamedProfile;
}
