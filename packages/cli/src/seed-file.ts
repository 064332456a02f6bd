import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxSeed } from '@service/mock';
import { configure } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Reads the seed file: the given path, or the file in the working directory. Without one, the seed is empty.
 *
 * @throws {UsageError} when the file cannot be read or parsed, or there are two
 */
export async function findSeed(
  { cwd = '', env }: Session,
  given: string | undefined,
): Promise<{ readonly path: string | undefined; readonly seed: SandboxSeed }> {
  // Loaded for a file only: the YAML parser takes a tenth of the start of `mock`.
  const hasFile = ['yaml', 'json'].some((type) => existsSync(join(cwd, `service.sandbox.${type}`)));
  if (given === undefined && !hasFile) return { path: undefined, seed: {} };
  const { findSeedFile, loadSeedFile } = await import('@service/mock/seed-file');
  return configure(() => {
    const path = given ?? findSeedFile(cwd) ?? '';
    return { path, seed: loadSeedFile(path, { env }) };
  }, given && '--seed-file');
}
