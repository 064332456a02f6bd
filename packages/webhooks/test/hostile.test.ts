// Conditions that once lost an event or delayed others.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createReceiver, memoryStore, WebhookError } from '@service/webhooks';
import type { WebhookRequest } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import { redisStore } from '@service/webhooks/redis';
import { createDelivery, SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const headers = { 'x-service-signature': await signByOracle(body) };

/** Creates a receiver with a recorded handler and the reported codes. */
function setUp(options: object = {}) {
  const handler = vi.fn<() => void>();
  const codes: string[] = [];
  const onError = ({ code }: WebhookError): void => void codes.push(code);
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: handler, onError, ...options });
  return { receive, handler, codes };
}

describe('a store that two receivers share', () => {
  it('separates them by name', async () => {
    const store = memoryStore();
    const [billing, mail] = ['billing', 'mail'].map((name) => setUp({ store, name }));
    for (const { receive } of [billing!, mail!, billing!]) {
      expect((await receive(await createDelivery(body))).status).toBe(200);
    }
    expect([billing!.handler.mock.calls.length, mail!.handler.mock.calls.length]).toEqual([1, 1]);
  });

  it.each(['', 5, null])('rejects the name %o', (name) => {
    expect(() => setUp({ name })).toThrow(/name`? must be a string that is not empty/);
  });
});

describe('redisStore', () => {
  it.each([null, undefined, true, 1, 'OK', 'QUEUED'])(
    'fails at once if the response to a claim is %o',
    async (response) => {
      const sendCommand = vi.fn<() => Promise<unknown>>(async () => response);
      const { receive, handler, codes } = setUp({ store: redisStore({ sendCommand }) });
      expect((await receive(await createDelivery(body))).status).toBe(500);
      expect(codes).toEqual(['store_failed']);
      expect(handler).not.toHaveBeenCalled();
      expect(sendCommand).toHaveBeenCalledOnce();
    },
  );
});

describe('an error while reading a body', () => {
  const reads: Record<string, WebhookRequest['read']> = {
    'thrown synchronously': () => {
      throw new WebhookError('confirm_failed');
    },
    'as a rejection': () => Promise.reject(new WebhookError('invalid_json')),
  };

  it.each(Object.entries(reads))('%s is reported as unexpected', async (_, read) => {
    const { receive, handler, codes } = setUp();
    expect((await receive.deliver({ method: 'POST', headers, read })).status).toBe(500);
    expect(codes).toEqual(['unexpected']);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('a receiver in unusual conditions', () => {
  it('responds if the host parses a body when it is read, and that fails', async () => {
    const { receive, codes } = setUp();
    const writeHead = vi.fn<(status: number) => void>();
    const incoming = {
      method: 'POST',
      headers,
      get body(): unknown {
        throw new SyntaxError('Invalid JSON');
      },
      on: () => {},
      off: () => {},
      resume: () => {},
    };
    await toNode(receive)(incoming, { writeHead, end: () => {} });
    expect(writeHead.mock.calls[0]?.[0]).toBe(500);
    expect(codes).toEqual(['unexpected']);
  });

  it('responds to a duplicate if nothing else keeps the process alive', () => {
    const index = join(import.meta.dirname, '../src/index.ts');
    const script = `
      import { createReceiver, sign } from ${JSON.stringify(index)};
      const body = ${JSON.stringify(body)};
      const receive = createReceiver({
        secrets: 's', on: {}, fallback: () => new Promise(() => {}),
      });
      const deliver = () => receive.deliver({
        method: 'POST', headers: { 'x-service-signature': sign(body, 's') }, read: () => body,
      });
      void deliver();
      console.log((await deliver()).status);
    `;
    const faster = `const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, delay) => setTimeout(run, delay / 100);`;
    const flags = [
      '--import',
      `data:text/javascript,${faster}`,
      '--conditions=@service/source',
      '--input-type=module',
      '-e',
      script,
    ];
    const { stdout, status } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
    expect([stdout.trim(), status]).toEqual(['503', 0]);
  });

  it('reads a request that was paused before', async () => {
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
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(handler).toHaveBeenCalledTimes(1);
    server.closeAllConnections();
    server.close();
  });

  it('acknowledges nothing if now() returns NaN', async () => {
    const options = { maxEventAge: 200_000_000, now: () => Number.NaN };
    const { receive, handler, codes } = setUp(options);
    expect((await receive(await createDelivery(body))).status).toBe(500);
    expect(codes).toEqual(['invalid_event']);
    expect(handler).not.toHaveBeenCalled();
  });

  it('rejects a body whose chunks are not bytes', async () => {
    const chunks = new ReadableStream({
      start: (controller) => {
        controller.enqueue(body);
        controller.close();
      },
    });
    const { receive, codes } = setUp();
    const delivery = new Request('http://localhost/', { method: 'POST', headers });
    Object.defineProperty(delivery, 'body', { value: chunks });
    expect((await receive(delivery)).status).toBe(500);
    expect(codes).toEqual(['body_unreadable']);
  });
});

describe('an event of Lambda', () => {
  it('with empty multiValueHeaders is read from headers', async () => {
    const { receive } = setUp();
    const event = { httpMethod: 'POST', headers, multiValueHeaders: {}, body };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 200 });
  });

  it('with invalid base64 is reported as body_unreadable', async () => {
    const { receive, codes } = setUp();
    const event = { httpMethod: 'POST', headers, body: '%%%', isBase64Encoded: true };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 500 });
    expect(codes).toEqual(['body_unreadable']);
  });
});
