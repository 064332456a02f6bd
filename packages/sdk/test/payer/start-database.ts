import { onTestFinished, vi } from 'vitest';
import { type Engine, findPostgres, startPostgres } from '../../../webhooks/test/stores/servers.ts';
import type { StoreKind } from './open-store.ts';

/** Starts the database of a store, if it has one, until the test ends. */
export async function startDatabase(kind: StoreKind): Promise<Engine | undefined> {
  if (kind === 'sqlite') return undefined;
  const database = await startPostgres(findPostgres());
  onTestFinished(database.stop);
  vi.stubEnv('POSTGRES_URL', database.url);
  return database;
}
