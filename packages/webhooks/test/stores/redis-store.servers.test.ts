import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisStore } from '@service/webhooks/redis';
import type { RedisLike } from '@service/webhooks/redis';
import { thrownBy } from '../samples.ts';
import { describeSharedStore } from './contract.ts';
import { findRedis, startRedis } from './servers.ts';
import type { Engine } from './servers.ts';

const program = findRedis();

async function connect(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  return client.connect();
}

describe('redisStore over a real Redis', () => {
  let engine: Engine;
  let nodeRedis: Awaited<ReturnType<typeof connect>>;
  let ioredis: Redis;

  beforeAll(async () => {
    engine = await startRedis(program);
    nodeRedis = await connect(engine.url);
    ioredis = new Redis(engine.url);
  });

  afterAll(async () => {
    await nodeRedis.close();
    ioredis.disconnect();
    await engine.stop();
  });

  describe('with node-redis', () => {
    describeSharedStore((options) => redisStore(nodeRedis, options));
  });
  describe('with ioredis', () => {
    describeSharedStore((options) => redisStore(ioredis, options));
  });

  it('adds the prefix to its keys and sets their expiry', async () => {
    const store = redisStore(nodeRedis, { prefix: 'shop:', ttl: 5_000 });
    await store.claim('a', 'one', 1_000);
    expect(await nodeRedis.get('shop:a')).toBe('owner:one');
    expect(await nodeRedis.pTTL('shop:a')).toBeLessThanOrEqual(1_000);
    await store.confirm('a', 'one');
    expect(await nodeRedis.pTTL('shop:a')).toBeGreaterThan(1_000);
  });
});

describe('redisStore', () => {
  const client = { sendCommand: async () => null };

  it.each([null, undefined, {}, { set: () => {}, get: () => {}, eval: () => {} }, 'redis://'])(
    'rejects %j as a client',
    (wrong) => {
      expect(thrownBy(() => redisStore(wrong as never))).toMatchObject({ code: 'invalid_options' });
    },
  );

  it.each([
    { ttl: 0 },
    { ttl: Number.NaN },
    { lease: 4_000 },
    { ttl: '1' },
    { pollInterval: 50 },
    { commandTimeout: 5_000 },
    { expiry: 1 },
  ])('rejects the options %j', (options) => {
    expect(thrownBy(() => redisStore(client, options as never))).toMatchObject({ code: 'invalid_options' });
  });

  it('reads the responses of a client that returns bytes', async () => {
    const stored = new Map<string, string>();
    const bytes: RedisLike = {
      sendCommand: async ([command, key = '', value = '']) => {
        if (command === 'GET') return stored.has(key) ? Buffer.from(stored.get(key)!) : null;
        if (stored.has(key)) return null;
        stored.set(key, value);
        return Buffer.from('OK');
      },
    };
    const store = redisStore(bytes, { prefix: '' });
    expect(await store.claim('a', 'one')).toBe('claimed');
    stored.set('b', 'confirmed');
    expect(await store.claim('b', 'one')).toBe('confirmed');
  });

  it('has a ttl of seven days by default', () => {
    expect(redisStore(client).ttl).toBe(7 * 86_400_000);
  });
});
