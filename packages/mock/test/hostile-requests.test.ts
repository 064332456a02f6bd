import { setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { mountSandbox as mountInVite } from '@service/mock/vite';
import { fetchWith } from '../src/adapters/fetch.ts';
import { createRequestServer } from '../src/adapters/node-server.ts';
import { CORE, PARTS } from '../src/core.ts';
import type { HandleRequest } from '../src/http/request.ts';
import { partsOf, serveControl, talk } from './control-support.ts';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { createPlainCaller, createStillMock, order, prototypeNames, START } from './support.ts';

// Requests that would end the process, and errors of the mock itself: each answers, and so does the next request.

const failure = {
  status: 500,
  body: { success: false, error: { type: 'server_error', message: 'The sandbox failed.' } },
};

describe('a name of the prototype of every object', () => {
  it.each(prototypeNames)('%s is not a page of the mock', async (name) => {
    const { server } = await serveControl({}, { control: { token: 'a-token-of-the-test-0123' } });
    for (const path of [`ui/${name}`, `ui/${name}/`, `ui/${encodeURIComponent(name)}?x`]) {
      const head = `GET /_sandbox/${path} HTTP/1.1\r\nHost: any.example\r\nConnection: close\r\n\r\n`;
      expect(await talk(server.port, head)).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200);
  });

  it.each(prototypeNames)('%s is data of a request', async (name) => {
    const { mock, ask, get, post, send } = await serveControl({
      profile: { requestBody: { unknownFields: 'reject' } },
    });
    const parsed = JSON.parse(`{${JSON.stringify(name)}:{"a":1}}`) as object;
    const refused = await createPlainCaller(mock).pay({ ...parsed });
    expect(refused.text).toContain(`${name} is not known`);
    expect((await post('/payments', order({ from_currency: name }))).status).toBe(422);
    expect((await get(`/payments/${name}`)).status).toBe(404);
    expect((await get(`/transactions?status=${name}&type=${name}&${name}=1`)).status).toBe(422);
    expect((await send('GET', '/balance', { headers: { 'x-api-key': name } })).status).toBe(401);
    expect((await post('/payments', order(), { 'idempotency-key': name })).status).toBe(201);
    for (const path of [
      name,
      `accounts/${name}`,
      `payments/${name}`,
      `requests/${name}`,
      `webhooks/deliveries/${name}`,
    ])
      expect((await ask('GET', `/${path}`)).status).toBe(404);
    expect((await ask('GET', `/payments?account=${name}`)).status).toBe(404);
    expect((await ask('GET', `/payments?mode=${name}`)).status).toBe(400);
    const bodies = [
      ['/faults', { kind: name }],
      ['/faults', { kind: 'status', status: 503, target: name }],
      ['/wallets/credit', { currency: name, amount: 1 }],
      ['/accounts', { profile: { [name]: 1 } }],
      ['/accounts', { profile: { refusals: { [name]: {} } } }],
      ['/accounts', { profile: { headers: { [name]: {} } } }],
      ['/accounts', { profile: { rows: { debit: [`{${name}}`] } } }],
      ['/accounts', { profile: { timestamps: name } }],
      ['/accounts', { balances: { [name]: '1.00' } }],
    ] as const;
    for (const [path, body] of bodies)
      expect([path, body, (await ask('POST', path, { body })).status]).toEqual([path, body, 400]);
    await mock.sandbox.clock.advance('1h');
    expect((await get('/balance')).status).toBe(200);
    expect(Object.prototype).not.toHaveProperty('a');
  });
});

describe('an error of the mock', () => {
  const broken: HandleRequest = async () => ({
    response: { status: 200, headers: { 'a b': 'c\r\nd' }, body: '' },
    flushed() {},
  });
  const rejected: HandleRequest = () => Promise.reject(new Error('inside'));

  it.each([
    ['rejects', rejected],
    ['has a response that cannot be sent', broken],
  ])('that %s is a 500 over HTTP, and the next request is served', async (_, handle) => {
    const defects: unknown[] = [];
    const handleNext: HandleRequest = (request) =>
      request.path === '/fine'
        ? Promise.resolve({ response: { status: 204, headers: {}, body: null }, flushed() {} })
        : handle(request);
    const server = createRequestServer({ handle: handleNext, onDefect: (error) => defects.push(error) });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${await listenAtFreePort(server)}`;
    const response = await fetch(`${url}/x`);
    expect({ status: response.status, body: await response.json() }).toEqual(failure);
    expect((await fetch(`${url}/fine`)).status).toBe(204);
    expect(defects).toHaveLength(1);
  });

  it('is a 500 of the injected fetch, and of the handlers for MSW', async () => {
    const defects: unknown[] = [];
    const onDefect = (error: unknown): unknown => defects.push(error);
    const mock = createMock({ onDefect });
    const server = setupServer(...createHandlers({ ...mock, [CORE]: broken, [PARTS]: mock[PARTS] }));
    server.listen();
    onTestFinished(() => server.close());
    for (const send of [fetchWith(broken, onDefect), fetch]) {
      const response = await send(`${mock.baseUrl}/balance`);
      expect({ status: response.status, body: await response.json() }).toEqual(failure);
    }
    expect(defects).toEqual([expect.any(TypeError), expect.any(TypeError)]);
  });

  it('is a 500 on a server of Vite', async () => {
    const listeners: ((incoming: unknown, outgoing: unknown) => void)[] = [];
    const defects: unknown[] = [];
    const plugin = mountInVite(() => createMock({ onDefect: (error) => defects.push(error) }));
    await plugin.configureServer({ middlewares: { use: (_, listener) => listeners.push(listener) } });
    const sent: unknown[] = [];
    const outgoing = {
      getHeaderNames: () => [],
      req: {},
      writeHead: (status: number) => ({ end: (body: string) => sent.push([status, body]) }),
    };
    listeners[0]!(
      { url: '/_sandbox/health', rawHeaders: [], socket: { remoteAddress: '127.0.0.1' } },
      outgoing,
    );
    await expect.poll(() => sent).toEqual([[500, JSON.stringify(failure.body)]]);
    expect(defects).toEqual([expect.any(TypeError)]);
  });

  it('in a timer, a delivery or a request is reported, also if the listener throws', async () => {
    const defects: unknown[] = [];
    const { mock, get, post } = createStillMock({
      onDefect(error) {
        defects.push(error);
        throw new Error('no log');
      },
    });
    const fail = (where: string) => (): never => {
      throw new Error(where);
    };
    mock.sandbox.webhooks.collect();
    const { state, deliveries } = partsOf(mock);
    expect((await post('/payments', order())).status).toBe(201);
    const { accountState } = state.apiKeys.get(mock.account.testKey)!;
    Object.defineProperty(accountState, 'transactions', { get: fail('timer'), configurable: true });
    await mock.sandbox.clock.advance('1h');
    Object.defineProperty(accountState, 'transactions', { value: [] });
    deliveries.inProcessEndpoints.senderOf = fail('delivery');
    expect((await post('/payments', order())).status).toBe(201);
    await mock.sandbox.idle();
    Object.defineProperty(state.accounts.get(mock.account.id)!.byMode.test, 'ledger', {
      get: fail('request'),
    });
    expect((await get('/balance')).status).toBe(500);
    expect(new Set(defects.map(String))).toEqual(
      new Set(['Error: timer', 'Error: delivery', 'Error: request']),
    );
  });
});

describe('an API key at the control API of this machine', () => {
  const url = 'http://localhost:9/hooks';

  async function serveTwo() {
    const served = await serveControl();
    const other = served.mock.sandbox.accounts.create({ name: 'other' });
    const endpoints = () =>
      [served.mock.account, other].flatMap(({ id: account }) =>
        (['test', 'live'] as const).map(
          (mode) => served.mock.sandbox.webhooks.endpoint({ account, mode })?.url ?? null,
        ),
      );
    return { ...served, other, endpoints };
  }

  it.each([
    ['authorization', (key: string) => `Bearer ${key}`],
    ['x-api-key', (key: string) => key],
  ])('in %s selects its account and mode', async (name, write) => {
    const { ask, other, endpoints } = await serveTwo();
    const headers = { [name]: write(other.testKey) };
    expect((await ask('PUT', '/webhooks/endpoint', { headers, body: { url } })).status).toBe(200);
    expect(endpoints()).toEqual([null, null, url, null]);
    expect((await ask('GET', '/webhooks/endpoint', { headers })).body).toEqual({ endpoint: { url } });
    const live = { [name]: write(other.liveKey) };
    await ask('PUT', '/webhooks/endpoint', { headers: live, body: { url: `${url}/live` } });
    expect(endpoints()).toEqual([null, null, url, `${url}/live`]);
    expect((await ask('DELETE', '/webhooks/endpoint', { headers })).status).toBe(204);
    expect(endpoints()).toEqual([null, null, null, `${url}/live`]);
  });

  it('as a bearer token is limited to its account', async () => {
    const { ask, mock, other } = await serveTwo();
    const headers = { authorization: `Bearer ${other.testKey}` };
    const settings = { successStatus: { createPayment: 202 } };
    for (const [request, body, status] of [
      ['PUT /webhooks/endpoint', { account: mock.account.id, url }, 403],
      ['POST /clock/advance', { duration: '1s' }, 403],
      ['POST /accounts', {}, 403],
      ['POST /reset', undefined, 403],
      ['PATCH /profile', { settings }, 200],
      ['PUT /webhooks/endpoint', { url }, 200],
    ] as const) {
      const [method = '', path = ''] = request.split(' ');
      expect([request, (await ask(method, path, { headers, body })).status]).toEqual([request, status]);
    }
    for (const { successStatus } of [mock.sandbox.profile.get(), mock.sandbox.profile.get(mock.account.id)])
      expect(successStatus.createPayment).toBe(201);
    expect(mock.sandbox.clock.now()).toEqual(new Date(START));
  });

  it('that no account has is refused, and so are two different ones', async () => {
    const { ask, mock, other } = await serveTwo();
    for (const [headers, status] of [
      [{ authorization: 'Bearer service_test_unknown' }, 401],
      [{ authorization: 'Bearer service_live_unknown' }, 401],
      [{ authorization: `Bearer ${other.testKey}`, 'x-api-key': mock.account.testKey }, 401],
      // Neither is a key of this sandbox: a token that is not needed, and the key of another sandbox that selects a process.
      [{ authorization: 'Bearer a-token-of-the-test-0123', 'x-api-key': 'service_test_unknown' }, 200],
    ] as const)
      expect([headers, (await ask('GET', '/payments', { headers })).status]).toEqual([headers, status]);
  });

  it('beside the token selects the account where one is left out', async () => {
    const token = 'a-token-of-the-test-0123';
    const { ask, mock } = await serveControl({}, { control: { token } });
    const other = mock.sandbox.accounts.create({ name: 'other' });
    const headers = { authorization: `Bearer ${token}`, 'x-api-key': other.testKey };
    await ask('PUT', '/webhooks/endpoint', { headers, body: { url } });
    expect(mock.sandbox.webhooks.endpoint({ account: other.id })).toEqual({ url });
    expect(mock.sandbox.webhooks.endpoint()).toBeNull();
    expect((await ask('POST', '/clock/advance', { headers, body: { duration: '1s' } })).status).toBe(200);
    expect(
      (await ask('GET', '/payments', { headers: { authorization: `Bearer ${other.testKey}` } })).status,
    ).toBe(401);
  });
});
