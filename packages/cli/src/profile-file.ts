import { readText } from './input.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Holds settings of a profile by their names, as a file has them. */
export type ProfileFile = Readonly<Record<string, unknown>>;

/** Reads a file with settings of a profile, or standard input for `-`. Throws UsageError when it holds no JSON object. */
export async function readProfileFile(path: string, session: Session): Promise<ProfileFile> {
  const text = await readText(path, session);
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return { ...settings };
  } catch {
    // It is refused below, as any other text that is no object.
  }
  throw new UsageError(
    `${JSON.stringify(path)} must hold a JSON object of settings, such as {"createStatus": 200}.`,
  );
}
