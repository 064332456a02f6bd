import type { PaymentEvent } from '../event.ts';
import { boolean, matching, milliseconds } from '@service/internal';
import { invalidOptions, parseOptions } from '../options.ts';
import { createSharedStore, readWord } from './shared-store.ts';
import type { SharedStoreOptions } from './shared-store.ts';
import { CLAIM_STATES, type DedupeStore, withTimeout } from './store.ts';

export type { SharedStoreOptions };

/** All that the store needs of a driver: the function of a `Pool` or `Client` of pg. */
export interface PostgresLike {
  /** Runs a statement with parameters. */
  query(
    text: string,
    values: unknown[],
  ): Promise<{
    /** The rows as objects. */
    readonly rows: readonly unknown[];
  }>;
}

/** The table and the times of a store in Postgres. */
export interface PostgresStoreOptions extends SharedStoreOptions {
  /**
   * The name of the table, optionally with its schema.
   *
   * @default 'webhook_deliveries'
   */
  readonly table?: string | undefined;
  /**
   * Whether the store creates its table at its first use, unless it exists.
   *
   * @default true
   */
  readonly migrate?: boolean | undefined;
}

/** A deduplication store in a table. */
export interface PostgresStore extends DedupeStore {
  /**
   * Claims an event within your transaction, which commits the claim together with the effects of the
   * handler. Waits for a concurrent transaction with the same event. Resolves to `false` if the event was
   * handled before.
   *
   * @param name The `name` of the receiver, if several receivers share the table: each of them claims the event.
   */
  readonly claimIn: (transaction: PostgresLike, event: PaymentEvent, name?: string) => Promise<boolean>;
  /** Deletes expired rows. Call it once a day. */
  readonly purge: () => Promise<void>;
}

const TABLE = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/;
const tableField = matching<string>(
  'a name of lower-case letters, digits and underscores, optionally as schema.name',
  (value) => typeof value === 'string' && TABLE.test(value),
);
const DEFAULT_TABLE = 'webhook_deliveries';

/**
 * Returns the SQL that creates the table unless it exists, in one statement. `postgresStore` runs it at its first use;
 * run it yourself if the role of the store must not create tables.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function postgresMigration(table: string = DEFAULT_TABLE): string {
  parseOptions('The table', { table }, { table: tableField });
  // The lock is for processes that start at the same time: two concurrent CREATE TABLE IF NOT EXISTS can fail. An existing
  // table needs no right to create one.
  return `DO $$
BEGIN
  IF to_regclass('${table}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(hashtext('${table}'));
    CREATE TABLE IF NOT EXISTS ${table} (
      key text PRIMARY KEY,
      owner text NOT NULL,
      confirmed boolean NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_expires_at ON ${table} (expires_at);
  END IF;
END $$;
`;
}

/**
 * Creates a deduplication store over a pool of pg, or over any object with the same `query`. At its first use it creates
 * its table unless it exists; {@link postgresMigration} has the SQL.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function postgresStore(pool: PostgresLike, options: PostgresStoreOptions = {}): PostgresStore {
  const fields = { ttl: milliseconds, table: tableField, migrate: boolean };
  const parsed = parseOptions('The options of postgresStore', options, fields);
  const { table = DEFAULT_TABLE, migrate = true, ...shared } = parsed;
  if (typeof pool?.query !== 'function')
    throw invalidOptions('postgresStore requires a pool or client of pg: postgresStore(pool).');
  const sql = createStatements(table);
  const createTable = async (client: PostgresLike): Promise<void> => {
    try {
      await withTimeout(client.query(postgresMigration(table), []));
    } catch (cause) {
      const message = `The table ${table} could not be created. If the role must not create tables, run the SQL of postgresMigration() first.`;
      throw new Error(message, { cause });
    }
  };
  let isOpen = !migrate;
  let opening: Promise<void> | undefined;
  /** Creates the table at the first command, and again after a failure. */
  const open = async (): Promise<void> => {
    await (opening ??= createTable(pool).finally(() => (opening = undefined)));
    isOpen = true;
  };
  const store = createSharedStore(async (command, key, owner, duration) => {
    if (!isOpen) await open();
    if (command === 'read') return ask(pool, sql.read, [key], 'released');
    if (command === 'release') return pool.query(sql.release, [key, owner]);
    return ask(pool, sql[command], [key, owner, duration], 'lost');
  }, shared);
  return {
    ...store,
    // A separate key: the receiver that runs the handler has claimed the key of the event.
    claimIn: async (transaction, { event, data }, name) => {
      // Not over the pool: the transaction may have its only connection.
      if (!isOpen) await createTable(transaction);
      const key = ['transaction', ...(name ? [name] : []), event, data.id].join('/');
      const claiming = ask(transaction, sql.claimIn, [key, crypto.randomUUID(), store.ttl]);
      return (await readWord(claiming, CLAIM_STATES)) === 'claimed';
    },
    purge: async () => {
      if (!isOpen) await open();
      await pool.query(sql.purge, []);
    },
  };
}

/** Returns the first column of the only row, whatever its name, or `none` without a row. */
async function ask(client: PostgresLike, text: string, values: unknown[], none?: string): Promise<unknown> {
  const rows: unknown = (await client.query(text, values))?.rows;
  if (!Array.isArray(rows)) return undefined;
  return rows.length === 0 ? none : Object.values((rows[0] ?? {}) as object)[0];
}

// The statements return words: a client may convert booleans. clock_timestamp() advances within a transaction,
// now() does not.
function createStatements(table: string) {
  const insert = (confirmed: boolean): string => `INSERT INTO ${table} AS existing
    (key, owner, confirmed, expires_at)
    VALUES ($1, $2, ${confirmed}, clock_timestamp() + $3 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET`;
  // One reading of the clock for all columns.
  const isFree = "existing.expires_at <= excluded.expires_at - $3 * interval '1 millisecond'";
  const claim = (confirmed: boolean): string => `${insert(confirmed)}
    owner = CASE WHEN ${isFree} THEN excluded.owner ELSE existing.owner END,
    confirmed = CASE WHEN ${isFree} THEN excluded.confirmed ELSE existing.confirmed END,
    expires_at = CASE WHEN ${isFree} THEN excluded.expires_at ELSE existing.expires_at END
    RETURNING CASE WHEN owner = $2 THEN 'claimed' WHEN confirmed THEN 'confirmed' ELSE 'in_progress' END`;
  // A late renewal must not undo a confirmation, and a second confirmation keeps the owner of the first.
  const update = (confirmed: boolean): string => `${insert(confirmed)}
    confirmed = excluded.confirmed, expires_at = excluded.expires_at,
    owner = CASE WHEN existing.confirmed AND NOT ${isFree} THEN existing.owner ELSE excluded.owner END
    WHERE ${isFree} OR existing.confirmed AND excluded.confirmed
    OR existing.owner = excluded.owner AND NOT existing.confirmed
    RETURNING CASE WHEN owner <> $2 THEN 'lost' WHEN confirmed THEN 'confirmed' ELSE 'renewed' END`;
  return {
    claim: claim(false),
    claimIn: claim(true),
    renew: update(false),
    confirm: update(true),
    read: `SELECT CASE WHEN confirmed THEN 'confirmed' ELSE 'in_progress' END FROM ${table}
      WHERE key = $1 AND expires_at > clock_timestamp()`,
    release: `DELETE FROM ${table} WHERE key = $1 AND owner = $2 AND NOT confirmed`,
    purge: `DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`,
  };
}
