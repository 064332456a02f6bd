import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { killReceivers } from './kill-receivers.ts';
import { findPostgres, findRedis, startPostgres, startRedis } from './servers.ts';
import type { Engine } from './servers.ts';

const redisProgram = findRedis();
const postgresPrograms = findPostgres();

/** Kills receivers that share a store in a database, and stops it. */
async function runKills(kind: 'redis' | 'postgres', engine: Engine) {
  const figures = await killReceivers({ kind, url: engine.url, kills: runs(4), seed: 1 });
  await engine.stop();
  const { interrupted, firstRetries, ...lost } = figures;
  const results = Object.keys(firstRetries).filter((result) => result !== 'interrupted');
  return { ...lost, hasInterrupted: interrupted > 0, firstRetries: results };
}

const allHandled = {
  lost: 0,
  neverAcknowledged: 0,
  twiceUnexplained: 0,
  hasInterrupted: true,
  firstRetries: ['200'],
};

describe('killed receivers', () => {
  it.concurrent(
    'lose no event over Redis, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => expect(await runKills('redis', await startRedis(redisProgram))).toEqual(allHandled),
  );

  it.concurrent(
    'lose no event over Postgres, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => expect(await runKills('postgres', await startPostgres(postgresPrograms))).toEqual(allHandled),
  );
});
