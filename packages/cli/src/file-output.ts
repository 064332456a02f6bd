import { access, constants, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from './errors.ts';

/**
 * Checks the folder of an output file, before the first request.
 *
 * @throws {UsageError} when it is not writable.
 */
export async function checkFolder(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(
      `${option}: the folder ${JSON.stringify(folder)} does not exist or is not writable.`,
    );
  });
}

/** @throws {UsageError} when the file cannot be written. */
export async function writeReport(option: string, path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`${option}: ${JSON.stringify(path)} cannot be written: ${code}.`);
  }
}
