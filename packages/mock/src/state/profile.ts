import { type Fields, isRecord, oneOf, redactKeys } from '@service/internal';
import { type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import { statuses } from '../domain/status.ts';
import { SandboxError } from './sandbox-error.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const MAX_SHOWN_NAMES = 3;

const fields: Fields = {
  ...Object.fromEntries(Object.entries(profileSettings).map(([name, values]) => [name, oneOf(...values)])),
  events: {
    expected: `a list of any of ${statuses.join(', ')}`,
    parse: (value) => (isStatusList(value) ? value : undefined),
  },
  deprecation: {
    expected: "'none' or { deprecated, sunset, link? } with ISO 8601 times",
    parse: (value) => (value === 'none' || isDeprecation(value) ? value : undefined),
  },
};

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
  const choice = upgradeProfile(stored);
  const problems = Object.entries(fields)
    .filter(([name, { parse }]) => choice[name] !== undefined && parse(choice[name]) === undefined)
    .map(([name, { expected }]) => `profile ${name} must be ${expected}`);
  const unknown = Object.keys(choice).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length === 0) return problems;
  const shown = unknown.slice(0, MAX_SHOWN_NAMES).map((name) => redactKeys(name).slice(0, 64));
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : '';
  const known = Object.keys(fields).toSorted().join(', ');
  return [...problems, `profile has no setting ${shown.join(', ')}${more}; there are ${known}`];
}

function isStatusList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => statuses.some((status) => status === item));
}

function isDeprecation(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { deprecated, sunset, link, ...unknown } = value;
  const hasTimes = [deprecated, sunset].every(
    (time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)),
  );
  return hasTimes && (link === undefined || typeof link === 'string') && Object.keys(unknown).length === 0;
}
