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

// The status of an invoice is derived, so that no crash can leave it behind its payment.
const schema = `
  CREATE TABLE IF NOT EXISTS invoices (
    number text PRIMARY KEY,
    supplier text NOT NULL,
    account text NOT NULL,
    amount text NOT NULL,
    approved_by text
  );
  CREATE TABLE IF NOT EXISTS payment_statuses (payment_id text PRIMARY KEY, status text NOT NULL);
  CREATE OR REPLACE VIEW invoice_statuses AS
    SELECT number, coalesce(payment_statuses.status, state, 'received') AS status
    FROM invoices
    LEFT JOIN payment_intents ON reference = number
    LEFT JOIN payment_statuses USING (payment_id);
`;

export async function openDatabase(
  connectionString = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
): Promise<Database> {
  const pool = createPool(connectionString);
  // A separate pool: if handlers used all connections, the claims of their webhooks could not be renewed.
  const claims = createPool(connectionString);
  // The view joins the table of the intents.
  const intents = intentStore(pool, { migrate: false });
  // Until the commit of all statements, so that two processes can start at the same time.
  await pool.query(`SELECT pg_advisory_xact_lock(1); ${intentMigration() + schema}`);
  const close = () => Promise.all([pool.end(), claims.end()]);
  return { pool, intents, handled: postgresStore(claims), close };
}

function createPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 8, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
  // Without this listener, a dropped connection ends the process.
  pool.on('error', (error) => console.error('Postgres:', error.message));
  return pool;
}
