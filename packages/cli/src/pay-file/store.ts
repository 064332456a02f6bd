import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { ConfigurationError, ServiceError } from '@service/sdk';
import type { Intent, IntentStore } from '@service/sdk/payer';
import { toMessage, UsageError } from '../errors.ts';
import { STDIN } from '../input.ts';
import { checkFolder } from '../output.ts';
import type { Session } from '../session.ts';

/** A store of intents that a command has opened. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: IntentStore;
}

/** The place of a store. */
export interface StorePlace {
  /** The absolute path, or the URL without a password. */
  readonly name: string;
  /** False for a file that does not exist. */
  readonly exists: boolean;
  /**
   * Opens the store. Creates a file or the tables that do not exist.
   *
   * @throws {ConfigurationError} when it cannot be used.
   * @throws {UsageError} when its driver is not installed.
   */
  readonly open: () => Promise<OpenedStore>;
}

/** The options of a command that name its store. */
interface StoreOptions {
  readonly store?: string | undefined;
  readonly file?: string | undefined;
  /** Maximum time of each query of a database, in milliseconds. */
  readonly timeout?: number | undefined;
}

/**
 * Finds the store of a run: `--store`, else `SERVICE_INTENT_STORE`, else a SQLite file beside the payment file.
 *
 * @throws {UsageError} when there is none, its URL is not supported, its folder is not writable, or the path of the
 * variable is relative: it would be another store in each folder.
 */
export async function findStore(
  session: Session,
  { store, file: path, timeout }: StoreOptions,
): Promise<StorePlace> {
  const { env, cwd = '' } = session;
  const file = path === undefined || isStream(path, cwd) ? undefined : findSource(path, cwd);
  const given = store ?? env.SERVICE_INTENT_STORE;
  // An unset variable of a script is empty, too: without its store, lines would be paid again.
  if (given === '')
    throw new UsageError(
      'SERVICE_INTENT_STORE is empty. Set it to the absolute path or the URL of the store, or unset it.',
    );
  if (given === undefined && file === undefined)
    throw new UsageError(
      '--store is required without the path of a payment file: stdin and pipes have none.',
    );
  const name = given ?? `${file}.payments.db`;
  // A single letter is a drive of Windows.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(name) ?? [];
  const location = resolve(cwd, name);
  if (store === undefined && given !== undefined && scheme === undefined && !isAbsolute(given))
    throw new UsageError(
      `SERVICE_INTENT_STORE is a relative path, which is another store in each folder. Set it to the absolute path of the store, in this folder ${location}, or pass --store.`,
    );
  if (scheme !== undefined) return findPostgres(session, name, store !== undefined, timeout);
  await checkFolder('--store', location);
  return {
    name: location,
    exists: existsSync(location),
    open: async () => {
      const { sqliteStore } = await import('@service/sdk/payer/sqlite');
      const opened = sqliteStore(location);
      return { store: opened, [Symbol.asyncDispose]: async () => opened.close() };
    },
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

/** Maximum time to connect to a database, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Maximum time of a query by default, in milliseconds. Without one, a database that does not respond would hang the command. */
const QUERY_TIMEOUT = 30_000;

const MISSING_DRIVER =
  '--store: this database needs the package pg beside service-cli, not in the working directory. Install it where service-cli is installed: npm install --global pg, or npm install pg in its project; or run npx --package=@service/cli --package=pg service-cli.';

/** @throws {UsageError} when the URL is not that of a Postgres database. */
function findPostgres(
  session: Session,
  location: string,
  isOption: boolean,
  timeout = QUERY_TIMEOUT,
): StorePlace {
  if (!/^postgres(?:ql)?:/i.test(location) || !URL.canParse(location))
    throw new UsageError('--store must be the path of a SQLite file, or a URL that starts with postgres://.');
  const url = new URL(location);
  const { protocol, host, pathname, password, searchParams } = url;
  if (isOption && password !== '')
    session.output.note(
      'warning: the password in --store is visible in the process list and the shell history. Use SERVICE_INTENT_STORE.',
    );
  const open = async (): Promise<OpenedStore> => {
    // From the packages beside this one: a `pg` of the working directory would run with the API key and the password.
    const { Pool } = await import('pg').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new UsageError(MISSING_DRIVER, 'missing_driver');
    });
    const { postgresStore } = await import('@service/sdk/payer/postgres');
    const table = searchParams.get('table') ?? undefined;
    searchParams.delete('table');
    const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT, query_timeout: timeout };
    const pool = new Pool({ connectionString: url.href, ...limits });
    // A connection that breaks while it is idle must not end the process. Its next query fails.
    pool.on('error', () => {});
    const close = (): Promise<void> => pool.end();
    try {
      const store = postgresStore(pool, { table });
      // A payer would wait for a database that does not respond.
      await store.now?.();
      return { store, [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw toStoreError(error);
    }
  };
  // Without user, password and parameters, which can contain one too.
  return { name: `${protocol}//${host}${pathname}`, exists: true, open };
}

/**
 * Yields the intents of a store.
 *
 * @throws {ConfigurationError} when the store fails. The payer repeats its operations itself.
 */
export async function* listIntents(store: IntentStore): AsyncGenerator<Intent> {
  try {
    yield* store.list({});
  } catch (error) {
    throw toStoreError(error);
  }
}

function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = `The store of the recorded payments failed: ${toMessage(error)}.`;
  return new ConfigurationError(message, { cause: error });
}
