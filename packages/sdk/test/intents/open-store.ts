import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { IntentStore } from '../../src/index.ts';
import { createFileStore } from '../../src/entries/intents-file.ts';
import { createPostgresStore } from '../../src/entries/intents-postgres.ts';
import { createRedisStore } from '../../src/entries/intents-redis.ts';
import { createSqliteStore } from '../../src/entries/intents-sqlite.ts';

/** The stores of the tests with processes, by name. */
export type StoreKind = 'file' | 'sqlite' | 'postgres' | 'redis';

/** A store that is closed by its owner. */
export interface OpenedStore {
  readonly store: IntentStore;
  readonly close: () => Promise<void>;
}

/**
 * Opens a store at a path. Throws an error with `cause.code` 'in_use' while another process has it. The server of a database is
 * that of `POSTGRES_URL` or `REDIS_URL`, and the path selects a table or keys.
 */
export async function openStore(kind: StoreKind, path: string): Promise<OpenedStore> {
  const name = `intents_${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  if (kind === 'file') {
    const store = await createFileStore(path);
    return { store, close: store.close };
  }
  if (kind === 'sqlite') {
    const store = createSqliteStore(path);
    return { store, close: async () => store.close() };
  }
  if (kind === 'postgres') {
    const pool = new Pool({ connectionString: process.env.POSTGRES_URL, max: 4 });
    // Without a listener, a connection that breaks ends the process.
    pool.on('error', () => {});
    return { store: await createPostgresStore(pool, { table: name }), close: () => pool.end() };
  }
  const client = new Redis(process.env.REDIS_URL ?? '');
  client.on('error', () => {});
  const store = await createRedisStore(client, { prefix: `{${name}}:` });
  return { store, close: async () => client.disconnect() };
}

/** Returns whether several processes can use a store at the same time. */
export function isShared(kind: StoreKind): boolean {
  return kind !== 'file';
}
