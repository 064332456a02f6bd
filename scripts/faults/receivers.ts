// 50 kills of webhook receivers with a Redis store, and 50 with Postgres, while events are delivered with retries.
import { Pool } from 'pg';
import { postgresMigration } from '@service/webhooks/postgres';
import { killReceivers } from '../../packages/webhooks/test/stores/kill-receivers.ts';
import {
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
} from '../../packages/webhooks/test/stores/servers.ts';

const KILLS = 50;
const SEED = 20_260_131;

const [redisProgram, postgresPrograms] = [findRedis(), findPostgres()];
if (redisProgram === undefined || postgresPrograms === undefined) {
  throw new Error('Redis and Postgres are required: apt-get install redis-server postgresql');
}

for (const kind of ['redis', 'postgres'] as const) {
  const engine = kind === 'redis' ? await startRedis(redisProgram) : await startPostgres(postgresPrograms);
  if (kind === 'postgres') {
    const pool = new Pool({ connectionString: engine.url });
    await pool.query(postgresMigration());
    await pool.end();
  }
  const figures = await killReceivers({ kind, url: engine.url, kills: KILLS, seed: SEED });
  await engine.stop();
  console.log(kind, figures);
  if (figures.lost + figures.neverAcknowledged + figures.twiceUnexplained > 0) process.exitCode = 1;
}
