import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import type { IntentStore } from '../../src/entries/payer.ts';
import { postgresStore } from '../../src/entries/payer-postgres.ts';
import { sqliteStore } from '../../src/entries/payer-sqlite.ts';

/** The stores of the tests with processes, by name. */
export type StoreKind = 'sqlite' | 'postgres';

/** A store that is closed by its owner. */
export interface OpenedStore {
  readonly store: IntentStore;
  readonly close: () => Promise<void>;
}

/** Creates a store at a path. Postgres is the server of `POSTGRES_URL`, and the path selects a table. */
export function openStore(kind: StoreKind, path: string): OpenedStore {
  if (kind === 'sqlite') {
    const store = sqliteStore(path);
    return { store, close: async () => store.close() };
  }
  const table = `intents_${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  const pool = new Pool({ connectionString: process.env.POSTGRES_URL, max: 4 });
  // Without a listener, a connection that breaks ends the process.
  pool.on('error', () => {});
  return { store: postgresStore(pool, { table }), close: () => pool.end() };
}
