import * as z from 'zod/mini';
import { type Profile, profileSettings, upgradeProfile } from '../domain/profile.ts';
import { statuses } from '../domain/status.ts';
import { SandboxError } from './sandbox-error.ts';

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const isTime = (value: unknown): boolean => typeof value === 'string' && Number.isFinite(Date.parse(value));
const time = z.custom(isTime, 'must be an ISO 8601 time');
const events = z.array(z.enum(statuses));
const deprecation = z.union([
  z.literal('none'),
  z.strictObject({ deprecated: time, sunset: time, link: z.optional(z.string()) }),
]);

const schema = z.strictObject({
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, z.optional(z.literal([...values]))]),
  ),
  events: z.optional(events),
  deprecation: z.optional(deprecation),
});

/**
 * Applies a choice of settings to a profile.
 *
 * @throws {SandboxError} that names each invalid setting
 */
export function readProfile(where: string, stored: ProfileChoice, otherwise: Profile): Profile {
  const choice = isObject(stored) ? upgradeProfile(stored) : stored;
  const problems = findProblems(choice);
  if (problems.length > 0) throw new SandboxError('invalid_argument', `${where}: ${problems.join('; ')}.`);
  const chosen = Object.entries(choice).filter(([, value]) => value !== undefined);
  return { ...otherwise, ...structuredClone(Object.fromEntries(chosen) as ProfileChoice) };
}

/** Returns one sentence for each invalid setting of a choice. */
export function findProblems(stored: unknown): string[] {
  const parsed = schema.safeParse(isObject(stored) ? upgradeProfile(stored) : stored);
  return parsed.success ? [] : parsed.error.issues.map(explainIssue);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

interface Issue {
  readonly code?: string;
  readonly path: PropertyKey[];
  readonly keys?: unknown;
}

function explainIssue({ code, path, keys }: Issue): string {
  const [name] = path;
  if (name !== undefined) return `profile ${String(name)} must be ${formatAllowedValues(String(name))}`;
  if (code !== 'unrecognized_keys' || !Array.isArray(keys)) return 'profile must be an object of settings';
  const names = [...Object.keys(profileSettings), 'events', 'deprecation'];
  return `profile has no setting ${keys.join(', ')}; there are ${names.toSorted().join(', ')}`;
}

function formatAllowedValues(name: string): string {
  if (name === 'events') return `a list of any of ${statuses.join(', ')}`;
  if (name === 'deprecation') return "'none' or { deprecated, sunset, link? } with ISO 8601 times";
  const values: readonly (string | number)[] = profileSettings[name as keyof typeof profileSettings];
  return values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' or ');
}
