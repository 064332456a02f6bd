import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type MockOptions } from '@service/mock';
import manifest from '@service/mock/package.json' with { type: 'json' };
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { controlOperations } from '../src/control/http/handler.ts';
import { controlGroups } from '../src/control/http/handler.ts';
import { findControlOperation } from '../../../test/support/control-conformance.ts';
import { type Ask, partsOf, serveControl } from './control-support.ts';
import { createStillMock, order } from './support.ts';

/** A mock with a manual clock that records the used control operations. */
async function serveRecorded(options: MockOptions = {}) {
  const still = await serveControl({ fetch: async () => new Response(), ...options });
  const asked = new Set<string>();
  const note: Ask = async (method, path, init) => {
    const answered = await still.ask(method, path, init);
    const id = findControlOperation(method, `/_sandbox${path.split('?')[0]}`)?.operationId;
    expect(answered.status, `${id} ${JSON.stringify(answered.body)}`).toBeLessThan(300);
    asked.add(String(id));
    return answered;
  };
  return { ...still, ask: note, asked };
}

/** The names of all functions of an object and of the objects in it, such as `accounts.create`. */
function listFunctions(part: object, prefix = ''): string[] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === 'function') return [prefix + name];
    return typeof value === 'object' && value !== null ? listFunctions(value, `${prefix}${name}.`) : [];
  });
}

describe('the control API', () => {
  it('performs every operation', async () => {
    const { mock, post, ask, asked } = await serveRecorded();
    const get = async (path: string) => (await ask('GET', path)).body;
    const change = async (method: string, path: string, body?: unknown) =>
      (await ask(method, path, { body })).body;
    const pay = async (): Promise<string> => (await post('/payments', order())).body.data.id as string;
    const id = mock.account.id;

    expect(await get('/health')).toEqual({
      status: 'ok',
      now: '2026-01-31T12:00:00.000Z',
      clock: 'manual',
      version: manifest.version,
    });
    expect(await get('/openapi.json')).toEqual(document);
    const stateHash = await mock.sandbox.stateHash();
    const snapshot = await get('/snapshot');

    const shop = await change('POST', '/accounts', {
      name: 'shop',
      balances: { USD: '10.00', JPY: 0 },
      profile: { successStatus: { createPayment: 202 } },
    });
    expect(await get('/accounts')).toMatchObject({ accounts: [{ id }, { id: shop.id, suspended: false }] });
    expect(await change('POST', '/accounts/find', { key: shop.testKey })).toEqual(shop);
    expect(await get(`/accounts/${shop.id}`)).toEqual(shop);
    const renewed = await change('POST', `/accounts/${shop.id}/regenerate-key`, { mode: 'test' });
    expect(renewed).toEqual({ ...shop, testKey: expect.not.stringMatching(String(shop.testKey)) });
    await change('POST', `/accounts/${shop.id}/suspend`);
    expect(mock.sandbox.accounts.list()[1]).toMatchObject({ suspended: true });
    await change('POST', `/accounts/${shop.id}/resume`, {});
    expect(mock.sandbox.accounts.list()[1]).toMatchObject({ suspended: false });

    await change('POST', '/wallets/credit', { currency: 'CHF', amount: '20.50' });
    await change('POST', '/wallets/set', { account: id, mode: 'test', currency: 'EUR', amount: 7 });
    const wallets = [{}, { currency: 'EUR', balance: '7' }, {}, { currency: 'CHF', balance: '20.5' }];
    expect(await get('/wallets')).toMatchObject({ wallets });

    expect(await change('PUT', '/webhooks/endpoint', { url: 'http://localhost:9/' })).toEqual({
      secret: expect.stringMatching(/^[\da-f]{64}$/),
    });
    expect(await get('/webhooks/endpoint/secret')).toEqual({ secret: expect.any(String) });

    expect(await change('POST', `/payments/${await pay()}/advance`)).toMatchObject({ status: 'processing' });
    const paid = await pay();
    expect(await change('POST', `/payments/${paid}/complete`)).toMatchObject({ status: 'completed' });
    expect(await change('POST', `/payments/${paid}/return`)).toMatchObject({ id: paid, status: 'failed' });
    expect(await change('POST', `/payments/${await pay()}/fail`)).toMatchObject({ status: 'failed' });

    await change('POST', '/idle');
    const { deliveries } = (await get(`/webhooks/deliveries?account=${id}&mode=test`)) as {
      deliveries?: { id: string; attempts: object[] }[];
    };
    expect(deliveries).toHaveLength(8);
    expect(await change('POST', `/webhooks/deliveries/${deliveries?.[0]?.id}/redeliver`)).toMatchObject({
      attempts: [{ result: { outcome: 'acknowledged', httpStatus: 200 } }, { at: expect.any(Number) }],
    });
    await change('DELETE', '/webhooks/endpoint?mode=test');

    expect(await get('/clock')).toEqual({ now: '2026-01-31T12:00:00.000Z', clock: 'manual' });
    const advanced = { now: '2026-01-31T12:00:03.500Z', clock: 'manual', pending: 0 };
    expect(await change('POST', '/clock/advance', { duration: 3500 })).toEqual(advanced);
    const set = { now: '2026-03-01T00:00:00.000Z', clock: 'manual', pending: 0 };
    expect(await change('POST', '/clock/set', { time: '2026-03-01T00:00:00Z' })).toEqual(set);

    const injected = await change('POST', '/faults', { kind: 'status', status: 503 });
    await change('POST', '/faults', { kind: 'latency', ms: 0, account: id });
    const faults = [{ id: injected.id, status: 503 }, { kind: 'latency' }];
    expect(await get('/faults')).toMatchObject({ faults });
    await change('DELETE', `/faults/${injected.id}`);
    expect(mock.sandbox.faults.list()).toHaveLength(1);
    await change('DELETE', `/faults?account=${id}`);
    expect(mock.sandbox.faults.list()).toHaveLength(0);

    const { secret } = await change('POST', '/webhooks/collect', { account: id, secret: 'my own' });
    expect(secret).toBe('my own');
    expect(await get(`/webhooks/endpoint?account=${id}`)).toEqual({ endpoint: { url: 'collect:' } });
    const delay = { target: 'delivery', kind: 'delay', by: '1s' };
    expect(await change('POST', '/faults', delay)).toEqual({ id: expect.any(String) });
    const created = await pay();
    await change('POST', '/idle');
    const [delayed] = (await get('/webhooks/deliveries?limit=1')).deliveries as { id: string }[];
    expect(delayed).toMatchObject({ payment_id: created, state: 'queued', fault: 'delay' });
    expect(await get(`/webhooks/deliveries/${delayed!.id}`)).toMatchObject(delayed!);
    expect(await get('/payments?limit=1')).toMatchObject({ rows: [{ id: created, status: 'pending' }] });
    expect(await get(`/payments/${created}`)).toMatchObject({ timeline: [{ status: 'pending' }] });
    expect(await get('/wallets/history?currency=CHF')).toMatchObject({
      rows: [{ amount: '20.5' }],
      total: 1,
    });
    const [newest] = (await get('/requests?limit=1')).requests as { id: string }[];
    expect(await get(`/requests/${newest!.id}`)).toMatchObject({ effects: { payment_id: created } });
    await change('POST', '/clock/advance', { duration: '1s' });
    const collected = { payment_id: created, headers: { 'X-Service-Signature': expect.any(String) } };
    expect(await get(`/webhooks/collected?account=${id}`)).toMatchObject({ events: [collected, collected] });

    const own = { numbers: 'string', headers: { all: { Deprecation: '@1780272000' } } };
    const profile = { ...own, successStatus: { createPayment: 202 } };
    expect(await change('PATCH', '/profile', { settings: own, account: shop.id })).toMatchObject(profile);
    expect(await get('/profile')).toMatchObject({ numbers: 'number', successStatus: { createPayment: 201 } });

    expect(await get('/requests?status=599')).toEqual({ requests: [], total: 0, dropped: 0 });
    const wanted = `account=${id}&mode=test&operation=createPayment&status=201`;
    expect((await get(`/requests?${wanted}`)).total).toBe(4);
    expect((await get(`/requests/wait?${wanted}&count=4&timeout=1ms`)).requests).toHaveLength(4);
    await change('DELETE', `/requests?account=${id}`);
    expect(mock.sandbox.requests.list()).toEqual([]);

    await change('POST', '/baseline');
    await change('POST', '/restore', snapshot);
    await change('POST', '/baseline');
    expect(await mock.sandbox.stateHash()).toBe(stateHash);
    await change('POST', '/reset');
    expect(await mock.sandbox.stateHash()).toBe(stateHash);

    expect(await change('POST', '/payments', { ...order(), status: 'completed' })).toMatchObject({
      status: 'completed',
    });

    const running = await serveRecorded({ clock: 'real' });
    expect(await running.ask('GET', '/changes')).toMatchObject({ body: { clock: 'real' } });
    const used = new Set([...asked, ...running.asked]);
    const remaining = controlOperations.filter(({ id: each }) => !used.has(each));
    expect(remaining.map(({ id: each }) => each)).toEqual([]);
  });
});

describe('the table of operations', () => {
  it('contains each operation and each path once', () => {
    const ids = controlOperations.map(({ id }) => id);
    const places = controlOperations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it('has every function of the sandbox', async () => {
    const { sandbox } = createStillMock().mock;
    const { server: _server, views: _views, state, ...others } = controlGroups;
    const names = (group: object, prefix: string) => Object.keys(group).map((name) => prefix + name);
    const defined = [
      // In process only: it takes long in a large sandbox.
      'stateHash',
      ...names(state!, ''),
      ...Object.entries(others).flatMap(([group, members]) => names(members, `${group}.`)),
    ];
    expect(listFunctions(sandbox).toSorted()).toEqual(defined.toSorted());
  });
});

describe('the control API rejects', () => {
  const nested = (levels: number): string => `{"profile":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  /** A request, its body, and a part of the message of the 404 or 400. */
  const rejected: [request: string, body: unknown, status: 400 | 404, message: string][] = [
    ['GET ', undefined, 404, 'GET /_sandbox/openapi.json lists'],
    ['GET /clock/', undefined, 404, 'There is no such path'],
    ['GET /../api/v1/balance', undefined, 404, 'There is no such path'],
    ['GET /accounts/%zz', undefined, 404, 'There is no account "%zz".'],
    ['POST /payments/pay_x/fail', undefined, 404, 'There is no payment "pay_x".'],
    ['POST /webhooks/deliveries/x/redeliver', {}, 404, 'There is no delivery "x".'],
    ['DELETE /faults/x', undefined, 404, 'There is no fault "x".'],
    ['PUT /webhooks/endpoint', { url: 'http://example.com/' }, 400, 'loopback hosts'],
    ['POST /clock/set', { time: '2020-01-01T00:00:00Z' }, 400, 'cannot go back in time.'],
    ['POST /wallets/credit', {}, 400, "currency is missing: it must be a code such as 'USD'"],
    [
      'POST /wallets/credit',
      { currency: 'USD', amount: 1, mode: 'prod', cents: 1 },
      400,
      `creditWallet: mode must be 'test' or 'live', not "prod"; has no field "cents"; it takes account, mode, currency, amount.`,
    ],
    ['PATCH /profile', { settings: { colour: 1 } }, 400, 'settings has no field "colour"'],
    ['POST /faults', { kind: 'latency' }, 400, 'faults.inject of latency: ms is missing'],
    ['POST /payments/a/fail', { payment: 'b' }, 400, 'payment is in the path'],
    ['POST /payments/a/fail?payment=b', {}, 400, 'a body, not in the query'],
    ['DELETE /requests', { account: 'x' }, 400, 'the query, not in a body'],
    ['GET /requests?status=200&status=201', undefined, 400, 'each field of the query once'],
    ['GET /requests?status=0x10', undefined, 400, 'status must be a whole number'],
    ['GET /requests?__proto__=1', undefined, 400, 'has no field "__proto__"'],
    ['POST /restore', {}, 400, 'format is missing'],
    ['POST /restore', { version: 3 }, 400, 'version must be 2'],
    ['POST /restore', { state: null }, 400, 'state must be an object'],
    ['POST /accounts', '{', 400, 'The request body is not valid JSON.'],
    ['POST /accounts', '{"name":"a"}{}', 400, 'The request body is not valid JSON.'],
    ['POST /accounts', '[]', 400, 'The request body must be a JSON object.'],
    ['POST /accounts', nested(32), 400, 'The request body is nested deeper than 32 levels.'],
    ['POST /accounts', nested(30_000), 400, 'The request body is nested deeper than 32 levels.'],
    [
      'POST /accounts',
      '{"__proto__":{"name":"x"}}',
      400,
      'createAccount: has no field "__proto__"; it takes name, balances, profile, testKey, liveKey.',
    ],
    [
      'POST /accounts',
      '{"balances":{"__proto__":"1.00"}}',
      400,
      `balances has the name "__proto__", but names have the form 'USD'`,
    ],
    [
      'POST /accounts',
      '{"balances":{"USD":1e400}}',
      400,
      'createAccount: balances.USD must be a number or decimal text',
    ],
    ['POST /accounts', '{"balances":{"USD":-1}}', 400, '-1 is not an amount of USD'],
    ['POST /accounts', '{"name":""}', 400, 'createAccount: name must be non-empty text'],
  ];

  it('a wrong request with its reason, and changes nothing', async () => {
    const { ask, mock } = await serveControl();
    const before = await mock.sandbox.stateHash();
    const differences: unknown[] = [];
    for (const [request, body, status, message] of rejected) {
      const [method = '', path = ''] = request.split(' ');
      const answered = await ask(method, path, { body });
      const { error } = answered.body;
      const code = status === 404 ? 'not_found' : 'invalid_argument';
      if (answered.status !== status || error.code !== code || !error.message.includes(message))
        differences.push([request, body, answered.status, error]);
    }
    expect(differences).toEqual([]);
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect(Object.prototype).not.toHaveProperty('name');
  });

  it('a method that a path does not support, and lists the supported ones', async () => {
    const { ask } = await serveControl();
    const headers = async (method: string, path: string) => (await ask(method, path)).headers;
    expect(await ask('PUT', '/accounts')).toMatchObject({
      status: 405,
      headers: { allow: 'POST, GET, HEAD, OPTIONS' },
      body: { error: { code: 'method_not_allowed' } },
    });
    expect(await headers('HEAD', '/reset')).toMatchObject({ allow: 'POST, OPTIONS' });
    expect(await headers('DELETE', '/accounts/find')).toMatchObject({ allow: 'POST, OPTIONS' });
    expect(await headers('OPTIONS', '/faults/flt_1')).toMatchObject({ allow: 'DELETE, OPTIONS' });
  });

  it('API keys without repeating them', async () => {
    const { ask, mock } = await serveControl();
    const { testKey } = mock.account;
    const answers = [
      await ask('GET', `/accounts/${testKey}`),
      await ask('GET', `/requests?account=${testKey}`),
      await ask('GET', `/requests?${testKey}=1`),
      await ask('POST', '/faults', { body: { kind: testKey } }),
      await ask('POST', '/faults', { body: { [testKey]: 1 } }),
      await ask('POST', `/payments/${testKey}/fail`),
      await ask('POST', '/wallets/set', { body: { currency: testKey, amount: testKey } }),
      await ask('POST', '/accounts/find', { body: { key: `${testKey}x` } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400, 404, 400, 404]);
    expect(JSON.stringify(answers)).not.toContain(testKey.slice('service_test_'.length));
  });
});

describe('a response of the control API', () => {
  it('cannot be cached or embedded by pages', async () => {
    const { ask } = await serveControl();
    const guarded = {
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Origin',
    };
    expect((await ask('GET', '/snapshot')).headers).toMatchObject(guarded);
    expect((await ask('GET', '/health')).headers).toMatchObject(guarded);
    expect((await ask('GET', '/nowhere')).headers).toMatchObject(guarded);
  });

  it('is not in the request log', async () => {
    const { ask, mock } = await serveControl();
    await ask('GET', '/accounts');
    await ask('GET', '/nowhere');
    expect(mock.sandbox.requests.list()).toEqual([]);
  });

  it('reveals nothing of a defect, which is reported', async () => {
    const defects: unknown[] = [];
    const { ask, mock } = await serveControl({ onDefect: (error) => defects.push(error) });
    vi.spyOn(partsOf(mock).state.accounts, 'values').mockImplementation(() => {
      throw new Error('secret of the inside');
    });
    expect(await ask('GET', '/accounts')).toMatchObject({
      status: 500,
      body: { error: { code: 'defect', message: 'The sandbox failed.' } },
    });
    expect(defects).toEqual([new Error('secret of the inside')]);
  });

  it('is missing when the control API is off, and with other transports', async () => {
    const { server, mock } = await serveControl({}, { control: 'off' });
    expect(server.controlToken).toBeNull();
    const key = { 'x-api-key': mock.account.testKey };
    const overHttp = await fetch(`${server.url}/_sandbox/health`, { headers: key });
    expect(await overHttp.json()).toMatchObject({ success: false, error: { type: 'not_found' } });
    const inProcess = await mock.fetch('http://localhost:4010/_sandbox/health', { headers: key });
    expect(inProcess.status).toBe(404);
  });
});

describe('the documentation of the control API', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/control-api.md'), 'utf8');
  const commands = [...page.matchAll(/^curl .*_sandbox.*$/gm)].map(([command]) => command);

  it.each(commands)('%s works as typed', async (command) => {
    const [, path = ''] = /http:\/\/localhost:4010\/_sandbox([^\s']*)/.exec(command) ?? [];
    const [, type] = /-H 'content-type: ([^']*)'/.exec(command) ?? [];
    const [, body] = /-d '([^']*)'/.exec(command) ?? [];
    const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\S+)/.exec(command) ?? [];
    const { ask } = await serveControl();
    const headers = { 'content-type': type };
    expect((await ask(method, path, { body, headers })).status).toBeLessThan(300);
  });

  it('lists every operation', () => {
    const [, table = ''] = /<!-- generated: operations -->([\s\S]*)<!-- end: operations -->/.exec(page) ?? [];
    const missing = controlOperations.filter(({ method, path }) => !table.includes(`${method} \`${path}\``));
    expect(missing).toEqual([]);
  });
});
