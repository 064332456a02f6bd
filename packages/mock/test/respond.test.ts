import { createMock, type Mock, type Respond } from '@service/mock';
import { describe, expect, it } from 'vitest';
import {
  bankReference,
  location,
  otherShape,
  requestId,
  validationDetails,
} from '../../../examples/snippets/src/respond.ts';
import { transports } from '../../../test/transports.node.ts';
import { createPlainCaller, type PlainCaller } from './support.ts';

// The responses of `respond` are those of the user, so they are not checked against openapi.yaml.

interface Opened extends PlainCaller {
  readonly mock: Mock;
  readonly defects: unknown[];
}

function open(respond: Respond): Opened {
  const defects: unknown[] = [];
  const mock = createMock({ seed: 1, respond, onDefect: (error) => defects.push(error) });
  return { mock, defects, ...createPlainCaller(mock) };
}

describe('respond', () => {
  it('gets the operation, the request, the payment and the error of each response', async () => {
    const seen: unknown[] = [];
    const { mock, ask, get, pay } = open(
      ({ operation, method, path, mode, payment, error, ...rest }, response) => {
        seen.push([operation, response.status, mode, payment?.status ?? null, error?.fields ?? error]);
        expect(rest.requestId).toMatch(/^req_/);
        expect(`${method} ${path}`).toMatch(/^(?:GET|POST) \/api\/v1\//);
        expect(rest.account).toBe(mode === null ? null : mock.account.id);
        return response;
      },
    );
    const { id } = (await pay({}, { 'idempotency-key': 'k' })).json.data;
    await pay({}, { 'idempotency-key': 'k' });
    await pay({ amount: 0, from_currency: 'usd' });
    for (const path of [`/payments/${id}`, '/payments/pay_x', '/balance', '/transactions', '/nowhere'])
      await get(path);
    await ask('GET', '/balance', undefined, { authorization: 'Bearer x' });
    await ask('OPTIONS', '/balance');
    const fields = {
      amount: 'must be a number from 0.01 to 999999999.99 with at most 2 decimals',
      from_currency: 'must be a supported ISO 4217 code of 3 upper-case letters',
    };
    expect(seen).toEqual([
      ['createPayment', 201, 'test', 'pending', null],
      ['createPayment', 201, 'test', 'pending', null],
      ['createPayment', 422, 'test', null, fields],
      ['getPayment', 200, 'test', 'pending', null],
      ['getPayment', 404, 'test', null, {}],
      ['getBalance', 200, 'test', null, null],
      ['listTransactions', 200, 'test', null, null],
      [null, 404, 'test', null, {}],
      ['getBalance', 401, null, null, {}],
    ]);
  });

  it('is called once for a body that is refused before the key', async () => {
    const statuses: number[] = [];
    const { mock, ask } = open((_, response) => {
      statuses.push(response.status);
      return response;
    });
    mock.sandbox.profile.set({ requestBody: { checked: 'beforeKey' } });
    await ask('POST', '/payments', '{', { authorization: undefined });
    expect(statuses).toEqual([400]);
  });

  it('changes the response before a fault, and after the idempotency record', async () => {
    const { mock, pay } = open(({ payment }, response) => ({ ...response, body: { only: payment?.id } }));
    const key = { 'idempotency-key': 'k' };
    const first = await pay({}, key);
    expect((await pay({}, key)).json).toEqual(first.json);
    mock.sandbox.faults.inject({ kind: 'wrong_content_type' });
    const faulty = await pay();
    expect([faulty.headers.get('content-type'), faulty.text]).toEqual([
      'text/html; charset=utf-8',
      expect.stringMatching(/^\{"only":"pay_test_\w+"\}$/),
    ]);
    expect((await pay({ beneficiary_account: 'SIM-500' })).json).toMatchObject({
      error: { type: 'server_error' },
    });
  });

  it('keeps the text of an unchanged body, and sends text, no body, and a removed header', async () => {
    const { mock, get, ask } = open(({ path }, response) => {
      if (path.endsWith('/balance')) return { ...response, headers: { 'Cache-Control': null, 'X-A': 'b' } };
      if (path.endsWith('/nowhere')) return { status: 204, headers: {}, body: null };
      return path.endsWith('/transactions')
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'plain' }
        : response;
    });
    mock.sandbox.profile.set({ numbers: 'floatTail' });
    const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 999_999_999.99 };
    expect((await ask('POST', '/quotes', quote)).text).toContain('"send_amount":999999999.9900001');
    const { headers, text } = await get('/balance');
    expect([headers.get('cache-control'), headers.get('x-a'), text.length > 10]).toEqual([null, 'b', true]);
    expect((await get('/transactions')).text).toBe('plain');
    const none = await get('/nowhere');
    expect([none.status, none.text]).toEqual([204, '']);
  });

  it.each<[reason: string, respond: unknown]>([
    [
      'no such table',
      () => {
        throw new Error('no such table');
      },
    ],
    [
      'it returned no plain object, or a promise; it must return { status, headers, body }',
      async () => ({ status: 200, headers: {}, body: null }),
    ],
    [
      'it returned no plain object, or a promise',
      async () => {
        throw new Error('late');
      },
    ],
    ['status must be a whole number from 200 to 599', () => ({ status: 99, headers: {}, body: null })],
    ['not NaN; it must return', () => ({ status: Number.NaN, headers: {}, body: null })],
    [
      'must not have the header Content-Length',
      () => ({ status: 200, headers: { 'Content-Length': '1' }, body: null }),
    ],
    ['headers is missing', () => ({ status: 200, body: null })],
    ['headers must be a plain object', () => ({ status: 200, headers: new Headers(), body: null })],
    ['headers must be a plain object; it', () => ({ status: 200, headers: new Map(), body: null })],
    ['body is missing: it must be JSON, text or null; it must', () => ({ status: 200, headers: {} })],
    [
      'body must be JSON, text or null',
      (_: unknown, given: object) => ({ ...given, body: new Uint8Array(2) }),
    ],
    [
      'body must be JSON, text or null',
      (_: unknown, given: object) => ({ ...given, body: new Blob().stream() }),
    ],
    ...[204, 205, 304].map((status): [string, Respond] => [
      `body must be null with the status ${status}`,
      (_, response) => ({ ...response, status }),
    ]),
    ...([undefined, null, 5, 'text', [], new Response('{}'), new Uint8Array()] as unknown[]).map(
      (given): [string, unknown] => [
        'it returned no plain object, or a promise; it must return { status, headers, body }',
        () => given,
      ],
    ),
  ])('makes the response a 500 that names the error: %s', async (reason, respond) => {
    const { mock, defects, get, pay } = open(respond as Respond);
    const { status, json } = await get('/balance');
    expect([status, json.error.type]).toEqual([500, 'server_error']);
    expect(json.error.message).toContain('The function `respond` failed for getBalance: ');
    expect(json.error.message).toContain(reason);
    expect(String(defects[0])).toContain(json.error.message);
    expect(mock.sandbox.requests.list()[0]).toMatchObject({ response: { status: 500 } });
    // The payment exists, as after a failure of a service.
    expect((await pay()).status).toBe(500);
    expect(mock.sandbox.requests.list({ operation: 'createPayment' })[0]?.effects.entries.length).toBe(1);
  });

  it.each<[result: string, respond: Respond, expected: unknown]>([
    ['the changed response', requestId, [200, { request_id: expect.stringMatching(/^req_/) }, undefined]],
    ['a status without a body', () => ({ status: 204, headers: {}, body: '' }), [204, undefined, undefined]],
    [
      'the error of an invalid response',
      (_, response) => ({ ...response, status: 304 }),
      [500, undefined, expect.stringContaining('The function `respond` failed for getBalance: ')],
    ],
  ])('sends %s over every transport', async (_, respond, expected) => {
    for (const { name, connect } of transports) {
      const { mock } = open(respond);
      const { baseUrl, fetch: send, close } = await connect(mock);
      const response = await send(`${baseUrl}/balance`, { headers: { 'x-api-key': mock.account.testKey } });
      const text = await response.text();
      await close();
      const { meta, error } = JSON.parse(text || '{}') as Record<string, { message?: string } | undefined>;
      expect([name, [response.status, meta, error?.message]]).toEqual([name, expected]);
      const hasLength = name === 'real HTTP' && response.status !== 204;
      expect([name, response.headers.has('content-length')]).toEqual([name, hasLength]);
    }
  });

  it('sends a status without a body also with a fault of the body', async () => {
    const { mock, get } = open(() => ({ status: 204, headers: {}, body: null }));
    for (const kind of ['wrong_content_type', 'truncated', 'stalled'] as const) {
      mock.sandbox.faults.inject({ kind });
      const { status, text } = await get('/balance');
      expect([kind, status, text]).toEqual([kind, 204, '']);
    }
  });
});

describe('the recipes of respond', () => {
  it('send payments in another shape, and the validation details of a framework', async () => {
    const { json } = await open(otherShape).pay({ amount: 12.34 });
    expect(json.data).toMatchObject({ state: 'PENDING', money: { cents: 1234, currency: 'USD' } });
    const invalid = await open(validationDetails).pay({ amount: 0 });
    const msg = expect.stringContaining('must be a number') as string;
    const detail = [{ loc: ['body', 'amount'], msg, type: 'value_error' }];
    expect([invalid.status, invalid.json.detail]).toEqual([422, detail]);
  });

  it('add the reference of a bank, always the same of a payment', async () => {
    const { pay, get } = open(bankReference);
    const { data } = (await pay()).json;
    expect(data).toMatchObject({ status: 'pending', bank_reference: expect.stringMatching(/^DE89\d{12}$/) });
    const again = (await get(`/payments/${data.id}`)).json.data;
    expect(again.bank_reference).toBe(data.bank_reference);
  });

  it('add a header and a field', async () => {
    const created = await open(location).pay();
    expect(created.headers.get('location')).toBe(`/api/v1/payments/${created.json.data.id}`);
    const { get } = open(requestId);
    const { headers, json } = await get('/balance');
    expect(json.meta).toEqual({ request_id: headers.get('x-request-id') });
    expect((await get('/nowhere')).json).not.toHaveProperty('meta');
  });
});
