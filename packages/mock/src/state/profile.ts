import { isRecord } from '@service/internal';
import { type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import { type Status, statuses } from '../domain/status.ts';
import { SandboxError } from './sandbox-error.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const MAX_SHOWN_NAMES = 3;

/** A check of one setting, and the allowed values in error messages. */
interface Setting {
  readonly allowed: string;
  readonly isValid: (value: unknown) => boolean;
}

const settings: Readonly<Record<string, Setting>> = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]: [string, readonly (string | number)[]]) => [
      name,
      {
        allowed: values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' or '),
        isValid: (value: unknown) => values.some((each) => each === value),
      },
    ]),
  ),
  events: {
    allowed: `a list of any of ${statuses.join(', ')}`,
    isValid: (value) => Array.isArray(value) && value.every((each) => statuses.includes(each as Status)),
  },
  deprecation: {
    allowed: "'none' or { deprecated, sunset, link? } with ISO 8601 times",
    isValid: (value) => value === 'none' || isDeprecation(value),
  },
};

function isDeprecation(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { deprecated, sunset, link = '', ...others } = value;
  return isTime(deprecated) && isTime(sunset) && typeof link === 'string' && Object.keys(others).length === 0;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value));
}

/**
 * Applies a choice of settings to a profile.
 *
 * @throws {SandboxError} that names each invalid setting
 */
export function readProfile(where: string, stored: ProfileChoice, otherwise: Profile): Profile {
  const problems = findProblems(stored);
  if (problems.length > 0) throw new SandboxError('invalid_argument', `${where}: ${problems.join('; ')}.`);
  const chosen = Object.entries(upgradeProfile(stored)).filter(([, value]) => value !== undefined);
  return { ...otherwise, ...structuredClone(Object.fromEntries(chosen) as ProfileChoice) };
}

/** Returns one sentence for each invalid setting of a choice. */
export function findProblems(stored: unknown): string[] {
  if (!isRecord(stored)) return ['profile must be an object of settings'];
  const choice = Object.entries(upgradeProfile(stored));
  const unknownNames = choice.map(([name]) => name).filter((name) => !Object.hasOwn(settings, name));
  const shown = unknownNames.slice(0, MAX_SHOWN_NAMES).map((name) => name.slice(0, 64));
  const more = unknownNames.length > shown.length ? ` and ${unknownNames.length - shown.length} more` : '';
  const known = Object.keys(settings).toSorted().join(', ');
  return [
    ...choice.flatMap(([name, value]) => {
      const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
      if (setting === undefined || value === undefined || setting.isValid(value)) return [];
      return [`profile ${name} must be ${setting.allowed}`];
    }),
    ...(unknownNames.length > 0
      ? [`profile has no setting ${shown.join(', ')}${more}; there are ${known}`]
      : []),
  ];
}
