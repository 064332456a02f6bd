import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { killReceivers } from './kill-receivers.ts';
import { findPostgres, findRedis, startPostgres, startRedis } from './servers.ts';
import type { Engine } from './servers.ts';

const redisProgram = findRedis();
const postgresPrograms = findPostgres();

/** Kills receivers that share a store in a database, and stops it. */
async function checkKills(kind: 'redis' | 'postgres', engine: Engine): Promise<void> {
  const figures = await killReceivers({ kind, url: engine.url, kills: runs(4), seed: 1 });
  await engine.stop();
  expect(figures).toMatchObject({ lost: 0, neverAcknowledged: 0, twiceUnexplained: 0 });
  expect(figures.interrupted).toBeGreaterThan(0);
  expect(Object.keys(figures.firstRetries).filter((result) => result !== 'interrupted')).toEqual(['200']);
}

describe('killed receivers', () => {
  it.concurrent(
    'lose no event over Redis, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => checkKills('redis', await startRedis(redisProgram)),
  );

  it.concurrent(
    'lose no event over Postgres, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => checkKills('postgres', await startPostgres(postgresPrograms)),
  );
});
