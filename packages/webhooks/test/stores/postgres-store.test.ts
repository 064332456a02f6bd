import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import type { DedupeStore, PaymentEvent } from '@service/webhooks';
import { postgresMigration, postgresStore } from '@service/webhooks/postgres';
import type { PostgresLike } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import { events } from '@service/webhooks/testing';
import { createDelivery, createPayment, rejectionOf, SECRET, thrownBy, writeEvent } from '../samples.ts';
import { describeSharedStore } from './contract.ts';
import { describeReads } from './reads.ts';
import { findPostgres, startPostgres } from './servers.ts';
import type { Engine } from './servers.ts';

const programs = findPostgres();

const eventOf = (id: string): PaymentEvent => ({
  kind: 'payment',
  source: 'webhook',
  ...events.completed({ data: { id } }),
});

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

  describeReads({
    open: (options) => postgresStore(pool, options),
    advance: async (milliseconds) => {
      const later = "UPDATE webhook_deliveries SET expires_at = expires_at - $1 * interval '1 millisecond'";
      await pool.query(later, [milliseconds]);
    },
    describeStore: () => ['postgres', engine.url],
  });

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

  describe('over a client that', () => {
    const parsing = (parse: (text: string) => unknown): PostgresLike =>
      new Proxy(pool, {
        get: (_, name) =>
          name === 'query' &&
          ((text: string, values: unknown[]) =>
            pool.query({ text, values, types: { getTypeParser: () => parse } })),
      });
    const mapping = (map: (rows: readonly object[]) => unknown[]): PostgresLike => ({
      query: async (text, values) => ({ rows: map((await pool.query(text, values)).rows as object[]) }),
    });

    it.each<[string, () => PostgresLike]>([
      ['returns all values as text', () => parsing((text) => text)],
      ['returns booleans as numbers', () => parsing((text) => ({ t: 1, f: 0 })[text] ?? text)],
      ['returns booleans as bigint', () => parsing((text) => ({ t: 1n, f: 0n })[text] ?? text)],
      ['returns booleans as words', () => parsing((text) => ({ t: 'true', f: 'false' })[text] ?? text)],
      ['returns bytes', () => parsing((text) => new TextEncoder().encode(text))],
      ['returns rows as lists', () => mapping((rows) => rows.map((row) => Object.values(row)))],
      [
        'writes column names in capitals',
        () =>
          mapping((rows) =>
            rows.map((row) =>
              Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])),
            ),
          ),
      ],
    ])('%s reads each state of a key', async (title, open) => {
      const store = postgresStore(open());
      const key = `states of ${title}`;
      expect(await store.claim(key, 'one')).toBe('claimed');
      expect(await store.claim(key, 'two')).toBe('in_progress');
      const stopping = new AbortController();
      const waiting = store.wait(key, stopping.signal);
      expect(await store.renew?.(key, 'one', 60_000)).toBe('renewed');
      expect(await store.confirm(key, 'two')).toBe('lost');
      expect(await store.confirm(key, 'one')).toBe('confirmed');
      expect(await waiting).toBe('confirmed');
      expect(await store.claim(key, 'two')).toBe('confirmed');
      expect(await store.wait(`no claim of ${title}`, stopping.signal)).toBe('released');
      const event = eventOf(`pay_test_${title}`);
      expect([await store.claimIn(open(), event), await store.claimIn(open(), event)]).toEqual([true, false]);
    });
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

    it('keeps the effect of an event once if its payment is read after a crash between commit and confirm', async () => {
      const id = 'pay_test_e';
      const store = postgresStore(pool);
      const claimed: boolean[] = [];
      const open = (receiverStore: DedupeStore) =>
        createReceiver({
          secrets: SECRET,
          on: { 'payment.completed': async () => void claimed.push(await inTransaction(id, 'COMMIT')) },
          fallback: () => {},
          onError: () => {},
          store: receiverStore,
        });
      const crashed = open({ ...store, confirm: () => Promise.reject(new Error('crashed')) });
      expect((await crashed(await createDelivery(writeEvent({ data: { id } })))).status).toBe(200);
      const { handleRetrieved } = open({ ...store, claim: async () => 'claimed' });
      expect(await handleRetrieved(createPayment({ id, created_at: new Date().toISOString() }))).toBe(
        'handled',
      );
      expect([claimed, await countOf(id)]).toEqual([[true, false], 1]);
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

  it.each<[string, unknown]>([
    ['no rows', {}],
    ['a list of rows', [{ state: 'confirmed' }]],
    ['nothing', undefined],
    ['empty rows', { rows: [{}] }],
    ['no object as a row', { rows: [null] }],
    ['another word', { rows: [{ state: 'f' }] }],
    ['no word', { rows: [{ state: true }] }],
    ['a word in another type', { rows: [{ state: ['confirmed'] }] }],
  ])('fails over a client that returns %s, and guesses nothing', async (_, result) => {
    const client = { query: async () => result as never };
    const store = postgresStore(client);
    const failing = [
      store.claim('a', 'one'),
      store.wait('a', new AbortController().signal),
      store.renew!('a', 'one', 1),
      store.confirm('a', 'one'),
      store.claimIn(client, eventOf('pay_test_a')),
    ];
    for (const failed of await Promise.all(failing.map(rejectionOf)))
      expect(failed).toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(
          /^The store expects \w+(?: or \w+)+ from its client, which returned [^:]+\. Pass a /,
        ) as unknown,
      });
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
