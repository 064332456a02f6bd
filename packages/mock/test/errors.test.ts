import { describe, expect, it } from 'vitest';
import { type Answered, createCaller, createStillMock, order } from './support.ts';

// Every rejection and its bytes are in test/scenarios. Here: a rejected request changes nothing and shows nothing of the inside.

type Still = ReturnType<typeof createStillMock>;
type Case = [status: number, type: string, send: (still: Still) => Promise<Answered>];

const json = { 'content-type': 'application/json' };
const raw =
  (body: BodyInit, headers: Record<string, string> = json) =>
  ({ send }: Still): Promise<Answered> =>
    send('POST', '/payments', { body, headers });
const read =
  (path: string, key?: string) =>
  ({ mock, get }: Still): Promise<Answered> =>
    key === undefined ? get(path) : createCaller(mock, key).get(path);
const pay =
  (fields: object, headers: Record<string, string> = {}) =>
  ({ post }: Still): Promise<Answered> =>
    post('/payments', order({ ...fields }), headers);
const amountText = (amount: string) => raw(JSON.stringify(order({ amount: 7 })).replace('7', amount));

/** A body of 1 MB without a length. */
const endless = (): RequestInit => {
  const body = new ReadableStream({
    start: (controller) => {
      for (let sent = 0; sent < 1_000_000; sent += 8192) controller.enqueue(new Uint8Array(8192).fill(32));
      controller.close();
    },
  });
  return { body, headers: json, duplex: 'half' } as RequestInit;
};

const cases: Case[] = [
  [400, 'invalid_request_error', raw('{')],
  [400, 'invalid_request_error', raw(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)],
  [400, 'invalid_request_error', pay({}, { 'idempotency-key': 'a b' })],
  [401, 'authentication_error', read('/balance', 'service_test_nobody')],
  [401, 'authentication_error', (still) => read(`/balance?key=${still.mock.account.testKey}`, '')(still)],
  [404, 'not_found', read('/payments/%2e%2e%2f%zz')],
  [404, 'not_found', read('/payments/__proto__')],
  [405, 'method_not_allowed', ({ post }) => post('/balance', {})],
  [413, 'payload_too_large', raw(' '.repeat(65_537))],
  [413, 'payload_too_large', ({ send }) => send('POST', '/payments', endless())],
  [415, 'unsupported_media_type', raw('{}', { ...json, 'content-encoding': 'gzip' })],
  [422, 'validation_error', raw('[]')],
  [422, 'validation_error', amountText('0.019999999999999999999')],
  [422, 'validation_error', amountText('999999999.990000000001')],
  [422, 'validation_error', pay({ to_currency: 'KWD', amount: 0.01 })],
  [422, 'validation_error', pay({ beneficiary_name: 'a\uDC00' })],
  [422, 'insufficient_funds', pay({ amount: 100000.01 })],
  [422, 'idempotency_error', pay({ amount: 1001 }, { 'idempotency-key': 'used' })],
];

describe('a rejected request', () => {
  it('has the documented status and type, changes nothing, and shows no key and no stack', async () => {
    const still = createStillMock();
    await still.post('/payments', order(), { 'idempotency-key': 'used' });
    const before = await still.mock.sandbox.stateHash();
    const seen: unknown[] = [];
    for (const [, , send] of cases) {
      const { status, body } = await send(still);
      seen.push([status, body.error.type, body.success, body.mode]);
      expect(JSON.stringify(body)).not.toMatch(/service_(test|live)_|\bat .*:\d+:\d+/);
    }
    expect(seen).toEqual(
      cases.map(([status, type]) => [status, type, false, status === 401 ? undefined : 'test']),
    );
    expect(await still.mock.sandbox.stateHash()).toBe(before);
  });

  it('with an unknown path names the valid ones, and nothing of the request', async () => {
    const { mock } = createStillMock();
    const message =
      'There is no such path. Use one of: /api/v1/quotes, /api/v1/payments, /api/v1/payments/{payment_id}, /api/v1/balance, /api/v1/transactions.';
    for (const path of [
      '/',
      '/payments',
      '/api/v1/api/v1/payments',
      '/api/v1/payments/',
      '/api/v1/payments/pay_test_1/refunds',
      '//api/v1//balance',
      '/API/V1/Balance',
      '/constructor/__proto__/toString',
      '/<script>alert(1)</script>',
      `/${'x/'.repeat(5_000)}${'payment'.repeat(5_000)}`,
    ]) {
      const response = await mock.fetch(new URL(mock.baseUrl).origin + path, {
        headers: { authorization: `Bearer ${mock.account.testKey}` },
      });
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        404,
        { error: { type: 'not_found', message } },
      ]);
    }
  });

  it('over the rate limit and of a suspended account changes nothing', async () => {
    const { mock, get, post } = createStillMock({ profile: { rateLimit: { requests: 1, window: '10s' } } });
    await get('/balance');
    const before = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(429);
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.accounts.suspend();
    const suspended = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(403);
    expect(await mock.sandbox.stateHash()).toBe(suspended);
  });
});

describe('the order of checks', () => {
  it('is key, path, rate limit, method', async () => {
    const { mock, get, send } = createStillMock({ profile: { rateLimit: { requests: 0, window: '1s' } } });
    expect((await createCaller(mock, 'service_test_x').get('/nothing')).status).toBe(401);
    expect((await get('/nothing')).status).toBe(404);
    expect((await send('DELETE', '/balance')).status).toBe(429);
  });
});
