import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHandlers } from '@service/mock/msw';
import { createStillMock, order } from './support.ts';

const json = { 'content-type': 'application/json' };

describe('createHandlers', () => {
  it('answers what the process fetches, with msw 3', async () => {
    const { mock } = createStillMock();
    const server = setupServer(...createHandlers(mock));
    server.listen({ onUnhandledFrame: 'error' });
    onTestFinished(() => server.close());
    const headers = { ...json, authorization: `Bearer ${mock.account.testKey}` };
    const created = await fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(order()),
    });
    expect(created.status).toBe(201);
    const head = await fetch(`${mock.baseUrl}/balance`, { method: 'HEAD', headers });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(`${mock.baseUrl}/nothing`, { headers })).status).toBe(404);
    expect((await fetch(mock.baseUrl, { headers })).status).toBe(404);
  });

  it('loses the answer of SIM-DROP as a network error', async () => {
    const { mock } = createStillMock();
    const server = setupServer(...createHandlers(mock));
    server.listen({ onUnhandledFrame: 'error' });
    onTestFinished(() => server.close());
    const headers = { ...json, authorization: `Bearer ${mock.account.testKey}` };
    const body = JSON.stringify(order({ beneficiary_account: 'SIM-DROP' }));
    await expect(fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body })).rejects.toThrow(
      TypeError,
    );
  });

  it('stands at another address and behind handlers of the user', async () => {
    const { mock } = createStillMock();
    const baseUrl = 'https://payments.example/api/v1';
    const server = setupServer(
      http.get(`${baseUrl}/balance`, () => HttpResponse.json({ mine: true })),
      ...createHandlers(mock, { baseUrl }),
    );
    server.listen({ onUnhandledFrame: 'error' });
    onTestFinished(() => server.close());
    expect(await (await fetch(`${baseUrl}/balance`)).json()).toEqual({ mine: true });
    expect((await fetch(`${baseUrl}/transactions`)).status).toBe(401);
  });
});
