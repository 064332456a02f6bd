import { postgresStore, type PostgresStore } from '@service/webhooks/postgres';
import { Pool } from 'pg';

export interface Database {
  readonly pool: Pool;
  /** The handled webhooks. */
  readonly store: PostgresStore;
  readonly close: () => Promise<unknown>;
}

const schema = `
  CREATE TABLE IF NOT EXISTS payouts (invoice text PRIMARY KEY, payment_id text UNIQUE);
  CREATE TABLE IF NOT EXISTS payments (id text PRIMARY KEY, status text NOT NULL);
`;

export async function openDatabase(connectionString: string): Promise<Database> {
  const pool = createPool(connectionString);
  // A separate pool: if handlers used all connections, the claims of their webhooks could not be renewed.
  const claims = createPool(connectionString);
  // The lock lasts until the commit of all statements, so that two processes can start at the same time.
  await pool.query(`SELECT pg_advisory_xact_lock(1); ${schema}`);
  return { pool, store: postgresStore(claims), close: () => Promise.all([pool.end(), claims.end()]) };
}

function createPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
  // Without this listener, a dropped connection ends the process.
  pool.on('error', (error) => console.error('Postgres:', error.message));
  return pool;
}
