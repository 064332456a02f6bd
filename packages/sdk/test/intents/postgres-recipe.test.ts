import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStore, schema } from '../../../../examples/snippets/src/intents-postgres.ts';
import { findPostgres, startPostgres } from '../../../webhooks/test/stores/servers.ts';
import type { Engine } from '../../../webhooks/test/stores/servers.ts';
import { assembleGuard } from '../../src/intents/duplicate-guard.ts';
import { systemClock } from '../../src/transport/clock.ts';
import { describeRace } from './race.ts';
import { describeIntentStore } from './store-contract.ts';

const programs = findPostgres();
const fingerprintKey = 'a secret of the tests, 32 characters at least';

describe('the Postgres snippet of docs/duplicate-guard.md', () => {
  let engine: Engine;
  let pool: Pool;

  beforeAll(async () => {
    engine = await startPostgres(programs);
    pool = new Pool({ connectionString: engine.url, max: 20 });
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await engine.stop();
  });

  const open = async () => {
    await pool.query(`drop table if exists payment_intents`);
    await pool.query(schema);
    return createPostgresStore(pool, fingerprintKey);
  };

  describeIntentStore(open);
  describeRace(open);

  it('stores no beneficiary in plain text', async () => {
    const guard = assembleGuard(await open(), systemClock);
    await guard.protect('a', {
      body: '{"beneficiary_account":"DE89370400440532013000"}',
      beneficiary: { name: 'Acme Supplies', account: 'DE89370400440532013000' },
      maxDuration: 1_000,
      create: async () => ({ data: { id: 'pay_test_1' } }),
      retrieve: async (id) => ({ data: { id } }),
      warn: () => {},
    });
    const { rows } = await pool.query('select * from payment_intents');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/Acme|DE89/);
  });

  it('is shown as it is', () => {
    const root = join(import.meta.dirname, '../../../..');
    const path = 'examples/snippets/src/intents-postgres.ts';
    const guide = readFileSync(join(root, 'packages/sdk/docs/duplicate-guard.md'), 'utf8');
    const shown = guide.split(`<!-- ${path} -->\n\n\`\`\`ts\n`)[1]?.split('```')[0];
    expect(shown).toBe(readFileSync(join(root, path), 'utf8'));
  });
});
