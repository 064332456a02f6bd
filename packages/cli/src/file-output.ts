import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from './errors.ts';

/**
 * Checks the place of an output file, before the first request.
 *
 * @throws {UsageError} when it is a folder, or its folder is not writable.
 */
export async function checkFolder(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new UsageError(`${option}: ${JSON.stringify(path)} is a folder. Name a file.`);
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(
      `${option}: the folder ${JSON.stringify(folder)} does not exist or is not writable.`,
    );
  });
}

/** @throws {UsageError} when the file cannot be written. */
export async function writeReport(option: string, path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${option}: ${JSON.stringify(path)} cannot be written: ${error.code ?? 'unknown error'}.`,
    );
  });
}
