import { type HttpHandler, HttpResponse, http } from 'msw';
import { type SetupServer, setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mock } from '@service/mock';
import { createHandlers, type HandlerOptions } from '@service/mock/msw';
import { listen } from '@service/mock/node';
import { creates, expectReadable } from './life-cycle.ts';
import { createStillMock, order } from './support.ts';

const json = { 'content-type': 'application/json' };

/** Handles the requests of a test with a mock, after the handlers of the test. */
function intercept(mock: Mock, options: HandlerOptions = {}, ...own: HttpHandler[]): SetupServer {
  const server = setupServer(...own, ...createHandlers(mock, options));
  server.listen({ onUnhandledFrame: 'error' });
  onTestFinished(() => server.close());
  return server;
}

describe('createHandlers', () => {
  it.each(creates)('lets life-cycle listeners read the request of %s', async (_, fields, status) => {
    const { mock } = createStillMock();
    expect(await expectReadable(intercept(mock), mock, fields)).toBe(status);
  });

  describe('with a key for requests without one', () => {
    const baseUrl = 'https://app.example/backend/payments';

    async function listenWith(options: (mock: Mock) => HandlerOptions): Promise<Mock> {
      const { mock } = createStillMock();
      intercept(mock, { baseUrl, ...options(mock) });
      return mock;
    }

    it.each(['test', 'live'] as const)(
      'sends the %s key, as the back end of a front end does',
      async (mode) => {
        const mock = await listenWith(({ account }) => ({ apiKey: account[`${mode}Key`] }));
        const response = await fetch(`${baseUrl}/balance`);
        expect(await response.json()).toMatchObject({ success: true, mode });
        expect(mock.sandbox.requests.list()).toMatchObject([
          { account: mock.account.id, mode, headers: { 'x-api-key': '[redacted]' } },
        ]);
      },
    );

    it.each(['authorization', 'x-api-key'])('leaves a request with %s unchanged', async (name) => {
      await listenWith(({ account }) => ({ apiKey: account.testKey }));
      const response = await fetch(`${baseUrl}/balance`, {
        headers: { [name]: 'Bearer service_test_other' },
      });
      expect(response.status).toBe(401);
    });
  });

  it('handles another base URL, after handlers of the user', async () => {
    const { mock } = createStillMock();
    const baseUrl = 'https://payments.example/api/v1';
    intercept(
      mock,
      { baseUrl },
      http.get(`${baseUrl}/balance`, () => HttpResponse.json({ mine: true })),
    );
    expect(await (await fetch(`${baseUrl}/balance`)).json()).toEqual({ mine: true });
    expect((await fetch(`${baseUrl}/transactions`)).status).toBe(401);
  });

  it.each([
    ['https://payments.example/backend/v7', 'https://payments.example/backend/v7'],
    ['https://payments.example', 'https://payments.example'],
    ['/backend/payments', 'https://whoever.example/backend/payments'],
  ])('handles %s at any origin', async (baseUrl, address) => {
    const { mock } = createStillMock();
    intercept(mock, { baseUrl });
    const headers = { ...json, authorization: `Bearer ${mock.account.testKey}` };
    const init = { method: 'POST', headers, body: JSON.stringify(order()) };
    const { data } = (await (await fetch(`${address}/payments`, init)).json()) as { data: { id: string } };
    expect((await fetch(`${address}/payments/${data.id}`, { headers })).status).toBe(200);
    expect((await fetch(`${address}/transactions?per_page=2&page=2`, { headers })).status).toBe(200);
    expect((await fetch(`${address}/payments/`, { headers })).status).toBe(404);
    expect((await fetch(address, { headers })).status).toBe(404);
  });

  it('lets a runtime handler respond first, until a reset', async () => {
    const { mock } = createStillMock();
    const server = intercept(mock);
    const headers = { ...json, authorization: `Bearer ${mock.account.testKey}` };
    const pay = async (): Promise<number> => {
      const body = JSON.stringify(order());
      return (await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body })).status;
    };
    server.use(http.post(`${mock.baseUrl}/payments`, () => new HttpResponse(null, { status: 503 })));
    expect(await pay()).toBe(503);
    expect((await fetch(`${mock.baseUrl}/balance`, { headers })).status).toBe(200);
    server.resetHandlers();
    expect(await pay()).toBe(201);
    server.use(
      http.post(`${mock.baseUrl}/payments`, () => new HttpResponse(null, { status: 503 }), { once: true }),
    );
    expect([await pay(), await pay()]).toEqual([503, 201]);
  });

  it('leaves other requests to onUnhandledFrame', async () => {
    const { mock } = createStillMock();
    const server = setupServer(...createHandlers(mock));
    const unhandled: string[] = [];
    server.listen({
      onUnhandledFrame: ({ frame }) => void unhandled.push(frame.protocol),
    });
    onTestFinished(() => server.close());
    await using elsewhere = await listen(createStillMock().mock, { port: 0 });
    expect((await fetch(`${elsewhere.url}/health`)).status).toBe(401);
    expect((await fetch(`${mock.baseUrl}/balance`)).status).toBe(401);
    expect(unhandled).toEqual(['http']);
  });

  it('rejects other values than a mock', () => {
    expect(() => createHandlers({ baseUrl: 'http://localhost/api/v1' } as never)).toThrow(
      'createHandlers needs a mock from createMock.',
    );
    expect(() => createHandlers(undefined as never)).toThrow('createHandlers needs a mock from createMock.');
  });
});
