import { invalidOptions } from '../options.ts';
import type { PaymentEvent } from '../event.ts';
import { claimOrRead, pollOutcome } from './polling.ts';
import { DEFAULT_LEASE, parseSharedStoreOptions, withTimeout } from './shared-store.ts';
import type { SharedStoreOptions } from './shared-store.ts';
import type { DedupeStore } from './store.ts';

export type { SharedStoreOptions };

/** Describes what is needed of a `Pool` or `Client` of pg. */
export interface PostgresLike {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Configures a Postgres store. */
export interface PostgresStoreOptions extends SharedStoreOptions {
  /**
   * Names the table, perhaps with its schema.
   * @default 'webhook_deliveries'
   */
  readonly table?: string | undefined;
}

/** Remembers handled events in a table. */
export interface PostgresStore extends DedupeStore {
  /**
   * Claims an event within a transaction of yours, so that its effect and the mark that it was handled are committed
   * together or not at all. Resolves to `false` when it was handled before; waits for a transaction that is handling it.
   */
  readonly claimIn: (transaction: PostgresLike, event: PaymentEvent) => Promise<boolean>;
  /** Deletes what is no longer remembered; call it now and then. */
  readonly purge: () => Promise<void>;
}

const TABLE = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/;
const DEFAULT_TABLE = 'webhook_deliveries';

/** Writes the migration of the table; it may run again. Throws `invalid_options`. */
export function postgresMigration(table: string = DEFAULT_TABLE): string {
  assertTable(table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  owner text NOT NULL,
  confirmed boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_expires_at ON ${table} (expires_at);
`;
}

/** Creates a dedupe store over a pool of pg that you already have; {@link postgresMigration} writes its table. Throws `invalid_options`. */
export function postgresStore(pool: PostgresLike, options: PostgresStoreOptions = {}): PostgresStore {
  const { ttl, pollInterval, commandTimeout } = parseSharedStoreOptions(options, ['table'], 'postgresStore');
  const { table = DEFAULT_TABLE } = options;
  assertTable(table);
  if (typeof pool?.query !== 'function') throw invalidOptions('postgresStore takes a pool or client of pg.');
  const sql = writeStatements(table);
  const query: PostgresLike['query'] = (text, values) =>
    withTimeout(pool.query(text, values), commandTimeout);
  const readState = (key: string) => async (): Promise<'in_progress' | 'confirmed' | undefined> => {
    const [row] = (await query(sql.read, [key])).rows as { readonly confirmed: boolean }[];
    if (row === undefined) return undefined;
    return row.confirmed ? 'confirmed' : 'in_progress';
  };
  const isTaken = async (by: PostgresLike, values: unknown[]): Promise<boolean> =>
    (await by.query(sql.claim, values)).rows.length > 0;
  const isHeld = async (...values: unknown[]): Promise<boolean> =>
    (await query(sql.hold, values)).rows.length > 0;

  return {
    ttl,
    claim: (key, owner, lease = DEFAULT_LEASE) =>
      claimOrRead(() => isTaken({ query }, [key, owner, false, lease]), readState(key)),
    renew: async (key, owner, lease) => ((await isHeld(key, owner, false, lease)) ? 'renewed' : 'lost'),
    confirm: async (key, owner) => ((await isHeld(key, owner, true, ttl)) ? 'confirmed' : 'lost'),
    release: async (key, owner) => void (await query(sql.release, [key, owner])),
    wait: (key, signal) => pollOutcome({ read: readState(key), pollInterval }, signal),
    // A name of its own: the receiver that calls the handler holds the claim of the plain one.
    claimIn: (transaction, { event, data }) =>
      isTaken(transaction, [`transaction/${event}/${data.id}`, 'transaction', true, ttl]),
    purge: async () => void (await pool.query(sql.purge, [])),
  };
}

// clock_timestamp() goes on within a transaction, where now() stands still.
function writeStatements(table: string): Record<'claim' | 'hold' | 'read' | 'release' | 'purge', string> {
  const insert = `INSERT INTO ${table} AS held (key, owner, confirmed, expires_at)
    VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE
    SET owner = excluded.owner, confirmed = excluded.confirmed, expires_at = excluded.expires_at`;
  return {
    claim: `${insert} WHERE held.expires_at <= clock_timestamp() RETURNING 1`,
    // A renewal that arrives late must not undo a confirmation: false < true.
    hold: `${insert} WHERE held.owner = excluded.owner AND held.confirmed <= excluded.confirmed
      OR held.expires_at <= clock_timestamp() RETURNING 1`,
    read: `SELECT confirmed FROM ${table} WHERE key = $1 AND expires_at > clock_timestamp()`,
    release: `DELETE FROM ${table} WHERE key = $1 AND owner = $2 AND NOT confirmed`,
    purge: `DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`,
  };
}

function assertTable(table: string): void {
  if (typeof table === 'string' && TABLE.test(table)) return;
  throw invalidOptions(
    'table must be a name of lower-case letters, digits and underscores, perhaps schema.name.',
  );
}
