import { existsSync, readFileSync } from 'node:fs';
import { readFile, watch } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRecord } from '@service/internal';
import type { SandboxSeed, SeedAccount } from '@service/mock';
import { toCliMessage, toMessage } from './errors.ts';
import type { Session } from './session.ts';

/** The options of `mock` that change the first account of a seed. */
export interface SeedOverrides {
  readonly balance?: Readonly<Record<string, string>> | undefined;
  readonly webhookUrl?: string | undefined;
}

/** A source of seeds: a seed file, or nothing. */
export interface SeedReader {
  /** Undefined without a seed file. */
  readonly path: string | undefined;
  /**
   * Reads the seed, with the options that override it.
   *
   * @throws {SandboxError} when the file cannot be read or parsed
   */
  readonly read: () => SandboxSeed;
}

/**
 * Finds the seed file: the given path, or the file in the working directory.
 *
 * @throws {SandboxError} when there are two files
 */
export async function findSeed(
  { cwd = '', env }: Session,
  given: string | undefined,
  overrides: SeedOverrides,
): Promise<SeedReader> {
  // Loaded for a file only: the YAML parser takes a tenth of the start of `mock`.
  const hasFile = ['yaml', 'json'].some((type) => existsSync(join(cwd, `service.sandbox.${type}`)));
  const files = given === undefined && !hasFile ? undefined : await import('@service/mock/seed-file');
  const path = given ?? files?.findSeedFile(cwd);
  return {
    path,
    read: () => override((path !== undefined && files?.loadSeedFile(path, { env })) || {}, overrides),
  };
}

/** Changes the first account. An invalid one remains, so that its own problems are reported. */
function override(seed: SandboxSeed, { balance, webhookUrl }: SeedOverrides): SandboxSeed {
  const { accounts = [{ name: 'default' }] } = seed;
  const [first, ...others] = Array.isArray(accounts) ? (accounts as readonly SeedAccount[]) : [];
  const isOverridden = balance !== undefined || webhookUrl !== undefined;
  if (!isOverridden || !isRecord(first)) return seed;
  const { endpoint } = first;
  const changed = {
    ...first,
    ...(balance !== undefined && { balances: balance }),
    ...(webhookUrl !== undefined && { endpoint: { ...(isRecord(endpoint) && endpoint), url: webhookUrl } }),
  };
  return { ...seed, accounts: [changed, ...others] };
}

/** Minimum time between a change of the file and its read, in milliseconds: an editor can write in several steps. */
const SETTLE = 50;

/**
 * Loads the seed file after each change of its text, until the run is interrupted. An invalid or empty file changes
 * nothing. Never rejects.
 *
 * @param load Loads a changed seed into the mock.
 */
export async function watchSeed(
  { signal, clock, output }: Session,
  { path = '', read }: SeedReader,
  load: (seed: SandboxSeed) => Promise<void>,
): Promise<void> {
  let last = readFileSync(path, 'utf8');
  try {
    // The folder, because editors replace files.
    for await (const { filename } of watch(dirname(path), { signal })) {
      if (filename !== null && filename !== basename(path)) continue;
      await clock.sleep(SETTLE, signal);
      const text = await readFile(path, 'utf8').catch(() => last);
      if (text === last || signal.aborted) continue;
      last = text;
      try {
        // An editor empties a file before it writes it: that is not a seed without accounts.
        if (text === '') output.note(`${path} is empty, so it was not loaded.`);
        else {
          await load(read());
          output.note(`Reloaded ${path}. The sandbox was reset to it.`);
        }
      } catch (error) {
        output.note(...toCliMessage(toMessage(error)).split('\n'), 'The sandbox keeps its state.');
      }
    }
  } catch (error) {
    if (!signal.aborted) output.note(`warning: ${path} is not watched: ${toMessage(error)}`);
  }
}
