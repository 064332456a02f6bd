import {
  postgresMigration as intentMigration,
  postgresStore as intentStore,
  type PostgresIntentStore,
} from '@service/sdk/payer/postgres';
import { postgresStore, type PostgresStore } from '@service/webhooks/postgres';
import { Pool } from 'pg';

export interface Database {
  readonly pool: Pool;
  /** The intents of all payments, in the table payment_intents. */
  readonly intents: PostgresIntentStore;
  /** The handled webhooks. */
  readonly handled: PostgresStore;
  readonly close: () => Promise<unknown>;
}

const schema =
  'CREATE TABLE IF NOT EXISTS payment_statuses (payment_id text PRIMARY KEY, status text NOT NULL);';

export async function openDatabase(connectionString: string): Promise<Database> {
  const pool = createPool(connectionString);
  // A separate pool: if handlers used all connections, the claims of their webhooks could not be renewed.
  const claims = createPool(connectionString);
  // The lock lasts until the commit of all statements, so that two processes can start at the same time.
  await pool.query(`SELECT pg_advisory_xact_lock(1); ${intentMigration() + schema}`);
  const close = () => Promise.all([pool.end(), claims.end()]);
  return { pool, intents: intentStore(pool, { migrate: false }), handled: postgresStore(claims), close };
}

function createPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
  // Without this listener, a dropped connection ends the process.
  pool.on('error', (error) => console.error('Postgres:', error.message));
  return pool;
}
