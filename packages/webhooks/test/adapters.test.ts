import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks';
import type { ReceiverOptions, WebhookError, WebhookEvent } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { toNode } from '@service/webhooks/node';
import { BAD_SIGNATURES } from './bad-signatures.ts';
import { encode, SECRET, writeEvent } from './samples.ts';
import { frameworks } from './servers.ts';
import type { Framework } from './servers.ts';

const body = writeEvent();
const signBy = (bytes: string | Uint8Array, secret = SECRET): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');
const genuine = signBy(body);

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

async function post(
  port: number,
  bytes: string | Uint8Array,
  { method = 'POST', ...headers }: OutgoingHttpHeaders & { method?: string } = {},
): Promise<Sent> {
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

// What a client of HTTP can put on the wire at all: visible ASCII and latin1, no line breaks.
const SENDABLE = BAD_SIGNATURES.map(([title, mutate]) => [title, mutate(genuine)] as const)
  .filter((row): row is readonly [string, string] => typeof row[1] === 'string')
  .filter(([, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value) && value.length < 10_000)
  // HTTP itself drops space around a value.
  .filter(([, value]) => value.trim() !== genuine);

const BAD_BODIES: readonly (readonly [
  title: string,
  sent: string | Uint8Array,
  signed: string | Uint8Array,
])[] = [
  ['re-serialised', JSON.stringify(JSON.parse(body), null, 2), body],
  ['with a byte order mark', `\ufeff${body}`, body],
  ['without its byte order mark', body, `\ufeff${body}`],
  ['of a byte that decodes alike', new Uint8Array([0xfe]), new Uint8Array([0xff])],
  ['of a replacement character', '\ufffd', new Uint8Array([0xff])],
  ['of a bad byte in place of a replacement character', new Uint8Array([0xff]), '\ufffd'],
  ['empty', '', body],
  ['packed after signing', gzipSync(body), body],
  ['with one bit changed', body.replace('1000.5', '1000.4'), body],
];

describe.each(frameworks)('a receiver behind $name', ({ listen, listenParsed, fix }) => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

  async function setUp(way: Framework['listen'] = listen, options: Partial<ReceiverOptions> = {}) {
    const handler = vi.fn<(event: WebhookEvent) => unknown>();
    const errors: WebhookError[] = [];
    const on = { 'payment.completed': handler };
    const onError = (error: WebhookError) => errors.push(error);
    const receive = createReceiver({ secrets: SECRET, on, fallback: handler, onError, ...options });
    const { port, close } = await way(receive);
    closing.push(close);
    return { port, handler, errors, codes: () => errors.map(({ code }) => code) };
  }

  it('answers 200 to a genuine event and dispatches it', async () => {
    const { port, handler, codes } = await setUp();
    const sent = writeEvent({ data: { purpose: 'محمد 株式会社 👩‍👩‍👧 e\u0301 \u200f' } });
    const answer = await post(port, sent);
    expect(answer).toMatchObject({ status: 200, text: 'received', headers: { 'cache-control': 'no-store' } });
    expect(handler.mock.calls).toEqual([[{ ...JSON.parse(sent), kind: 'payment' }]]);
    expect(codes()).toEqual([]);
  });

  it('takes any content type, since the signature is what counts', async () => {
    const { port } = await setUp();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      expect((await post(port, body, { 'content-type': type })).status).toBe(200);
    }
  });

  it('answers 401 to every bad signature that HTTP can carry, all alike', async () => {
    const { port, handler, errors } = await setUp();
    const answers = await Promise.all(
      SENDABLE.map(
        async ([title, value]) => [title, await post(port, body, { 'x-service-signature': value })] as const,
      ),
    );
    expect(SENDABLE.length).toBeGreaterThan(20);
    expect(answers.filter(([, { status }]) => status !== 401).map(([title]) => title)).toEqual([]);
    expect(new Set(answers.map(([, { text }]) => text))).toEqual(new Set(['signature refused']));
    expect(handler).not.toHaveBeenCalled();
    expect(errors).toHaveLength(SENDABLE.length);
    expect(errors.map(String).join('\n')).not.toContain(genuine);
  });

  it('answers 401 without a signature, and to two of them', async () => {
    const { port, codes } = await setUp();
    expect((await post(port, body, { 'x-service-signature': [] })).status).toBe(401);
    expect((await post(port, body, { 'x-service-signature': [genuine, genuine] })).status).toBe(401);
    expect((await post(port, body, { 'x-service-signature': `${genuine},${genuine}` })).status).toBe(401);
    expect(codes()).toEqual(['missing_signature', 'ambiguous_signature', 'ambiguous_signature']);
  });

  it.each(BAD_BODIES)('answers 401 to a body %s', async (_, sent, signed) => {
    const { port, handler } = await setUp();
    expect((await post(port, sent, { 'x-service-signature': signBy(signed) })).status).toBe(401);
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    ['an empty body', '', 'invalid_json'],
    ['invalid UTF-8', new Uint8Array([0xff]), 'invalid_utf8'],
    ['a packed body', gzipSync(body), 'invalid_utf8'],
    ['a byte order mark', `\ufeff${body}`, 'invalid_json'],
    ['a name and status that disagree', writeEvent({ data: { status: 'failed' } }), 'invalid_event'],
    ['the other mode', body, 'mode_mismatch'],
  ])('answers 200 to %s, signed, and dispatches nothing', async (_, sent, code) => {
    const { port, handler, codes } = await setUp(listen, { mode: 'live' });
    expect((await post(port, sent)).status).toBe(200);
    expect(codes()).toEqual([code]);
    expect(handler).not.toHaveBeenCalled();
  });

  it('passes an unknown event, and takes the last of duplicate keys', async () => {
    const { port, handler } = await setUp();
    expect((await post(port, '{"event":"x","event":"payment.cancelled"}')).status).toBe(200);
    expect(handler.mock.calls).toEqual([[{ kind: 'unknown', event: 'payment.cancelled' }]]);
  });

  it('dispatches one of a hundred concurrent replays', async () => {
    const { port, handler } = await setUp();
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(port, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(handler).toHaveBeenCalledOnce();
  });

  it('answers 405 to another method', async () => {
    const { port } = await setUp();
    for (const method of ['PUT', 'PATCH']) {
      expect(await post(port, body, { method })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  it('answers 413 past the limit, with and without a length', async () => {
    const { port, codes } = await setUp(listen, { maxBodyBytes: body.length - 1 });
    expect((await post(port, body)).status).toBe(413);
    expect((await post(port, body, { 'transfer-encoding': 'chunked' })).status).toBe(413);
    expect(codes()).toEqual(['body_too_large', 'body_too_large']);
  });

  it('answers 500 when the handler throws, then handles the next delivery', async () => {
    const { port, handler, codes } = await setUp();
    handler.mockRejectedValueOnce(new Error('database is down'));
    expect((await post(port, body)).status).toBe(500);
    expect((await post(port, body)).status).toBe(200);
    expect(codes()).toEqual(['handler_failed']);
  });

  it('answers 500 behind a parser that ate the body, and says what to do', async () => {
    const { port, handler, errors } = await setUp(listenParsed);
    expect(await post(port, body)).toMatchObject({ status: 500, text: 'not processed' });
    expect(errors).toMatchObject([{ name: 'WebhookError', code: 'body_not_raw' }]);
    expect(errors[0]?.message).toMatch(fix);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('raw bodies that a framework has kept', () => {
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: () => {} });
  const judge = async (extra: object): Promise<unknown> => {
    const outgoing = { writeHead: vi.fn<(status: number) => void>(), end: () => {} };
    const incoming = { method: 'POST', headers: { 'x-service-signature': genuine }, readableDidRead: true };
    await toNode(receive)({ ...incoming, on: () => {}, pause: () => {}, ...extra }, outgoing);
    return outgoing.writeHead.mock.calls[0]?.[0];
  };

  it.each([
    ['a Buffer in body', { body: Buffer.from(body) }],
    ['a text in body', { body }],
    ['bytes in rawBody beside a parsed body', { body: JSON.parse(body) as unknown, rawBody: encode(body) }],
  ])('are taken: %s', async (_, extra) => {
    expect(await judge(extra)).toBe(200);
  });

  it('are not asked of an answer that a timeout has given', async () => {
    expect(await judge({ body })).toBe(200);
    const writeHead = vi.fn<() => void>();
    const incoming = { method: 'GET', headers: {}, on: () => {}, pause: () => {} };
    await toNode(receive)(incoming, { headersSent: true, writeHead, end: () => {} });
    expect(writeHead).not.toHaveBeenCalled();
  });

  it('of Lambda are taken as text, too', async () => {
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

describe('a connection that breaks off', () => {
  it('is told as body_unreadable and harms nobody', async () => {
    const errors: string[] = [];
    const told = Promise.withResolvers<void>();
    const receive = createReceiver({
      secrets: SECRET,
      on: {},
      fallback: () => {},
      onError: ({ code }) => {
        errors.push(code);
        told.resolve();
      },
    });
    const { port, close } = await frameworks.find(({ name }) => name === 'node:http')!.listen(receive);
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 100\r\n\r\n{', () =>
      socket.destroy(),
    );
    await told.promise;
    expect(errors).toEqual(['body_unreadable']);
    await close();
  });
});
