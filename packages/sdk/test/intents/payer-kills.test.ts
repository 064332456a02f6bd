import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import {
  type Engine,
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
} from '../../../webhooks/test/stores/servers.ts';
import { killAtRandom, type KillCase } from './kill-payers.ts';

const cases: readonly (Pick<KillCase, 'kind' | 'idempotency'> & { readonly workers: number })[] = [
  { kind: 'file', idempotency: 'replayed', workers: 1 },
  { kind: 'sqlite', idempotency: 'ignored', workers: 2 },
  { kind: 'postgres', idempotency: 'replayed', workers: 2 },
  { kind: 'redis', idempotency: 'conflict', workers: 2 },
];

/** Starts the database of a store, if it has one. */
async function startDatabase(kind: KillCase['kind']): Promise<Engine | undefined> {
  if (kind === 'file' || kind === 'sqlite') return undefined;
  const database =
    kind === 'postgres'
      ? await startPostgres(findPostgres())
      : await startRedis(findRedis(), { appendonly: 'yes', appendfsync: 'always' });
  onTestFinished(database.stop);
  vi.stubEnv(kind === 'postgres' ? 'POSTGRES_URL' : 'REDIS_URL', database.url);
  return database;
}

describe('a batch whose payers and database are killed', () => {
  it.each(cases)('is paid once, from a $kind store, keys $idempotency', async (one) => {
    const lines = 8;
    const database = await startDatabase(one.kind);
    const figures = await killAtRandom({ ...one, database, seed: 20_260_131, lines, kills: runs(1) });
    expect(figures).toMatchObject({ twice: 0, wrong: 0, lost: 0, conflicts: 0, abandoned: 0 });
    expect(figures.created + figures.unknown).toBe(lines);
    expect(one.idempotency === 'replayed' ? figures.unknown : 0).toBe(0);
  });
});
