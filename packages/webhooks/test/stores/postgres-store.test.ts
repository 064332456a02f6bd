import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import type { DedupeStore, PaymentEvent } from '@service/webhooks';
import { postgresMigration, postgresStore } from '@service/webhooks/postgres';
import type { PostgresLike, PostgresStore } from '@service/webhooks/postgres';
import { events } from '@service/webhooks/testing';
import { createDelivery, createPayment, rejectionOf, SECRET, writeEvent } from '../samples.ts';
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
  });

  describe('creates its table', () => {
    const columnsOf = async (table: string) => {
      const { rows } = await pool.query(
        "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema || '.' || table_name = $1 ORDER BY 1",
        [table],
      );
      return (rows as { name: string; type: string }[]).map(({ name, type }) => `${name} ${type}`);
    };
    const columns = ['confirmed boolean', 'expires_at timestamp with time zone', 'key text', 'owner text'];

    it('at its first use, also in a schema, and never again', async () => {
      await pool.query('CREATE SCHEMA hooks');
      const query = vi.fn<PostgresLike['query']>((text, values) => pool.query(text, values));
      const store = postgresStore({ query }, { table: 'hooks.seen' });
      expect(query).not.toHaveBeenCalled();
      expect(await Promise.all(['one', 'two'].map((owner) => store.claim('a', owner)))).toEqual(
        expect.arrayContaining(['claimed', 'in_progress']),
      );
      await store.claim('b', 'one');
      expect(await columnsOf('hooks.seen')).toEqual(columns);
      expect(query.mock.calls.filter(([text]) => text.includes('CREATE TABLE'))).toHaveLength(1);
      await pool.query(postgresMigration('hooks.seen'));
    });

    it('as the first command of each kind', async () => {
      const uses: readonly ((store: PostgresStore) => unknown)[] = [
        (store) => store.confirm('a', 'one'),
        (store) => store.release('a', 'one'),
        (store) => store.renew?.('a', 'one', 1_000),
        (store) => store.wait('a', new AbortController().signal),
        (store) => store.purge(),
        (store) => store.claimIn(pool, eventOf('pay_test_first')),
      ];
      for (const [index, use] of uses.entries()) {
        await use(postgresStore(pool, { table: `first_${index}` }));
        expect(await columnsOf(`public.first_${index}`)).toEqual(columns);
      }
    });

    it('over connections that create it at the same time', async () => {
      const open = (index: number) => postgresStore(pool, { table: `raced_${index % 10}` });
      const states = await Promise.all(
        Array.from({ length: 40 }, (_, index) => open(index).claim('a', `owner ${index}`)),
      );
      expect(states.filter((state) => state === 'claimed')).toHaveLength(10);
    });

    it('unless migrate is false', async () => {
      const store = postgresStore(pool, { table: 'apart', migrate: false });
      expect(await rejectionOf(store.claim('a', 'one'))).toMatchObject({ code: '42P01' });
      await pool.query(postgresMigration('apart'));
      expect(await store.claim('a', 'one')).toBe('claimed');
    });

    it('only if it does not exist: a role without the right to create tables uses it', async () => {
      await pool.query(postgresMigration('granted'));
      await pool.query('CREATE ROLE reader LOGIN');
      await pool.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      await pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON granted TO reader');
      const url = new URL(engine.url);
      url.username = 'reader';
      const own = new Pool({ connectionString: url.href, max: 2 });
      try {
        expect(await postgresStore(own, { table: 'granted' }).claim('a', 'one')).toBe('claimed');
        const failed = await rejectionOf(postgresStore(own, { table: 'missing' }).claim('a', 'one'));
        expect(failed).toMatchObject({
          message: expect.stringMatching(
            /^The table missing could not be created\..*postgresMigration\(\)/,
          ) as unknown,
          cause: { code: '42501' },
        });
      } finally {
        await own.end();
      }
    });

    it('again after a failure', async () => {
      let isDown = true;
      const flaky: PostgresLike = {
        query: async (text, values) => {
          if (isDown) throw new Error('down');
          return pool.query(text, values);
        },
      };
      const store = postgresStore(flaky, { table: 'again' });
      expect(await rejectionOf(store.claim('a', 'one'))).toMatchObject({ cause: { message: 'down' } });
      isDown = false;
      expect(await store.claim('a', 'one')).toBe('claimed');
    });

    it('in a transaction that has the only connection, also after its rollback', async () => {
      const single = new Pool({ connectionString: engine.url, max: 1 });
      const store = postgresStore(single, { table: 'in_transaction' });
      try {
        const claims: boolean[] = [];
        for (const end of ['ROLLBACK', 'COMMIT', 'COMMIT']) {
          const client = await single.connect();
          await client.query('BEGIN');
          claims.push(await store.claimIn(client, eventOf('pay_test_single')));
          await client.query(end);
          client.release();
        }
        expect(claims).toEqual([true, true, false]);
      } finally {
        await single.end();
      }
    });
  });

  it('purges only expired rows', async () => {
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
  });
});
