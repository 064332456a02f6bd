import { access, realpath, rename, rm, writeFile } from 'node:fs/promises';
import type { JsonObject } from '@service/internal';
import { createMock, SandboxError } from '@service/mock';
import { type Exchange, type ExtendedProfile, extendProfile, learnProfile } from '@service/probe/node';
import { UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import type { Session } from '../session.ts';

/**
 * Reads the profile to extend. A file that does not exist is an empty profile.
 *
 * @throws {UsageError} when the file cannot be read, or has settings that no profile has.
 */
export async function readProfile(path: string | undefined, session: Session): Promise<JsonObject> {
  if (path === undefined) return {};
  const isMissing = await access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  if (isMissing) return {};
  const profile = await readProfileFile(path, session);
  const problem = findProblem(profile);
  if (problem !== undefined) throw new UsageError(`--profile: ${problem}`);
  return profile;
}

/** A profile with the settings of a recording, and the learned settings that no mock can play. */
export interface LearnedProfile extends ExtendedProfile {
  /** The names of the settings, with the reason. */
  readonly unusable: readonly string[];
}

/** Adds the settings that exchanges show to a profile. The mock checks them. */
export function learnInto(profile: JsonObject, exchanges: readonly Exchange[]): LearnedProfile {
  const unusable: string[] = [];
  const findings = learnProfile(exchanges).filter((finding) => {
    if (!('value' in finding)) return false;
    const { setting, value } = finding;
    const problem = findProblem({ [setting]: value });
    if (problem !== undefined) unusable.push(`${setting}: ${problem}`);
    return problem === undefined;
  });
  return { ...extendProfile(profile, findings), unusable };
}

function findProblem(profile: JsonObject): string | undefined {
  try {
    createMock({ profile });
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}

/**
 * Replaces the profile as a whole, so that an interrupted write leaves the earlier file.
 *
 * @throws {UsageError} when the file cannot be written.
 */
export async function writeProfile(path: string, profile: JsonObject): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(profile, null, 2)}\n`, { flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--profile: ${JSON.stringify(path)} cannot be written: ${code}.`);
  }
}
