import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import { redisStore } from '@service/webhooks/redis';
import { createDelivery, SECRET, writeEvent } from '../samples.ts';
import { describeSharedStore } from './contract.ts';
import { describeReads } from './reads.ts';
import { findRedis, startRedis } from './servers.ts';
import type { Engine } from './servers.ts';

const program = findRedis();

async function connect(url: string, RESP?: 3) {
  const client = createClient({ url, ...(RESP && { RESP }), socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  return client.connect();
}

describe('redisStore over a real Redis', () => {
  let engine: Engine;
  let nodeRedis: Awaited<ReturnType<typeof connect>>;
  let resp3: Awaited<ReturnType<typeof connect>>;
  let ioredis: Redis;

  beforeAll(async () => {
    engine = await startRedis(program);
    nodeRedis = await connect(engine.url);
    resp3 = await connect(engine.url, 3);
    ioredis = new Redis(engine.url);
  });

  afterAll(async () => {
    await nodeRedis.close();
    await resp3.close();
    ioredis.disconnect();
    await engine.stop();
  });

  describeReads({
    open: (options) => redisStore(nodeRedis, options),
    advance: async (milliseconds) => {
      for (const key of await nodeRedis.keys('*'))
        await nodeRedis.pExpire(key, Math.max(0, (await nodeRedis.pTTL(key)) - milliseconds));
    },
  });
  describe('with node-redis', () => {
    describeSharedStore((options) => redisStore(nodeRedis, options));
  });
  describe('with node-redis, RESP3 and bytes', () => {
    describeSharedStore((options) =>
      redisStore(
        {
          sendCommand: (words) =>
            resp3.sendCommand(words, { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }),
        },
        options,
      ),
    );
  });
  describe('with ioredis and bytes', () => {
    describeSharedStore((options) =>
      redisStore({ call: (command, ...words) => ioredis.callBuffer(command, ...words) }, options),
    );
  });
  describe('with ioredis', () => {
    describeSharedStore((options) => redisStore(ioredis, options));
  });

  it('handles an event once over a client that sends each command twice, as after a lost response', async () => {
    const send = (words: string[]): Promise<unknown> => nodeRedis.sendCommand(words);
    const handler = vi.fn<() => void>();
    const onError = vi.fn<() => void>();
    const store = redisStore({ sendCommand: async (words) => [await send(words), await send(words)][1] });
    const receive = createReceiver({ secrets: SECRET, on: {}, fallback: handler, onError, store });
    for (let delivery = 0; delivery < 2; delivery += 1)
      expect(
        (await receive(await createDelivery(writeEvent({ data: { id: 'pay_test_sent_twice' } })))).status,
      ).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
    expect(onError).not.toHaveBeenCalled();
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
