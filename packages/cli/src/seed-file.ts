import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isRecord, runClock } from '@service/internal';
import type { SandboxSeed, SeedAccount } from '@service/mock';
import { findSeedFile, loadSeedFile } from '@service/mock/seed-file';
import { toCliMessage, toMessage, UsageError } from './errors.ts';
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
export function findSeed(
  { environment: { cwd = '', env } }: Session,
  given: string | undefined,
  overrides: SeedOverrides,
): SeedReader {
  const path = given ?? findSeedFile(cwd);
  return { path, read: () => override(path === undefined ? {} : loadSeedFile(path, { env }), overrides) };
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

/** The seed file of a running mock. */
export interface WatchOptions {
  readonly file: SeedReader;
  /** The seed of the running mock. */
  readonly seed: SandboxSeed;
  /** Loads a changed seed into the mock. */
  readonly load: (seed: SandboxSeed) => Promise<void>;
}

/**
 * Loads the seed file after each change, until the run is interrupted. An invalid or empty file changes nothing.
 *
 * @throws {UsageError} when its folder cannot be watched
 */
export function watchSeed(session: Session, { file, seed, load }: WatchOptions): void {
  const { path = '', read } = file;
  const { output } = session;
  let latest = JSON.stringify(seed);
  watchFile(session, path, async () => {
    try {
      // An editor empties a file before it writes it: that is not a seed without accounts.
      if (readFileSync(path).length === 0) return output.note(`${path} is empty, so it was not loaded.`);
      const changed = read();
      if (JSON.stringify(changed) === latest) return;
      latest = JSON.stringify(changed);
      await load(changed);
      output.note(`Reloaded ${path}. The sandbox was reset to it.`);
    } catch (error) {
      latest = '';
      output.note(...toCliMessage(toMessage(error)).split('\n'), 'The sandbox keeps its state.');
    }
  });
}

/** Watches the folder of a file, because editors replace files. `onChange` is not called again before it ends. */
function watchFile({ environment, output }: Session, path: string, onChange: () => Promise<void>): void {
  const { signal, clock = runClock } = environment;
  let hasChanged = false;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (hasChanged && !signal.aborted) {
      hasChanged = false;
      await clock.sleep(SETTLE, signal);
      if (!hasChanged && !signal.aborted) await onChange();
    }
    isRunning = false;
  };
  try {
    const watcher = watch(dirname(path), { signal }, (_, name) => {
      if (name !== null && name !== basename(path)) return;
      hasChanged = true;
      if (!isRunning) void run();
    });
    watcher.on('error', ({ message }) => output.note(`warning: ${path} is not watched: ${message}`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`Cannot watch ${JSON.stringify(path)}: ${String(code)}.`);
  }
}
