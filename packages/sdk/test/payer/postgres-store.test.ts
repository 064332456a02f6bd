import { sql as template, type SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool, type PoolClient } from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApproval } from '../../../../examples/snippets/src/payer-outbox.ts';
import { type Engine, findPostgres, startPostgres } from '../../../webhooks/test/stores/servers.ts';
import {
  postgresStore,
  type PostgresConnection,
  postgresMigration,
  type PostgresIntentStore,
} from '../../src/entries/payer-postgres.ts';
import { createPayer } from '../../src/entries/payer.ts';
import type { Intent } from '../../src/entries/payer.ts';
import { ConfigurationError } from '../../src/errors.ts';
import { createStubClient, payment, paymentInput, success } from '../service.ts';
import { describeBoundStore, describeIntentStore, describeLongList, intentOf } from './store-contract.ts';
import { expectStoredIntents, readFixture, storedAccount } from './stored-format.ts';

const programs = findPostgres();

describe('postgresStore', () => {
  let engine: Engine;
  let pool: Pool;
  let sql: postgres.Sql;
  let count = 0;
  const nextTable = (): string => `intents_${(count += 1)}`;

  beforeAll(async () => {
    engine = await startPostgres(programs);
    pool = new Pool({ connectionString: engine.url, max: 10 });
    sql = postgres(engine.url, { max: 10, onnotice: () => {} });
    await pool.query('create table invoices (number text primary key)');
  }, 60_000);

  afterAll(async () => {
    await sql.end();
    await pool.end();
    await engine.stop();
  });

  const open = (connection: PostgresConnection = pool): PostgresIntentStore =>
    postgresStore(connection, { table: nextTable() });

  /** A client with the function of Prisma for raw statements. */
  const prismaOver = (client: Pool | PoolClient) => ({
    $queryRawUnsafe: async (text: string, ...values: unknown[]): Promise<object[]> =>
      (await client.query<object>(text, values)).rows,
  });

  // The connections of docs/intent-stores.md#other-drivers.
  const fromPostgres = (client: postgres.ISql): PostgresConnection => ({
    query: async (text, values) => ({ rows: await client.unsafe(text, values) }),
  });
  const fromPrisma = (client: ReturnType<typeof prismaOver>): PostgresConnection => ({
    query: async (text, values) => ({ rows: await client.$queryRawUnsafe(text, ...values) }),
  });
  const fromDrizzle = (client: {
    execute(statement: SQL): Promise<{ rows: object[] }>;
  }): PostgresConnection => ({
    query: (text, values) => {
      const parts = text.split('$1').map((part) => template.raw(part));
      return client.execute(template.join(parts, template`${values[0]}`));
    },
  });

  type Work = (transaction: PostgresConnection) => Promise<void>;
  /** The drivers: a connection, and a transaction that inserts an invoice first. */
  const drivers: readonly {
    readonly name: string;
    readonly connect: () => PostgresConnection;
    readonly transact: (number: string, work: Work) => Promise<void>;
  }[] = [
    {
      name: 'pg',
      connect: () => pool,
      transact: (number, work) => withClient(number, (client) => work(client)),
    },
    {
      name: 'postgres.js',
      connect: () => fromPostgres(sql),
      transact: async (number, work) => {
        await sql.begin(async (transaction) => {
          await transaction`insert into invoices (number) values (${number})`;
          await work(fromPostgres(transaction));
        });
      },
    },
    {
      name: 'Drizzle',
      connect: () => fromDrizzle(drizzle({ client: pool })),
      transact: (number, work) =>
        drizzle({ client: pool }).transaction(async (transaction) => {
          await transaction.execute(`insert into invoices (number) values ('${number}')`);
          await work(fromDrizzle(transaction));
        }),
    },
    {
      name: 'the interface of Prisma',
      connect: () => fromPrisma(prismaOver(pool)),
      transact: (number, work) => withClient(number, (client) => work(fromPrisma(prismaOver(client)))),
    },
  ];

  async function withClient(number: string, work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into invoices (number) values ($1)', [number]);
      await work(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  const hasInvoice = async (number: string): Promise<boolean> =>
    (await pool.query('select from invoices where number = $1', [number])).rows.length > 0;

  describeLongList(() => open());

  describe.each(drivers)('over $name', ({ name, connect, transact }) => {
    describeIntentStore(() => open(connect()));
    describeBoundStore(() => open(connect()));

    it('records an intent in a transaction of the caller', async () => {
      const store = open(connect());
      await store.read('a');
      const reference = `${name}-1`.replaceAll(' ', '-');
      const planned = { ...intentOf(reference), body: `{"beneficiary_name":"Zoë O'Hara $1 \u{1f511}"}` };
      const work: Work = async (transaction) => {
        expect(await store.planIn(transaction, planned)).toEqual(planned);
        expect(await store.read(reference)).toBeUndefined();
      };
      await transact(reference, work);
      expect(await hasInvoice(reference)).toBe(true);
      expect(await store.read(reference)).toEqual(planned);
    });

    it('records nothing if the transaction is rolled back, and rejects another body', async () => {
      const store = open(connect());
      await store.read('a');
      const reference = `${name}-2`.replaceAll(' ', '-');
      const recorded = { ...intentOf(reference), key: 'first' };
      const failed = transact(reference, async (transaction) => {
        await store.planIn(transaction, recorded);
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      expect(await hasInvoice(reference)).toBe(false);
      expect(await store.read(reference)).toBeUndefined();
      const planAs = (invoice: string, intent: Intent): Promise<Intent> => {
        const planned = Promise.withResolvers<Intent>();
        const work: Work = async (transaction) => planned.resolve(await store.planIn(transaction, intent));
        return transact(invoice, work).then(() => planned.promise);
      };
      expect(await planAs(`${reference}-a`, recorded)).toEqual(recorded);
      expect(await planAs(`${reference}-b`, { ...recorded, key: 'second' })).toEqual(recorded);
      const other = planAs(`${reference}-c`, { ...recorded, digest: 'other' });
      await expect(other).rejects.toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
      expect(await hasInvoice(`${reference}-c`)).toBe(false);
    });
  });

  it('pays an intent that the example of docs/intent-stores.md planned, and none of a failed approval', async () => {
    const store = open();
    const { client } = createStubClient([() => success({ ...payment, id: 'pay_test_9' }, 201)]);
    const payer = createPayer(client, { store });
    await pool.query('create table approvals (invoice text primary key)');
    const approve = createApproval(pool, store, payer);
    await approve('invoice-9', paymentInput);
    await expect(approve('invoice-9', paymentInput)).rejects.toThrow('duplicate key');
    await pool.query("insert into approvals values ('invoice-10')");
    await expect(approve('invoice-10', paymentInput)).rejects.toThrow('duplicate key');
    const states: string[] = [];
    for await (const { reference, state } of payer.run()) states.push(`${reference} ${state}`);
    expect(states).toEqual(['invoice-9 created']);
    expect(await store.read('invoice-9')).toMatchObject({ state: 'created', paymentId: 'pay_test_9' });
    expect(await store.read('invoice-10')).toBeUndefined();
  });

  it('records one of two intents with the same reference in concurrent transactions', async () => {
    const store = open();
    await store.read('a');
    const [first, second] = [await pool.connect(), await pool.connect()];
    await first.query('begin');
    await second.query('begin');
    const recorded = await store.planIn(first, { ...intentOf('a'), key: 'first' });
    // It waits for the first transaction.
    const waiting = store.planIn(second, { ...intentOf('a'), key: 'second' });
    await first.query('commit');
    expect(await waiting).toEqual(recorded);
    await second.query('commit');
    first.release();
    second.release();
    expect(await store.read('a')).toEqual(recorded);
  });

  it('rejects a value that is not the result of prepare', async () => {
    const store = open();
    for (const wrong of [undefined, {}, { ...intentOf('a'), state: 'created' }, intentOf('a', 2)]) {
      await expect(store.planIn(pool, wrong as Intent)).rejects.toMatchObject({ name: 'ConfigurationError' });
    }
  });

  it('keeps each write of a server with synchronous_commit off when the server is killed', async () => {
    const own = await startPostgres(programs);
    onTestFinished(own.stop);
    const admin = new Pool({ connectionString: own.url, max: 1 });
    await admin.query('alter system set synchronous_commit = off');
    await admin.query("alter system set wal_writer_delay = '10s'");
    await admin.query('select pg_reload_conf()');
    await admin.end();
    const connect = (): Pool => {
      const created = new Pool({ connectionString: own.url, max: 2 });
      created.on('error', () => {});
      return created;
    };
    const before = connect();
    const store = postgresStore(before);
    await before.query('create table control (id integer)');
    const account = { mode: 'test', baseUrl: 'https://api.example.test/api/v1', label: 'a' } as const;
    await store.bindAccount?.(account);
    await store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w1' });
    await store.swap({ ...intentOf('a', 2), state: 'sending' }, { fromVersion: 1, writeId: 'w2' });
    const client = await before.connect();
    await client.query('begin');
    await store.planIn(client, intentOf('b'));
    await client.query('commit');
    await client.query('insert into control values (1)');
    client.release();
    await own.kill();
    await before.end();
    await own.restart();
    const after = connect();
    const again = postgresStore(after);
    expect(await again.bindAccount?.({ ...account, label: 'b' })).toEqual(account);
    expect(await again.read('a')).toMatchObject({ version: 2, state: 'sending' });
    expect(await again.read('b')).toEqual(intentOf('b'));
    // The test can lose writes: it lost one that waits for nothing.
    expect((await after.query('select from control')).rows).toEqual([]);
    await after.end();
  });

  it('returns the time of the database', async () => {
    const store = open();
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
    const time = await store.now?.();
    expect(time?.getTime()).toBeGreaterThanOrEqual((rows[0]?.now.getTime() ?? 0) - 1);
  });

  it('sends nothing before its first use, and prepares its tables once', async () => {
    const texts: string[] = [];
    const connection: PostgresConnection = {
      query: (text, values) => {
        texts.push(text);
        return pool.query<object>(text, values);
      },
    };
    const store = open(connection);
    expect(texts).toEqual([]);
    await Promise.all([store.read('a'), store.now?.(), store.bindAccount(storedAccount)]);
    expect(texts.filter((text) => text.includes('create table'))).toHaveLength(1);
    texts.length = 0;
    await store.read('a');
    expect(texts).toHaveLength(1);
  });

  it('lets a payer wait for a database that starts', async () => {
    let failures = 0;
    const store = open({
      query: async (text, values) => {
        if ((failures += 1) <= 2) throw new Error('connect ECONNREFUSED');
        return pool.query<object>(text, values);
      },
    });
    const { client } = createStubClient([success(payment, 201)]);
    expect(await createPayer(client, { store }).pay('order-42', paymentInput)).toMatchObject({
      id: payment.id,
    });
  });

  it('works for a role that must not create tables, after the migration', async () => {
    await pool.query(
      'create schema payments; create role worker login; grant usage on schema payments to worker',
    );
    const connectionString = engine.url.replace('tester', 'worker');
    const worker = new Pool({ connectionString, max: 1 });
    const table = 'payments.intents';
    const both = [postgresStore(worker, { table }), postgresStore(worker, { table, migrate: false })];
    for (const store of both)
      await expect(store.read('a')).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining("the SQL of postgresMigration('payments.intents')") as string,
      });
    await pool.query(postgresMigration(table));
    await pool.query(postgresMigration(table));
    await pool.query('grant select, insert, update on all tables in schema payments to worker');
    const write = { fromVersion: 0, writeId: 'w' };
    for (const store of both) expect(await store.swap(intentOf('a'), write)).toBe('done');
    await worker.end();
  });

  it('creates no tables with `migrate: false`', async () => {
    const table = nextTable();
    const store = postgresStore(pool, { table, migrate: false });
    await expect(store.read('a')).rejects.toThrow('or leave out `migrate: false`');
    expect((await pool.query(`select to_regclass('${table}_store') as name`)).rows).toEqual([{ name: null }]);
    await postgresStore(pool, { table }).read('a');
    expect(await store.read('a')).toBeUndefined();
  });

  it('reads tables of its format, and creates the same tables', async () => {
    await pool.query(readFixture('format-1.postgres.sql'));
    await expectStoredIntents(postgresStore(pool, { table: 'intents_format' }));
    const own = nextTable();
    await postgresStore(pool, { table: own }).read('a');
    const readTables = async (name: string): Promise<string> => {
      const columns = `select table_name, column_name, data_type, is_nullable, collation_name
        from information_schema.columns where table_name in ('${name}', '${name}_store') order by 1, 2`;
      const indexes = `select indexdef from pg_indexes where tablename in ('${name}', '${name}_store') order by 1`;
      const rows = [...(await pool.query(columns)).rows, ...(await pool.query(indexes)).rows];
      return JSON.stringify(rows).replaceAll(name, 'name');
    };
    expect(await readTables(own)).toBe(await readTables('intents_format'));
  });

  it('rejects a later format, and a table of another application', async () => {
    const table = nextTable();
    const store = postgresStore(pool, { table });
    await store.read('a');
    await pool.query(`update ${table}_store set format = 2`);
    for (const migrate of [true, false])
      await expect(postgresStore(pool, { table, migrate }).read('a')).rejects.toThrow(
        'has format 2 of intents; this release reads format 1',
      );
    await pool.query('create table orders (id integer)');
    await expect(postgresStore(pool, { table: 'orders' }).read('a')).rejects.toMatchObject({
      name: 'ConfigurationError',
      cause: { message: expect.stringContaining('already exists') as string },
    });
    expect((await pool.query("select to_regclass('orders_store') as name")).rows).toEqual([{ name: null }]);
  });

  it('reports each result over a client that returns all values as texts, and names in camel case', async () => {
    const toText = (value: unknown): unknown => (value === true ? 't' : value === false ? 'f' : value);
    const toCamel = (name: string): string =>
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const store = open({
      query: async (text, values) => {
        const { rows } = await pool.query<Record<string, unknown>>(text, values);
        const convert = (row: Record<string, unknown>): object =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [toCamel(name), toText(value)]));
        return { rows: rows.map(convert) };
      },
    });
    const paid = (reference: string): Intent => ({ ...intentOf(reference), paymentId: 'pay_test_1' });
    expect(await store.swap(paid('a'), { fromVersion: 0, writeId: 'w1' })).toBe('done');
    expect(await store.swap(paid('a'), { fromVersion: 0, writeId: 'w1' })).toBe('done');
    expect(await store.swap(paid('a'), { fromVersion: 0, writeId: 'w2' })).toBe('lost');
    expect(await store.swap(paid('b'), { fromVersion: 0, writeId: 'w3' })).toBe('id_taken');
  });

  it('reports lost and id_taken in a database whose transactions are serializable', async () => {
    const strict = new Pool({
      connectionString: engine.url,
      options: '-c default_transaction_isolation=serializable',
    });
    const store = open(strict);
    const write = (reference: string, version: number, paymentId?: string) =>
      store.swap(
        { ...intentOf(reference, version), paymentId },
        { fromVersion: version - 1, writeId: reference + version },
      );
    expect(await write('a', 1, 'pay_test_1')).toBe('done');
    expect(await write('b', 1, 'pay_test_1')).toBe('id_taken');
    expect(await store.swap(intentOf('a', 1), { fromVersion: 0, writeId: 'w' })).toBe('lost');
    await strict.end();
  });

  it('fails if the database fails', async () => {
    const store = open();
    const closed = new Pool({ connectionString: engine.url });
    await closed.end();
    await expect(postgresStore(closed).read('a')).rejects.toThrow('after calling end');
    await store.read('a');
    await pool.query(`drop table intents_${count}`);
    await expect(store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).rejects.toThrow(
      'does not exist',
    );
    await expect(store.read('a')).rejects.toThrow('does not exist');
  });

  it.each([
    [undefined, {}],
    [{}, {}],
    ['postgres://localhost', {}],
    [{ query: () => {} }, { table: 'a"; drop table b' }],
    [{ query: () => {} }, { table: 'x'.repeat(51) }],
    [{ query: () => {} }, { fingerprintKey: 'short' }],
    [{ query: () => {} }, { tabel: 'a' }],
    [{ query: () => {} }, { migrate: 'no' }],
    [{ unsafe: () => {} }, {}],
    [() => {}, {}],
  ])('rejects the connection %o with the options %j', (connection, options) => {
    expect(() => postgresStore(connection as never, options as never)).toThrow(ConfigurationError);
  });

  it('rejects a connection that returns no rows', async () => {
    const wrong = { query: async () => undefined } as unknown as PostgresConnection;
    await expect(postgresStore(wrong).read('a')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: '`query` of the Postgres connection must return an object with `rows`.',
    });
  });
});
