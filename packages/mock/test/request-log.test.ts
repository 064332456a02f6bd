import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Mock, SandboxError } from '@service/mock';
import { listen } from '@service/mock/node';
import { createStillMock, order } from './support.ts';

const json = { 'content-type': 'application/json' };

describe('a logged request', () => {
  it('contains the request and its response', async () => {
    const { mock, post } = createStillMock();
    const { body, headers } = await post('/payments', order({ purpose: 'INV-1' }), { 'X-Trace': 'abc' });
    const sent = order({ purpose: 'INV-1' });
    expect(mock.sandbox.requests.list()).toEqual([
      {
        id: headers.get('x-request-id'),
        at: '2026-01-31T12:00:00.000Z',
        transport: 'fetch',
        account: mock.account.id,
        mode: 'test',
        operation: 'createPayment',
        method: 'POST',
        path: '/api/v1/payments',
        query: '',
        headers: { authorization: '[redacted]', 'content-type': 'application/json', 'x-trace': 'abc' },
        body: JSON.stringify(sent),
        json: sent,
        response: {
          status: 201,
          headers: {
            'cache-control': 'no-store',
            date: headers.get('date'),
            'content-type': 'application/json',
            'x-request-id': headers.get('x-request-id'),
          },
          body: JSON.stringify(body),
          json: body,
        },
        fault: null,
        effects: {
          payment_id: body.data.id,
          entries: [
            {
              kind: 'payment',
              at: '2026-01-31T12:00:00.000Z',
              postings: [
                { account: 'wallet', currency: 'USD', amount: '-1000' },
                { account: 'in_flight', currency: 'USD', amount: '1000' },
              ],
            },
          ],
          events: [
            {
              event: 'payment.pending',
              at: '2026-01-31T12:00:00.000Z',
              body: expect.stringContaining('"payment.pending"'),
            },
          ],
          deliveries: [],
        },
      },
    ]);
  });

  it('contains all effects of its payment so far', async () => {
    const { mock, post } = createStillMock({ fetch: async () => new Response() });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', order({ amount: 10 }));
    await post('/payments', order({ amount: 20, beneficiary_account: 'SIM-FAIL' }));
    await mock.sandbox.clock.advance('10s');
    const [good, bad] = mock.sandbox.requests.list().map(({ effects }) => effects);
    expect(good?.entries.map(({ kind }) => kind)).toEqual(['payment', 'completion']);
    expect(bad?.entries.map(({ kind }) => kind)).toEqual(['payment', 'refund']);
    expect(good?.events.map(({ event }) => event)).toEqual([
      'payment.pending',
      'payment.processing',
      'payment.completed',
    ]);
    expect(good?.deliveries.map(({ status, state, attempts }) => [status, state, attempts.length])).toEqual([
      ['pending', 'acknowledged', 1],
      ['processing', 'acknowledged', 1],
      ['completed', 'acknowledged', 1],
    ]);
    expect(bad?.deliveries.map(({ status }) => status)).toEqual(['pending', 'processing', 'failed']);
  });

  it('contains events as they were sent, also after a change of the profile', async () => {
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.collect();
    await post('/payments', order());
    await mock.sandbox.clock.advance('4s');
    mock.sandbox.profile.set({ numbers: 'string' });
    const [request] = mock.sandbox.requests.list();
    const bodies = request?.effects.events.map(({ body }) => body);
    expect(bodies).toEqual(mock.sandbox.webhooks.collected().map(({ body }) => body));
    expect(bodies).toHaveLength(3);
  });

  it('has no effects if it changed nothing', async () => {
    const { mock, get, post } = createStillMock();
    const key = { 'idempotency-key': 'a' };
    await post('/payments', order(), key);
    await post('/payments', order(), key);
    await post('/payments', order({ amount: 999_999 }));
    await get('/balance');
    const ids = mock.sandbox.requests.list().map(({ effects }) => effects.payment_id);
    expect(ids).toEqual([expect.stringMatching(/^pay_test_/), null, null, null]);
  });

  it('exists for every request that reached the service', async () => {
    const { mock, send, get, post } = createStillMock();
    const without = { headers: { authorization: 'Bearer x' } };
    await send('OPTIONS', '/payments');
    await send('POST', '/payments', without);
    await get('/nothing?a=1');
    await send('PUT', '/balance');
    await send('HEAD', '/balance');
    mock.sandbox.accounts.suspend();
    await post('/quotes', '{');
    const seen = mock.sandbox.requests.list().map(({ method, operation, account, mode, query, response }) => {
      const status = response !== null && response !== 'connection_lost' && response.status;
      return [method, operation, account === mock.account.id, mode, query, status];
    });
    expect(seen).toEqual([
      ['OPTIONS', null, false, null, '', 204],
      ['POST', 'createPayment', false, null, '', 401],
      ['GET', null, true, 'test', 'a=1', 404],
      ['PUT', null, true, 'test', '', 405],
      ['HEAD', 'getBalance', true, 'test', '', 200],
      ['POST', 'createQuote', true, 'test', '', 403],
    ]);
  });

  it('contains the body as far as it was read', async () => {
    const { mock, send, post } = createStillMock();
    await post('/payments', '{"amount":');
    await send('POST', '/payments', { headers: json, body: new Uint8Array([0x7b, 0xff]) });
    await send('POST', '/payments', { headers: { 'content-type': 'text/plain' }, body: 'hello' });
    await post('/payments', ' '.repeat(70_000));
    const shown = mock.sandbox.requests.list().map(({ body, json: parsed }) => [body, parsed]);
    expect(shown).toEqual([
      ['{"amount":', undefined],
      ['{\ufffd', undefined],
      [null, undefined],
      [null, undefined],
    ]);
  });

  it('is the same over HTTP', async () => {
    const { mock } = createStillMock();
    await using server = await listen(mock, { port: 0 });
    const response = await fetch(`${server.baseUrl}/payments?x=1`, {
      method: 'POST',
      headers: { ...json, 'x-api-key': mock.account.testKey },
      body: JSON.stringify(order()),
    });
    expect(mock.sandbox.requests.list()).toMatchObject([
      {
        id: response.headers.get('x-request-id'),
        transport: 'http',
        query: 'x=1',
        headers: { 'x-api-key': '[redacted]', 'content-type': 'application/json' },
        json: order(),
        response: { status: 201, json: await response.json() },
      },
    ]);
  });
});

describe('the request log redacts an API key', () => {
  const secret = 'S3cretPartOfTheKey';
  const written = (key: string): string => JSON.stringify(order({ purpose: `key ${key}`, [key]: key }));
  const escaped = (text: string): string =>
    Array.from(text, (webhook) => `\\u${webhook.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const percent = (text: string): string =>
    Array.from(text, (webhook) => `%${webhook.charCodeAt(0).toString(16)}`).join('');

  /** The path, query and init of a request with a key. */
  const hidings: [string, (key: string, mock: Mock) => [path: string, init?: RequestInit]][] = [
    ['path', (key) => [`/payments/${key}`]],
    ['path, escaped', (key) => [`/${percent(key)}`]],
    ['query', (key) => [`/balance?api_key=${key}&b=1`]],
    ['query, escaped', (key) => [`/balance?${percent(key)}&b=1`]],
    ['header', (key) => ['/balance', { headers: { 'x-mine': `a ${key}; b` } }]],
    ['header name', (key) => ['/balance', { headers: { [key]: 'a' } }]],
    ['authorization', (key) => ['/balance', { headers: { authorization: key } }]],
    ['cookie', () => ['/balance', { headers: { cookie: `sid=${secret}` } }]],
    ['body', (key, mock) => create(mock, written(key))],
    ['body, escaped', (key, mock) => create(mock, written(key).replaceAll(key, escaped(key)))],
    ['body that is no JSON', (key, mock) => create(mock, `{"a":${key}`)],
    ['method', (key) => ['/balance', { method: key }]],
  ];

  function create(mock: Mock, body: string): [path: string, init: RequestInit] {
    const headers = { ...json, 'x-api-key': mock.account.testKey };
    return ['/payments', { method: 'POST', headers, body }];
  }

  it.each(hidings)('in the %s', async (_, write) => {
    for (const mode of ['test', 'live']) {
      const { mock } = createStillMock();
      const [path, init] = write(`service_${mode}_${secret}`, mock);
      await mock.fetch(mock.baseUrl + path, init);
      const shown = JSON.stringify(mock.sandbox.requests.list());
      expect(shown).not.toContain(secret);
      expect(shown).not.toMatch(/S3cret/i);
      expect(shown).not.toContain(mock.account.testKey);
      expect(shown).toContain('[redacted]');
    }
  });

  it('and nothing else', async () => {
    const { mock, get, post } = createStillMock();
    const text = JSON.stringify(order({ purpose: 'x\u0000' })).replace('Acme', '\\u0041cme');
    await post('/payments', text);
    await get('/balance?a=%5Fb');
    expect(mock.sandbox.requests.list()).toMatchObject([{ body: text }, { query: 'a=%5Fb' }]);
  });
});

describe('requests.list filters', () => {
  it('by account, mode, operation and status', async () => {
    const { mock, get, post } = createStillMock();
    const other = mock.sandbox.accounts.create();
    const { requests, clock } = mock.sandbox;
    await get('/balance');
    await mock.fetch(`${mock.baseUrl}/balance`, { headers: { 'x-api-key': other.liveKey } });
    await clock.advance('5s');
    await post('/payments', order());
    await post('/payments', order({ amount: 0 }));
    const found = (filter?: Parameters<typeof requests.list>[0]): (string | undefined)[] =>
      requests.list(filter).map(({ id }) => id.at(-1));
    expect(found()).toEqual(['1', '2', '3', '4']);
    expect(found({ account: other })).toEqual(['2']);
    expect(found({ account: mock.account.id })).toEqual(['1', '3', '4']);
    expect(found({ mode: 'live' })).toEqual(['2']);
    expect(found({ operation: 'createPayment' })).toEqual(['3', '4']);
    expect(found({ status: 422 })).toEqual(['4']);
    expect(found({ operation: 'createPayment', status: 201 })).toEqual(['3']);
    expect(found({ operation: 'getPayment' })).toEqual([]);
  });
});

describe('requests.waitFor', () => {
  it('waits for the given number of responses, and returns the oldest ones', async () => {
    const { mock, get, post } = createStillMock();
    await get('/balance');
    expect(await mock.sandbox.requests.waitFor()).toMatchObject([{ operation: 'getBalance' }]);
    const waiting = mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 2 });
    await post('/payments', order());
    await get('/balance');
    await Promise.all([post('/payments', order()), post('/payments', order())]);
    expect((await waiting).map(({ response }) => response)).toMatchObject([{ status: 201 }, { status: 201 }]);
  });

  it('rejects after the timeout with the number found', async () => {
    const { mock, get } = createStillMock();
    await get('/balance');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const waiting = mock.sandbox.requests.waitFor({ operation: 'getBalance', count: 2, timeout: 5 });
    await expect(waiting).rejects.toBeInstanceOf(SandboxError);
    await expect(waiting).rejects.toMatchObject({
      code: 'timeout',
      message: '1 of 2 requests that match had a response within 5 ms.',
    });
  });
});

describe('the request log', () => {
  it('drops the oldest requests, and counts them', async () => {
    const { mock, get } = createStillMock({ requestLog: { requests: 3 } });
    const { requests } = mock.sandbox;
    for (let count = 1; count <= 8; count += 1) {
      await get(`/balance?count=${count}`);
      expect(requests.dropped).toBe(Math.max(0, count - 3));
    }
    expect(requests.list().map(({ query }) => query)).toEqual(['count=6', 'count=7', 'count=8']);
  });

  it('keeps 10 000 requests', async () => {
    const { mock } = createStillMock();
    const url = `${mock.baseUrl}/nothing`;
    for (let count = 0; count < 10_002; count += 1) await mock.fetch(url);
    expect(mock.sandbox.requests.list()).toHaveLength(10_000);
    expect(mock.sandbox.requests.dropped).toBe(2);
  });

  it('keeps 32 MiB of bodies', async () => {
    const { mock, post } = createStillMock();
    const body = JSON.stringify(order({ amount: 1 })).padEnd(60_000);
    const calls = 600;
    for (let count = 0; count < calls; count += 1) await post('/quotes', body);
    const kept = mock.sandbox.requests.list();
    const characters = kept.reduce((sum, entry) => sum + (entry.body?.length ?? 0), 0);
    expect(characters).toBeLessThanOrEqual(32 * 2 ** 20);
    expect(characters).toBeGreaterThan(31 * 2 ** 20);
    expect(mock.sandbox.requests.dropped).toBe(calls - kept.length);
    expect(kept.at(-1)?.id).toMatch(/9g$/);
  });

  it('is cleared by account or completely, and stays in order', async () => {
    const { mock, get } = createStillMock({ requestLog: { requests: 3 } });
    const { requests, accounts } = mock.sandbox;
    const other = accounts.create();
    const ask = (): Promise<unknown> =>
      mock.fetch(`${mock.baseUrl}/balance`, { headers: { 'x-api-key': other.testKey } });
    for (const call of [get, ask, ask, get]) await call('/balance');
    requests.clear(other);
    expect(requests.list().map(({ id }) => id.at(-1))).toEqual(['4']);
    for (const call of [ask, get]) await call('/balance');
    expect(requests.list().map(({ id }) => id.at(-1))).toEqual(['4', '5', '6']);
    requests.clear();
    expect(requests.list()).toEqual([]);
    expect(requests.dropped).toBe(1);
    await get('/balance');
    expect(requests.list()).toHaveLength(1);
  });

  it('can be off', async () => {
    const { mock, get } = createStillMock({ requestLog: 'off' });
    const { requests } = mock.sandbox;
    await get('/balance');
    const message = "The request log is off; create the mock without requestLog: 'off' to read it.";
    expect(() => requests.list()).toThrow(message);
    await expect(requests.waitFor()).rejects.toThrow(message);
    expect(requests.dropped).toBe(0);
    requests.clear();
  });
});
