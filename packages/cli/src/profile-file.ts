import { type JsonObject, parseRecord } from '@service/internal';
import { upgradeProfile } from '@service/mock';
import { UsageError } from './errors.ts';
import { readText } from './input.ts';
import type { Session } from './session.ts';

/** The profile settings in a file, by name. */
export type ProfileFile = JsonObject;

/**
 * Reads profile settings from a file, or from standard input for `-`.
 *
 * @throws {UsageError} when the file cannot be read or is not a JSON object.
 */
export async function readProfileFile(path: string, session: Session): Promise<ProfileFile> {
  const settings = parseRecord(await readText(path, session));
  if (settings !== undefined) return upgradeProfile(settings);
  throw new UsageError(
    `${JSON.stringify(path)} must be a JSON object of settings, such as {"createStatus": 200}.`,
  );
}
