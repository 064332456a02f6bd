import { describe, expect, it } from 'vitest';
import { type Answered, createCaller, createStillMock, order } from './support.ts';

type Still = ReturnType<typeof createStillMock>;
type Case = [title: string, status: number, type: string, call: (still: Still) => Promise<Answered>];

const json = { 'content-type': 'application/json' };
const raw =
  (body: BodyInit, headers: Record<string, string> = json) =>
  ({ send }: Still): Promise<Answered> =>
    send('POST', '/payments', { body, headers });
const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const stream = (size: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (let sent = 0; sent < size; sent += 8192) controller.enqueue(new Uint8Array(8192).fill(32));
      controller.close();
    },
  });
const streamed = (size: number): RequestInit => ({ body: stream(size), duplex: 'half' }) as RequestInit;

const read =
  (path: string, key?: string) =>
  ({ mock, get }: Still): Promise<Answered> =>
    key === undefined ? get(path) : createCaller(mock, key).get(path);
const readWith =
  (headers: Record<string, string>) =>
  ({ send }: Still): Promise<Answered> =>
    send('GET', '/balance', { headers });
const pay =
  (fields: object, headers: Record<string, string> = {}) =>
  ({ post }: Still): Promise<Answered> =>
    post('/payments', order({ ...fields }), headers);

const malformed = [400, 'invalid_request_error'] as const;
const unknownKey = [401, 'authentication_error'] as const;
const notFound = [404, 'not_found'] as const;
const otherMethod = [405, 'method_not_allowed'] as const;
const tooLarge = [413, 'payload_too_large'] as const;
const otherType = [415, 'unsupported_media_type'] as const;
const invalid = [422, 'validation_error'] as const;

const cases: Case[] = [
  ['an empty body', ...malformed, raw('')],
  ['a body that ends early', ...malformed, raw('{')],
  ['a byte order mark', ...malformed, raw('\uFEFF{}')],
  ['invalid UTF-8', ...malformed, raw(new Uint8Array([0x7b, 0xff, 0x7d]))],
  ['a body 60000 levels deep', ...malformed, raw(nested(30000))],
  ['an empty Idempotency-Key', ...malformed, pay({}, { 'idempotency-key': '' })],
  ['an Idempotency-Key of 256 characters', ...malformed, pay({}, { 'idempotency-key': 'k'.repeat(256) })],
  ['an Idempotency-Key with a space', ...malformed, pay({}, { 'idempotency-key': 'a b' })],
  ['an Idempotency-Key beyond ASCII', ...malformed, pay({}, { 'idempotency-key': 'clé' })],

  ['no key', ...unknownKey, read('/balance', '')],
  ['an unknown key', ...unknownKey, read('/balance', 'service_test_nobody')],
  ['an empty Bearer', ...unknownKey, readWith({ authorization: 'Bearer ' })],
  ['another scheme', ...unknownKey, readWith({ authorization: 'Basic dTpw' })],
  [
    'two different keys',
    ...unknownKey,
    (still) => readWith({ 'x-api-key': still.mock.account.liveKey })(still),
  ],
  [
    'a key in the query alone',
    ...unknownKey,
    (still) => read(`/balance?api_key=${still.mock.account.testKey}`, '')(still),
  ],
  ['an unknown path without a key', ...unknownKey, read('/nothing', '')],

  ['an unknown path', ...notFound, read('/nothing')],
  ['a trailing slash', ...notFound, read('/balance/')],
  ['a double slash', ...notFound, read('//balance')],
  ['another letter case', ...notFound, read('/Balance')],
  ['an unknown payment', ...notFound, read('/payments/pay_test_000000000000000000000000')],
  ['a payment id that is none', ...notFound, read('/payments/%2e%2e%2f%zz')],
  ['a payment id that is a property of every object', ...notFound, read('/payments/__proto__')],

  ['a wrong method', ...otherMethod, ({ post }) => post('/balance', {})],
  ['GET where there is only POST', ...otherMethod, read('/quotes')],

  ['a body over 64 KiB', ...tooLarge, raw(' '.repeat(65_537))],
  [
    'an endless body without a length',
    ...tooLarge,
    ({ send }) => send('POST', '/payments', { ...streamed(1_000_000), headers: json }),
  ],

  ['no content type', ...otherType, raw(new Uint8Array([0x7b, 0x7d]), {})],
  ['a form', ...otherType, raw('a=b', { 'content-type': 'application/x-www-form-urlencoded' })],
  ['another charset', ...otherType, raw('{}', { 'content-type': 'application/json; charset=latin1' })],
  ['a compressed body', ...otherType, raw('{}', { ...json, 'content-encoding': 'gzip' })],

  ['an empty object', ...invalid, raw('{}')],
  ['a list', ...invalid, raw('[]')],
  ['a payment that would pay nothing out', ...invalid, pay({ to_currency: 'KWD', amount: 0.01 })],
  ['too little money', 422, 'insufficient_funds', pay({ amount: 100000.01 })],
];

describe('a rejected request', () => {
  it.each(cases)('with %s responds %i %s and changes nothing', async (_, status, type, call) => {
    const still = createStillMock();
    const before = await still.mock.sandbox.stateHash();
    const { body, ...answer } = await call(still);
    expect([answer.status, body.success, body.error.type]).toEqual([status, false, type]);
    expect(body.mode).toBe(status === 401 ? undefined : 'test');
    expect(JSON.stringify(body)).not.toMatch(/service_(test|live)_|\bat .*:\d+:\d+/);
    expect(await still.mock.sandbox.stateHash()).toBe(before);
    await still.mock.close();
  });

  it.each([
    '/',
    '/payments',
    '/v1/payments',
    '/api/v2/payments',
    '/api/v1/api/v1/payments',
    '/api/v1/payment',
    '/api/v1/payments/',
    '/payments/pay_test_1',
    '/api/v1/payments/pay_test_1/refunds',
    '//api/v1//balance',
    '/API/V1/Balance',
    '/constructor/__proto__/toString',
    '/<script>alert(1)</script>',
    `/${'x/'.repeat(5_000)}${'payment'.repeat(5_000)}`,
  ])('with the unknown path %.60s names the valid ones, and nothing of the request', async (path) => {
    const { mock } = createStillMock();
    const response = await mock.fetch(new URL(mock.baseUrl).origin + path, {
      headers: { authorization: `Bearer ${mock.account.testKey}` },
    });
    const message =
      'There is no such path. Use one of: /api/v1/quotes, /api/v1/payments, /api/v1/payments/{payment_id}, /api/v1/balance, /api/v1/transactions.';
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { type: 'not_found', message } },
    ]);
  });

  it('of a suspended account responds 403 until the account is resumed', async () => {
    const { mock, get, post } = createStillMock();
    mock.sandbox.accounts.suspend();
    const before = await mock.sandbox.stateHash();
    const rejected = await post('/payments', order());
    expect([rejected.status, rejected.body.error.type, rejected.body.mode]).toEqual([
      403,
      'permission_error',
      'test',
    ]);
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.accounts.resume();
    expect((await get('/balance')).status).toBe(200);
  });

  it('with the key of a running request responds 409', async () => {
    const second: Answered[] = [];
    const { mock, post } = createStillMock({
      fetch: async () => {
        const before = await mock.sandbox.stateHash();
        second.push(await post('/payments', body, key));
        expect(await mock.sandbox.stateHash()).toBe(before);
        return new Response();
      },
    });
    const body = order({ beneficiary_account: 'SIM-HOOK-FIRST' });
    const key = { 'idempotency-key': 'once' };
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/hooks' });
    const first = await post('/payments', body, key);
    expect(first.status).toBe(201);
    expect(second.map(({ status, body: answer }) => [status, answer.error.type])).toEqual([
      [409, 'idempotency_error'],
    ]);
  });

  it('with a key that was used for another body responds 422 and keeps the first payment', async () => {
    const { mock, post } = createStillMock();
    const key = { 'idempotency-key': 'once' };
    await post('/payments', order(), key);
    const before = await mock.sandbox.stateHash();
    const rejected = await post('/payments', order({ amount: 1001 }), key);
    expect([rejected.status, rejected.body.error.type]).toEqual([422, 'idempotency_error']);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('over the rate limit responds 429 with the time to wait', async () => {
    const { mock, get, post } = createStillMock();
    mock.sandbox.profile.set({ rateLimit: { requests: 2, window: '10s' } });
    await get('/balance');
    await get('/balance');
    await mock.sandbox.clock.advance(500);
    const before = await mock.sandbox.stateHash();
    const rejected = await post('/payments', order());
    expect([rejected.status, rejected.body.error.type]).toEqual([429, 'rate_limit_error']);
    expect(Object.fromEntries(rejected.headers)).toMatchObject({
      'retry-after': '10',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.parse('2026-01-31T12:00:10Z') / 1000),
    });
    expect(await mock.sandbox.stateHash()).toBe(before);
    await mock.sandbox.clock.advance('9500ms');
    expect((await get('/balance')).status).toBe(200);
  });

  it('over the rate limit counts per account and mode', async () => {
    const { mock, get } = createStillMock();
    mock.sandbox.profile.set({ rateLimit: { requests: 1, window: '1s' } });
    await get('/balance');
    expect((await createCaller(mock, mock.account.liveKey).get('/balance')).status).toBe(200);
    expect((await get('/balance')).status).toBe(429);
    mock.sandbox.profile.set({ rateLimit: 'none' });
    expect((await get('/balance')).status).toBe(200);
  });
});

describe('a validation error', () => {
  async function messageOf(fields: Record<string, unknown> | string): Promise<string> {
    const { mock, post } = createStillMock();
    const before = await mock.sandbox.stateHash();
    const { status, body } = await post('/payments', fields);
    expect([status, body.error.type]).toEqual([422, 'validation_error']);
    expect(await mock.sandbox.stateHash()).toBe(before);
    return body.error.message;
  }

  it('names every invalid field, sorted, in one sentence', async () => {
    expect(await messageOf({ to_currency: 'eur', amount: '5', beneficiary_name: ' ' })).toBe(
      'The request is invalid: amount must be a number from 0.01 to 999999999.99 with at most 2 decimals; ' +
        'beneficiary_name must be text of 1 to 255 characters without control characters; ' +
        'from_currency is required; ' +
        'to_currency must be a supported ISO 4217 code of 3 upper-case letters.',
    );
  });

  it.each(['usd', 'ZZZ', 'XXX', null, 5, '', '__proto__', ['USD']])(
    'rejects the currency %j',
    async (currency) => {
      expect(await messageOf(order({ from_currency: currency }))).toMatch(
        /^The request is invalid: from_currency must be/,
      );
      expect(await messageOf(order({ to_currency: currency }))).toMatch(
        /^The request is invalid: to_currency must be/,
      );
    },
  );

  it.each([
    '0',
    '-1',
    '0.001',
    '0.019999999999999999999',
    '1000000000',
    '999999999.990000000001',
    '1e400',
    '"1"',
    'null',
    '[1]',
  ])('rejects the amount %s', async (amount) => {
    const body = JSON.stringify(order()).replace('"amount":1000', `"amount":${amount}`);
    expect(await messageOf(body)).toMatch(/^The request is invalid: amount must be a number from/);
  });

  it.each(['', 'x'.repeat(256), '😀'.repeat(256), 'a\u0000b', 'a\u007Fb', 'a\uDC00', 5, {}])(
    'rejects the text %j',
    async (text) => {
      for (const field of [
        'beneficiary_name',
        'beneficiary_bank',
        'beneficiary_account',
        'beneficiary_country',
        'purpose',
      ]) {
        expect(await messageOf(order({ [field]: text }))).toMatch(
          new RegExp(`^The request is invalid: ${field} must be text`),
        );
      }
    },
  );
});

describe('the order of checks', () => {
  it('is key, path, rate limit, method', async () => {
    const { mock, get, send } = createStillMock();
    mock.sandbox.profile.set({ rateLimit: { requests: 0, window: '1s' } });
    expect((await createCaller(mock, 'service_test_x').get('/nothing')).status).toBe(401);
    expect((await get('/nothing')).status).toBe(404);
    expect((await send('DELETE', '/balance')).status).toBe(429);
  });

  it('is method, media type, size, syntax', async () => {
    const { send } = createStillMock();
    const big = '{'.repeat(70_000);
    expect(
      (await send('PUT', '/payments', { body: big, headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(405);
    expect(
      (await send('POST', '/payments', { body: big, headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
    expect((await send('POST', '/payments', { body: big, headers: json })).status).toBe(413);
    expect((await send('POST', '/payments', { body: '{', headers: json })).status).toBe(400);
  });
});

describe('the transport', () => {
  it('accepts the key in either header, or the same key in both', async () => {
    const { mock, send } = createStillMock();
    const key = mock.account.testKey;
    const anonymous = createCaller(mock, '');
    expect((await anonymous.send('GET', '/balance', { headers: { 'x-api-key': key } })).status).toBe(200);
    expect((await send('GET', '/balance', { headers: { 'x-api-key': key } })).status).toBe(200);
    expect(
      (await anonymous.send('GET', '/balance', { headers: { authorization: `bEARER ${key}` } })).status,
    ).toBe(200);
  });

  it('accepts a media type in any case with charset utf-8', async () => {
    const { send } = createStillMock();
    const headers = { 'content-type': 'Application/JSON; Charset=UTF-8' };
    expect((await send('POST', '/payments', { body: JSON.stringify(order()), headers })).status).toBe(201);
  });

  it('responds to HEAD like GET without the body', async () => {
    const { send } = createStillMock();
    const { status, headers, body } = await send('HEAD', '/balance');
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', undefined]);
    expect((await send('HEAD', '/payments/pay_test_none')).status).toBe(404);
  });

  it.each([
    ['/balance', 'GET, HEAD, OPTIONS'],
    ['/payments', 'POST, OPTIONS'],
    ['/payments/pay_test_any', 'GET, HEAD, OPTIONS'],
  ])('responds to OPTIONS %s without a key with the methods %s', async (path, allow) => {
    const { mock } = createStillMock();
    const { status, headers } = await createCaller(mock, '').send('OPTIONS', path);
    expect([status, headers.get('allow')]).toEqual([204, allow]);
  });

  it('rejects an old key immediately after it was regenerated', async () => {
    const { mock, post, get } = createStillMock();
    const { id } = (await post('/payments', order())).body.data as { id: string };
    const { testKey } = mock.sandbox.accounts.regenerateKey({ mode: 'test' });
    expect((await get('/balance')).status).toBe(401);
    expect((await createCaller(mock, testKey).get(`/payments/${id}`)).status).toBe(200);
  });
});
