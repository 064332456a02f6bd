import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError, ServiceError } from '@service/sdk';
import type { Intent, IntentStore } from '@service/sdk/payer';
import type { SqliteStore } from '@service/sdk/payer/sqlite';
import { toMessage, UsageError } from '../errors.ts';
import { STDIN } from '../input.ts';
import { checkFolder } from '../output.ts';
import type { Session } from '../session.ts';

/** The place of a store. */
export interface StorePlace {
  /** The absolute path. */
  readonly name: string;
  readonly exists: boolean;
  /**
   * Opens the store. Creates a file that does not exist.
   *
   * @throws {ConfigurationError} when it cannot be used.
   */
  readonly open: () => Promise<SqliteStore>;
}

/**
 * Finds the store of a run: `--store`, else a SQLite file beside the payment file.
 *
 * @throws {UsageError} when there is none, or its folder is not writable.
 */
export async function findStore(
  { cwd = '' }: Session,
  { store, file: path }: { readonly store?: string | undefined; readonly file: string },
): Promise<StorePlace> {
  const file = isStream(path, cwd) ? undefined : findSource(path, cwd);
  const given = store ?? (file && `${file}.payments.db`);
  if (given === undefined)
    throw new UsageError(
      '--store is required without the path of a payment file: stdin and pipes have none.',
    );
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given))
    throw new UsageError('--store must be the path of a SQLite file. For a database, use createPayer.');
  const name = resolve(cwd, given);
  await checkFolder('--store', name);
  return {
    name,
    exists: existsSync(name),
    open: async () => (await import('@service/sdk/payer/sqlite')).sqliteStore(name),
  };
}

/** Whether the path is stdin, a pipe or a device. All pipes can have the same path, so no store belongs beside it. */
function isStream(path: string, cwd: string): boolean {
  if (path === STDIN) return true;
  const found = statSync(resolve(cwd, path), { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Returns the file behind a link, unless a store is beside the link: a file with two names has one store, or each name would
 * pay it.
 */
function findSource(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  const [link, source] = [lstatSync, statSync].map((read) => read(path, { throwIfNoEntry: false }));
  return link?.isSymbolicLink() && source?.isFile() && !existsSync(`${path}.payments.db`)
    ? realpathSync(path)
    : file;
}

/**
 * Yields the intents of a store.
 *
 * @throws {ConfigurationError} when the store fails. The payer repeats its operations itself.
 */
export async function* listIntents(store: IntentStore): AsyncGenerator<Intent> {
  try {
    yield* await store.list({});
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const message = `The store of the recorded payments failed: ${toMessage(error)}.`;
    throw new ConfigurationError(message, { cause: error });
  }
}
