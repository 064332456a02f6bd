// What careless and hostile surroundings do to a receiver: each of these once lost an event, or held up others.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createReceiver, memoryStore, WebhookError } from '@service/webhooks';
import type { Delivery } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import { redisStore } from '@service/webhooks/redis';
import { createDelivery, SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const headers = { 'x-service-signature': await signByOracle(body) };

/** Makes a receiver that counts what its handler was given and tells the codes of what failed. */
function setUp(options: object = {}) {
  const handler = vi.fn<() => void>();
  const codes: string[] = [];
  const onError = ({ code }: WebhookError): void => void codes.push(code);
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: handler, onError, ...options });
  return { receive, handler, codes };
}

describe('a store that two receivers share', () => {
  it('keeps them apart by their names', async () => {
    const store = memoryStore();
    const [billing, mail] = ['billing', 'mail'].map((name) => setUp({ store, name }));
    for (const { receive } of [billing!, mail!, billing!]) {
      expect((await receive(await createDelivery(body))).status).toBe(200);
    }
    expect([billing!.handler.mock.calls.length, mail!.handler.mock.calls.length]).toEqual([1, 1]);
  });

  it.each(['', 5, null])('refuses the name %o', (name) => {
    expect(() => setUp({ name })).toThrow('name must be text');
  });
});

it('a duplicate is answered though nothing else holds the process', () => {
  const index = join(import.meta.dirname, '../src/index.ts');
  const script = `
    import { createReceiver, sign } from ${JSON.stringify(index)};
    const body = ${JSON.stringify(body)};
    const receive = createReceiver({
      secrets: 's', on: {}, fallback: () => new Promise(() => {}), acknowledgeTimeout: 50,
    });
    const deliver = () => receive.deliver({
      method: 'POST', headers: { 'x-service-signature': sign(body, 's') }, read: () => body,
    });
    void deliver();
    console.log((await deliver()).status);
  `;
  const flags = ['--conditions=@service/source', '--input-type=module', '-e', script];
  const { stdout, status } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect([stdout.trim(), status]).toEqual(['503', 0]);
});

describe('redisStore', () => {
  /** A client that answers `SET` and `GET` so. */
  const clientOf = (set: () => unknown, get: () => unknown) => ({ set, get, eval: () => 1 }) as never;

  it('knows its own claim again when the answer to it was lost and it was sent anew', async () => {
    let kept: unknown;
    const set = (_key: string, value: unknown): unknown => {
      kept = value;
      return null;
    };
    const { receive, handler, codes } = setUp({ store: redisStore(clientOf(set as never, () => kept)) });
    expect((await receive(await createDelivery(body))).status).toBe(200);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(codes).toEqual([]);
  });

  it('fails, and does not spin, where a key is neither to be had nor held', async () => {
    const get = vi.fn<() => null>(() => null);
    const { receive, codes } = setUp({ store: redisStore(clientOf(() => null, get)) });
    expect((await receive(await createDelivery(body))).status).toBe(500);
    expect(codes).toEqual(['store_failed']);
    expect(get.mock.calls.length).toBeLessThan(5);
  });

  it.each([true, 1, 'QUEUED'])('fails where SET is answered %o', async (answer) => {
    const { receive, handler, codes } = setUp({
      store: redisStore(
        clientOf(
          () => answer,
          () => null,
        ),
      ),
    });
    expect((await receive(await createDelivery(body))).status).toBe(500);
    expect(codes).toEqual(['store_failed']);
    expect(handler).not.toHaveBeenCalled();
  });
});

it('a request that something paused is read all the same', async () => {
  const { receive, handler } = setUp();
  const listener = toNode(receive);
  const server = createServer((incoming, outgoing) => {
    incoming.pause();
    setImmediate(() => void listener(incoming, outgoing));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, method: 'POST', headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  expect(handler).toHaveBeenCalledTimes(1);
  server.closeAllConnections();
  server.close();
});

describe('what reading a body throws', () => {
  const reads: Record<string, Delivery['read']> = {
    'at once': () => {
      throw new WebhookError('confirm_failed');
    },
    later: () => Promise.reject(new WebhookError('invalid_json')),
  };

  it.each(Object.entries(reads))('%s is no verdict on the event', async (_, read) => {
    const { receive, handler, codes } = setUp();
    expect((await receive.deliver({ method: 'POST', headers, read })).status).toBe(500);
    expect(codes).toEqual(['unexpected']);
    expect(handler).not.toHaveBeenCalled();
  });
});

it('a clock that tells no time acknowledges nothing', async () => {
  const options = { freshness: { maxAge: 200_000_000 }, now: () => Number.NaN };
  const { receive, handler, codes } = setUp(options);
  expect((await receive(await createDelivery(body))).status).toBe(500);
  expect(codes).toEqual(['unexpected']);
  expect(handler).not.toHaveBeenCalled();
});

it('a body in pieces that are no bytes is refused', async () => {
  const pieces = new ReadableStream({
    start: (controller) => {
      controller.enqueue(body);
      controller.close();
    },
  });
  const { receive, codes } = setUp();
  const delivery = new Request('http://localhost/', { method: 'POST', headers });
  Object.defineProperty(delivery, 'body', { value: pieces });
  expect((await receive(delivery)).status).toBe(500);
  expect(codes).toEqual(['body_unreadable']);
});

describe('an event of Lambda', () => {
  it('with an empty list of headers beside single ones is read by those', async () => {
    const { receive } = setUp();
    const event = { httpMethod: 'POST', headers, multiValueHeaders: {}, body };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 200 });
  });

  it('whose base64 is none is told as unreadable', async () => {
    const { receive, codes } = setUp();
    const event = { httpMethod: 'POST', headers, body: '%%%', isBase64Encoded: true };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 500 });
    expect(codes).toEqual(['body_unreadable']);
  });
});
