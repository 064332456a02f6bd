import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import type { PaymentEvent } from '@service/webhooks';
import { postgresMigration, postgresStore } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import { events } from '@service/webhooks/testing';
import { createDelivery, rejectionOf, SECRET, thrownBy, writeEvent } from '../samples.ts';
import { describeSharedStore } from './contract.ts';
import { findPostgres, startPostgres } from './servers.ts';
import type { Engine } from './servers.ts';

const programs = findPostgres();

const eventOf = (id: string): PaymentEvent => ({ kind: 'payment', ...events.completed({ data: { id } }) });

describe('postgresStore over a real Postgres', () => {
  let engine: Engine;
  let pool: Pool;

  beforeAll(async () => {
    engine = await startPostgres(programs);
    pool = new Pool({ connectionString: engine.url, max: 20 });
    await pool.query(postgresMigration());
    await pool.query('CREATE TABLE ledger (id text NOT NULL)');
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await engine.stop();
  });

  describeSharedStore((options) => postgresStore(pool, options));

  it('can be migrated again, and into a schema', async () => {
    await pool.query(postgresMigration());
    await pool.query('CREATE SCHEMA hooks');
    await pool.query(postgresMigration('hooks.seen'));
    const store = postgresStore(pool, { table: 'hooks.seen' });
    expect(await store.claim('a', 'one')).toBe('claimed');
    const { rows } = await pool.query('SELECT key, owner, confirmed FROM hooks.seen');
    expect(rows).toEqual([{ key: 'a', owner: 'one', confirmed: false }]);
  });

  it('purges only expired rows', async () => {
    await pool.query(postgresMigration('purged'));
    const short = postgresStore(pool, { table: 'purged' });
    await short.claim('old', 'one', 1);
    const store = postgresStore(pool, { table: 'purged' });
    await store.claim('new', 'one');
    const keys = async () => (await pool.query('SELECT key FROM purged')).rows;
    const until = Date.now() + 10_000;
    do await store.purge();
    while ((await keys()).length > 1 && Date.now() < until);
    expect(await keys()).toEqual([{ key: 'new' }]);
  });

  describe('claimIn', () => {
    const inTransaction = async (id: string, end: 'COMMIT' | 'ROLLBACK'): Promise<boolean> => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const isFirst = await postgresStore(pool).claimIn(client, eventOf(id));
        if (isFirst) await client.query('INSERT INTO ledger VALUES ($1)', [id]);
        await client.query(end);
        return isFirst;
      } finally {
        client.release();
      }
    };
    const countOf = async (id: string) =>
      (await pool.query('SELECT id FROM ledger WHERE id = $1', [id])).rowCount;

    it('commits the claim together with the effect', async () => {
      expect(await inTransaction('pay_test_a', 'ROLLBACK')).toBe(true);
      expect(await inTransaction('pay_test_a', 'COMMIT')).toBe(true);
      expect(await inTransaction('pay_test_a', 'COMMIT')).toBe(false);
      expect(await countOf('pay_test_a')).toBe(1);
    });

    it('grants the claim to one of many concurrent transactions', async () => {
      const won = await Promise.all(Array.from({ length: 10 }, () => inTransaction('pay_test_b', 'COMMIT')));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await countOf('pay_test_b')).toBe(1);
    });

    it('grants the claim once to each receiver of the table', async () => {
      const claim = (name?: string) => postgresStore(pool).claimIn(pool, eventOf('pay_test_d'), name);
      expect([await claim('billing'), await claim('shipping'), await claim()]).toEqual([true, true, true]);
      expect([await claim('billing'), await claim('shipping'), await claim()]).toEqual([false, false, false]);
    });

    it('works in a receiver on the same table, also after a crash between commit and confirm', async () => {
      const id = 'pay_test_c';
      const store = postgresStore(pool);
      const crashing = { ...store, confirm: () => Promise.reject(new Error('crashed')) };
      const handle = () => inTransaction(id, 'COMMIT');
      for (const receiverStore of [crashing, { ...store, claim: async () => 'claimed' as const }]) {
        const receive = createReceiver({
          secrets: SECRET,
          on: { 'payment.completed': handle },
          fallback: () => {},
          onError: () => {},
          store: receiverStore,
        });
        expect((await receive(await createDelivery(writeEvent({ data: { id } })))).status).toBe(200);
      }
      expect(await countOf(id)).toBe(1);
    });
  });
});

describe('postgresStore', () => {
  const pool = { query: async () => ({ rows: [] }) };

  it.each([
    ['postgresStore', () => postgresStore({ query: () => new Promise(() => {}) })],
    ['redisStore', () => redisStore({ sendCommand: () => new Promise(() => {}) })],
  ])('and %s fail if a command takes longer than 5 s', async (_, open) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const store = open();
    const failing = [store.claim('a', 'one'), store.confirm('a', 'one'), store.renew!('a', 'one', 1)].map(
      rejectionOf,
    );
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    for (const failed of await Promise.all(failing))
      expect(failed).toEqual(new Error('The store did not respond within 5000 ms.'));
  });

  it.each(['', 'a b', 'a;drop table b', 'A', 'a.b.c', '"a"', 5, null])('rejects %j as a table', (table) => {
    expect(thrownBy(() => postgresStore(pool, { table: table as never }))).toMatchObject({
      code: 'invalid_options',
    });
    expect(thrownBy(() => postgresMigration(table as never))).toMatchObject({ code: 'invalid_options' });
  });

  it.each([null, undefined, {}, 'postgres://'])('rejects %j as a pool', (wrong) => {
    expect(thrownBy(() => postgresStore(wrong as never))).toMatchObject({ code: 'invalid_options' });
  });
});
