import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Engine, findRedis, startRedis } from '../../../webhooks/test/stores/servers.ts';
import { createRedisStore, type RedisConnection } from '../../src/entries/intents-redis.ts';
import type { IntentStore } from '../../src/index.ts';
import { describeRace } from './race.ts';
import { describeStoreFaults } from './store-faults.ts';
import { describeBoundStore, describeIntentStore, intentOf } from './store-contract.ts';
import { expectStoredIntents, readFixture, writeStoredIntents } from './stored-format.ts';

const program = findRedis();
const durable = { appendonly: 'yes', appendfsync: 'always' };
const account = { mode: 'test', baseUrl: 'https://api.example.test/api/v1', label: 'a' } as const;

describe('createRedisStore', () => {
  let engine: Engine;
  let ioredis: Redis;
  const nodeRedis: ReturnType<typeof createClient>[] = [];
  let count = 0;
  const nextPrefix = (): string => `{intents-${(count += 1)}}:`;

  const connect = async (url: string, settings: object = {}) => {
    const client = createClient({ url, ...settings });
    client.on('error', () => {});
    await client.connect();
    nodeRedis.push(client as ReturnType<typeof createClient>);
    return client;
  };

  beforeAll(async () => {
    engine = await startRedis(program, durable);
    ioredis = new Redis(engine.url);
  }, 60_000);

  afterAll(async () => {
    ioredis.disconnect();
    for (const client of nodeRedis) client.destroy();
    await engine.stop();
  });

  const open = (client: RedisConnection = ioredis): Promise<IntentStore> =>
    createRedisStore(client, { prefix: nextPrefix() });

  const drivers = [
    { name: 'ioredis', getClient: async () => ioredis },
    { name: 'node-redis with RESP2', getClient: () => connect(engine.url, { RESP: 2 }) },
    { name: 'node-redis with RESP3', getClient: () => connect(engine.url, { RESP: 3 }) },
  ];

  describe.each(drivers)('over $name', ({ getClient }) => {
    let client: RedisConnection;
    beforeAll(async () => void (client = (await getClient()) as RedisConnection));
    describeIntentStore(() => open(client));
    describeBoundStore(() => open(client));
    describeRace(() => open(client));
  });

  describe('with two workers', () => {
    describeStoreFaults(async ({ wrap }) => {
      const prefix = nextPrefix();
      const call = wrap((command: string, ...words: string[]) => ioredis.call(command, ...words));
      const sendCommand = wrap((words: string[]) => ioredis.call(words[0] ?? '', ...words.slice(1)));
      return Promise.all([
        createRedisStore({ call }, { prefix }),
        createRedisStore({ sendCommand }, { prefix }),
      ]);
    });
  });

  it('keeps each acknowledged write when the server is killed', async () => {
    const own = await startRedis(program, durable);
    onTestFinished(own.stop);
    const client = new Redis(own.url, { retryStrategy: () => 5 });
    client.on('error', () => {});
    const store = await createRedisStore(client);
    await store.bindAccount?.(account);
    for (let round = 1; round <= 3; round += 1) {
      const acknowledged = Array.from({ length: 40 }, (_, index) => `ref-${round}-${index}`);
      const writes = acknowledged.map((reference) =>
        store.swap(intentOf(reference), { fromVersion: 0, writeId: reference }),
      );
      await Promise.all(writes);
      await own.kill();
      await own.restart();
      const listed: string[] = [];
      for await (const { reference } of store.list({ after: `ref-${round}` })) listed.push(reference);
      expect(listed).toEqual(acknowledged.toSorted());
    }
    expect(await store.bindAccount?.({ ...account, label: 'b' })).toEqual(account);
    client.disconnect();
  });

  it.each([
    { appendonly: 'no' },
    { ...durable, appendfsync: 'everysec' },
    { ...durable, 'no-appendfsync-on-rewrite': 'yes' },
    { ...durable, 'maxmemory-policy': 'allkeys-lru' },
  ])('rejects a server with %j unless allowDataLoss is set', async (settings) => {
    const own = await startRedis(program, settings);
    onTestFinished(own.stop);
    const client = new Redis(own.url);
    const [name = ''] = Object.keys(settings).slice(-1);
    await expect(createRedisStore(client)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`${name} is '`) as string,
    });
    const store = await createRedisStore(client, { allowDataLoss: true });
    expect(await store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).toBe('done');
    expect(await store.bindAccount?.(account)).toEqual(account);
    client.disconnect();
  });

  it('rejects a run if the server became less durable, and a server with a replica', async () => {
    const own = await startRedis(program, durable);
    onTestFinished(own.stop);
    const client = new Redis(own.url);
    const store = await createRedisStore(client);
    await store.bindAccount?.(account);
    await client.config('SET', 'appendfsync', 'everysec');
    await expect(store.bindAccount?.(account)).rejects.toThrow(
      "appendfsync is 'everysec' and must be 'always'",
    );
    await client.config('SET', 'appendfsync', 'always');
    const replica = await startRedis(program, {
      ...durable,
      replicaof: `127.0.0.1 ${new URL(own.url).port}`,
    });
    onTestFinished(replica.stop);
    await expect
      .poll(() => store.bindAccount?.(account).then(String, String))
      .toContain('it has replicas, to which it can fail over');
    const reader = new Redis(replica.url);
    await expect(createRedisStore(reader)).rejects.toThrow('it is a replica');
    reader.disconnect();
    client.disconnect();
  });

  it('rejects a server whose settings cannot be read', async () => {
    await ioredis.call('ACL', 'SETUSER', 'worker', 'on', 'nopass', '~*', '+@all', '-config');
    const client = new Redis(engine.url.replace('//', '//worker:any@'));
    await expect(createRedisStore(client)).rejects.toThrow('The durability settings of Redis cannot be read');
    const store = await createRedisStore(client, { allowDataLoss: true, prefix: nextPrefix() });
    expect(await store.read('a')).toBeUndefined();
    client.disconnect();
  });

  it('shares the keys of a prefix between two stores', async () => {
    const prefix = nextPrefix();
    const one = await createRedisStore(ioredis, { prefix });
    const other = await createRedisStore(await connect(engine.url), { prefix });
    const paid = { ...intentOf('a'), state: 'created', paymentId: 'pay_test_1' } as const;
    expect(await one.swap(paid, { fromVersion: 0, writeId: 'w1' })).toBe('done');
    expect(await other.read('a')).toEqual(paid);
    expect(await other.swap({ ...paid, reference: 'b' }, { fromVersion: 0, writeId: 'w2' })).toBe('id_taken');
  });

  it('returns the time of the server', async () => {
    const store = await open();
    const [seconds] = await ioredis.time();
    const time = await store.now?.();
    expect(time?.getTime()).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
  });

  it('reads the responses of a client that returns bytes', async () => {
    const store = await open({
      call: (command, ...words) => ioredis.callBuffer(command, ...words),
    });
    await store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' });
    expect(await store.read('a')).toEqual(intentOf('a'));
    expect(await store.bindAccount?.(account)).toEqual(account);
    expect(Number.isNaN((await store.now?.())?.getTime())).toBe(false);
  });

  it('reads keys of format 1, and writes the same keys', async () => {
    const commands = JSON.parse(readFixture('format-1.redis.json')) as readonly string[][];
    const write = (prefix: string): Promise<unknown> =>
      Promise.all(
        commands.map(([name = '', key = '', ...rest]) =>
          ioredis.call(name, key.replace('{format}:', prefix), ...rest),
        ),
      );
    const readKeys = async (prefix: string): Promise<unknown> => [
      await ioredis.hgetall(`${prefix}intents`),
      await ioredis.hgetall(`${prefix}payments`),
      await ioredis.zrange(`${prefix}references`, '0', '-1', 'WITHSCORES'),
      await ioredis.mget(`${prefix}account`, `${prefix}format`),
    ];
    const [fixture, own] = [nextPrefix(), nextPrefix()];
    await write(fixture);
    await writeStoredIntents(await createRedisStore(ioredis, { prefix: own }));
    expect(await readKeys(own)).toEqual(await readKeys(fixture));
    await expectStoredIntents(await createRedisStore(ioredis, { prefix: fixture }));
  });

  it('rejects a later format', async () => {
    const prefix = nextPrefix();
    await ioredis.set(`${prefix}format`, '2');
    await expect(createRedisStore(ioredis, { prefix })).rejects.toThrow(
      'have format 2 of intents; this release reads format 1',
    );
  });

  it.each([
    [undefined, {}],
    [{}, {}],
    ['redis://localhost', {}],
    [{ call: () => {} }, { prefix: 1 }],
    [{ call: () => {} }, { allowDataLoss: 'yes' }],
    [{ call: () => {} }, { fingerprintKey: 'short' }],
    [{ call: () => {} }, { prefx: 'a' }],
  ])('rejects the client %o with the options %j', async (client, options) => {
    await expect(createRedisStore(client as never, options as never)).rejects.toMatchObject({
      name: 'ConfigurationError',
    });
  });
});
