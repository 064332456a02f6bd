import { onTestFinished, vi } from 'vitest';
import {
  type Engine,
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
} from '../../../webhooks/test/stores/servers.ts';
import type { StoreKind } from './open-store.ts';

/** Starts the database of a store, if it has one, until the test ends. */
export async function startDatabase(kind: StoreKind): Promise<Engine | undefined> {
  if (kind === 'file' || kind === 'sqlite') return undefined;
  const database =
    kind === 'postgres'
      ? await startPostgres(findPostgres())
      : await startRedis(findRedis(), { appendonly: 'yes', appendfsync: 'always' });
  onTestFinished(database.stop);
  vi.stubEnv(kind === 'postgres' ? 'POSTGRES_URL' : 'REDIS_URL', database.url);
  return database;
}
