import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import type { ReceiverOptions, WebhookError, WebhookEvent } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { badInputs, toHeaderValues } from './bad-inputs.ts';
import { startNext } from './next-app.ts';
import { encode, SECRET, writeEvent } from './samples.ts';
import { frameworks } from './servers.ts';
import type { Framework } from './servers.ts';

const body = writeEvent();
const signBy = (bytes: string | Uint8Array, secret = SECRET): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');
const genuine = signBy(body);

interface SentResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

async function post(
  port: number,
  bytes: string | Uint8Array,
  { method = 'POST', ...headers }: OutgoingHttpHeaders & { method?: string } = {},
): Promise<SentResponse> {
  const outgoing = sendRequest({
    port,
    path: '/webhooks',
    method,
    headers: { 'content-type': 'application/json', 'x-service-signature': signBy(bytes), ...headers },
  });
  outgoing.on('error', () => {});
  outgoing.end(bytes);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: incoming.statusCode ?? 0,
    text: await readText(incoming),
    headers: incoming.headers,
  };
}

const inputs = Object.entries(badInputs);

let endNext: () => Promise<void>;
beforeAll(async () => {
  // Next logs its compilation.
  vi.spyOn(console, 'log').mockReturnValue();
  endNext = await startNext();
  vi.restoreAllMocks();
}, 120_000);
afterAll(() => endNext());

describe.each(frameworks)('a receiver behind $name', ({ listen, listenParsed, fix }) => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

  async function setUp(start: Framework['listen'] = listen, options: Partial<ReceiverOptions> = {}) {
    const handler = vi.fn<(event: WebhookEvent) => unknown>();
    const errors: WebhookError[] = [];
    const on = { 'payment.completed': handler };
    const onError = (error: WebhookError) => errors.push(error);
    const receive = createReceiver({ secrets: SECRET, on, fallback: handler, onError, ...options });
    const { port, close } = await start(receive);
    closing.push(close);
    return { port, handler, errors, codes: () => errors.map(({ code }) => code) };
  }

  it('responds 200 to a valid event and dispatches it', async () => {
    const { port, handler, codes } = await setUp();
    const sent = writeEvent({ data: { purpose: 'محمد 株式会社 👩‍👩‍👧 e\u0301 \u200f' } });
    const response = await post(port, sent);
    expect(response).toMatchObject({
      status: 200,
      text: 'received',
      headers: { 'cache-control': 'no-store' },
    });
    expect(handler.mock.calls).toEqual([[{ ...JSON.parse(sent), kind: 'payment', source: 'webhook' }]]);
    expect(codes()).toEqual([]);
  });

  it('accepts any content type', async () => {
    const { port } = await setUp();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      expect((await post(port, body, { 'content-type': type })).status).toBe(200);
    }
  });

  it.each(inputs)('responds to %s and handles nothing', async (_, rows) => {
    const { port, handler, errors } = await setUp(listen, { mode: 'test' });
    for (const { title, body: sent, signature, code, status } of rows) {
      const values = toHeaderValues(signature);
      if (values === undefined) continue;
      const response = await post(port, sent, { 'x-service-signature': [...values] });
      const error = errors.pop();
      const text = { 200: 'received', 401: 'signature refused', 500: 'not processed' }[status];
      expect([title, response.status, response.text, error?.code]).toEqual([title, status, text, code]);
      expect(String(error)).not.toContain(genuine);
    }
    expect(handler).not.toHaveBeenCalled();
  });

  it('dispatches one of a hundred concurrent deliveries', async () => {
    const { port, handler } = await setUp();
    const responses = await Promise.all(Array.from({ length: 100 }, () => post(port, body)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(handler).toHaveBeenCalledOnce();
  });

  it('responds 405 to other methods', async () => {
    const { port } = await setUp();
    for (const method of ['PUT', 'PATCH']) {
      expect(await post(port, body, { method })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  it('responds 413 to a body over maxBodyBytes, with and without a content-length', async () => {
    const { port, codes } = await setUp(listen, { maxBodyBytes: body.length - 1 });
    expect((await post(port, body)).status).toBe(413);
    expect((await post(port, body, { 'transfer-encoding': 'chunked' })).status).toBe(413);
    expect(codes()).toEqual(['body_too_large', 'body_too_large']);
  });

  it('responds 500 behind a parser that read the body, and reports a remedy', async () => {
    const { port, handler, errors } = await setUp(listenParsed);
    expect(await post(port, body)).toMatchObject({ status: 500, text: 'not processed' });
    expect(errors).toMatchObject([{ name: 'WebhookError', code: 'body_not_raw' }]);
    expect(errors[0]?.message).toMatch(/^The body was read before the receiver\. ./);
    expect(errors[0]?.message).toMatch(fix);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('the node:http adapter with a buffered body', () => {
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: () => {}, onError: () => {} });
  const statusOf = async (extra: object): Promise<unknown> => {
    const outgoing = { writeHead: vi.fn<(status: number) => void>(), end: () => {} };
    const incoming = { method: 'POST', headers: { 'x-service-signature': genuine }, readableDidRead: true };
    await toNode(receive)({ ...incoming, on: () => {}, off: () => {}, resume: () => {}, ...extra }, outgoing);
    return outgoing.writeHead.mock.calls[0]?.[0];
  };

  it.each([
    ['a Buffer in body', { body: Buffer.from(body) }],
    ['text in body', { body }],
    ['bytes in rawBody and a parsed body', { body: JSON.parse(body) as unknown, rawBody: encode(body) }],
  ])('accepts %s', async (_, extra) => {
    expect(await statusOf(extra)).toBe(200);
  });

  it('sends no response if headers were sent already', async () => {
    expect(await statusOf({ body })).toBe(200);
    const writeHead = vi.fn<() => void>();
    const incoming = { method: 'GET', headers: {}, on: () => {}, off: () => {}, resume: () => {} };
    await toNode(receive)(incoming, { headersSent: true, writeHead, end: () => {} });
    expect(writeHead).not.toHaveBeenCalled();
  });

  it('of Lambda accepts text in body and rawBody', async () => {
    const headers = { 'X-Service-Signature': genuine };
    const result = await toLambda(receive)({ httpMethod: 'POST', headers, body, isBase64Encoded: false });
    expect(result).toMatchObject({ statusCode: 200, body: 'received', isBase64Encoded: false });
    expect(await toLambda(receive)({ httpMethod: 'POST', headers: null, body })).toMatchObject({
      statusCode: 401,
    });
    expect(await toLambda(receive)({ httpMethod: 'POST', headers, rawBody: body, body: {} })).toMatchObject({
      statusCode: 200,
    });
  });
});

describe('node:http2', () => {
  it('gets the same statuses as node:http, without a warning', async () => {
    const listener = toNode(
      createReceiver({ secrets: SECRET, on: {}, fallback: () => {}, onError: () => {} }),
    );
    const server = createHttp2Server((request, response) => void listener(request, response));
    const client = connectHttp2(`http://127.0.0.1:${await listenAtFreePort(server)}`);
    const statusOf = async (sent: string): Promise<unknown> => {
      const stream = client.request({ ':method': 'POST', 'x-service-signature': signBy(sent) });
      stream.end(sent);
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      stream.resume();
      // A connection has a limited number of open streams.
      await once(stream, 'close');
      return headers[':status'];
    };
    expect([await statusOf(body), await statusOf('x'.repeat(1_000_000))]).toEqual([200, 413]);
    client.destroy();
    server.close();
  });
});

describe('a connection that is reset during the body', () => {
  it('is reported as body_unreadable', async () => {
    const reported = Promise.withResolvers<string>();
    const onError = ({ code }: WebhookError): void => reported.resolve(code);
    const receive = createReceiver({ secrets: SECRET, on: {}, fallback: () => {}, onError });
    const { port, close } = await frameworks.find(({ name }) => name === 'node:http')!.listen(receive);
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 100\r\n\r\n{', () =>
      socket.destroy(),
    );
    expect(await reported.promise).toBe('body_unreadable');
    await close();
  });
});
