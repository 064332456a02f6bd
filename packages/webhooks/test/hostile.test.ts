// Conditions that once lost an event or delayed others.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createReceiver, WebhookError } from '@service/webhooks';
import type { ReceiverOptions, WebhookRequest } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const headers = { 'x-service-signature': await signByOracle(body) };

const setUp = (options: Partial<ReceiverOptions> = {}) =>
  setUpReceiver(createReceiver, { on: {}, ...options });

describe('an error while reading a body', () => {
  const reads: Record<string, WebhookRequest['read']> = {
    'thrown synchronously': () => {
      throw new WebhookError('confirm_failed');
    },
    'as a rejection': () => Promise.reject(new WebhookError('invalid_json')),
  };

  it.each(Object.entries(reads))('%s is reported as unexpected', async (_, read) => {
    const { receive, fallback, errors } = setUp();
    expect((await receive.deliver({ method: 'POST', headers, read })).status).toBe(500);
    expect(errors).toEqual([['unexpected', undefined]]);
    expect(fallback).not.toHaveBeenCalled();
  });
});

describe('a receiver in unusual conditions', () => {
  it('responds if the host parses a body when it is read, and that fails', async () => {
    const { receive, errors } = setUp();
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
    expect(errors).toEqual([['unexpected', undefined]]);
  });

  it('reads a request that was paused before', async () => {
    const { receive, fallback } = setUp();
    const listener = toNode(receive);
    const server = createServer((incoming, outgoing) => {
      incoming.pause();
      setImmediate(() => void listener(incoming, outgoing));
    });
    const port = await listenAtFreePort(server);
    const sent = request({ port, method: 'POST', headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(fallback).toHaveBeenCalledTimes(1);
    server.closeAllConnections();
    server.close();
  });

  it('acknowledges nothing if now() returns NaN', async () => {
    const { send, fallback, errors } = setUp({ maxEventAge: 200_000_000, now: () => Number.NaN });
    expect(await send()).toBe(500);
    expect(errors).toEqual([['invalid_event', undefined]]);
    expect(fallback).not.toHaveBeenCalled();
  });

  it('rejects a body whose chunks are not bytes', async () => {
    const chunks = new ReadableStream({
      start: (controller) => {
        controller.enqueue(body);
        controller.close();
      },
    });
    const { receive, errors } = setUp();
    const delivery = new Request('http://localhost/', { method: 'POST', headers });
    Object.defineProperty(delivery, 'body', { value: chunks });
    expect((await receive(delivery)).status).toBe(500);
    expect(errors).toEqual([['body_unreadable', undefined]]);
  });
});

describe('an event of Lambda', () => {
  it('with empty multiValueHeaders is read from headers', async () => {
    const { receive } = setUp();
    const event = { httpMethod: 'POST', headers, multiValueHeaders: {}, body };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 200 });
  });

  it('with invalid base64 is reported as body_unreadable', async () => {
    const { receive, errors } = setUp();
    const event = { httpMethod: 'POST', headers, body: '%%%', isBase64Encoded: true };
    expect(await toLambda(receive)(event)).toMatchObject({ statusCode: 500 });
    expect(errors).toEqual([['body_unreadable', undefined]]);
  });
});
