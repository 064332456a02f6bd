import { upgradeProfile } from '@service/mock';
import { readText } from './input.ts';
import { type Fields, parseObject } from './json.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Holds settings of a profile by their names, as a file has them. */
export type ProfileFile = Fields;

/** Reads a file with settings of a profile, or standard input for `-`. Throws UsageError when it holds no JSON object. */
export async function readProfileFile(path: string, session: Session): Promise<ProfileFile> {
  const settings = parseObject(await readText(path, session));
  if (settings !== undefined) return upgradeProfile(settings);
  throw new UsageError(
    `${JSON.stringify(path)} must hold a JSON object of settings, such as {"createStatus": 200}.`,
  );
}
