import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresMigration } from '@service/webhooks/postgres';
import { runs } from '../../../../test/support/runs.ts';
import { killReceivers } from './kill-receivers.ts';
import { findPostgres, findRedis, startPostgres, startRedis } from './servers.ts';

const redisProgram = findRedis();
const postgresPrograms = findPostgres();

const run = { kills: runs(4), seed: 1 };

const allHandled = { lost: 0, neverAcknowledged: 0, twiceUnexplained: 0 };

describe('killed receivers', () => {
  it.concurrent(
    'lose no event over Redis, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => {
      const engine = await startRedis(redisProgram);
      const figures = await killReceivers({ kind: 'redis', url: engine.url, ...run });
      await engine.stop();
      expect(figures).toMatchObject(allHandled);
      expect(figures.interrupted).toBeGreaterThan(0);
      expect(Object.keys(figures.firstRetries).filter((result) => result !== 'interrupted')).toEqual(['200']);
    },
  );

  it.concurrent(
    'lose no event over Postgres, and handle the first retry of each interrupted delivery',
    { timeout: runs(120_000) },
    async () => {
      const engine = await startPostgres(postgresPrograms);
      const pool = new Pool({ connectionString: engine.url });
      await pool.query(postgresMigration());
      await pool.end();
      const figures = await killReceivers({ kind: 'postgres', url: engine.url, ...run });
      await engine.stop();
      expect(figures).toMatchObject(allHandled);
      expect(figures.interrupted).toBeGreaterThan(0);
      expect(Object.keys(figures.firstRetries).filter((result) => result !== 'interrupted')).toEqual(['200']);
    },
  );
});
