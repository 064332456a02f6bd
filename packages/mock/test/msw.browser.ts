import { setupWorker } from 'msw/browser';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHandlers } from '@service/mock/msw';
import { expectReadable } from './life-cycle.ts';
import { createStillMock, order } from './support.ts';

describe('createHandlers in a page', () => {
  it.each([
    ['the address of the mock', 'http://localhost:4010/api/v1', 'http://localhost:4010/api/v1'],
    ['a path of the page', '/api/v1', '/api/v1'],
    ['a path of the page that leads to a proxy', '/backend/payments', '/backend/payments'],
    ['a path at any origin', '/api/v1', 'https://payments.example/api/v1'],
  ])('handles %s', async (_, baseUrl, address) => {
    const { mock } = createStillMock();
    const worker = setupWorker(...createHandlers(mock, { baseUrl }));
    await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
    onTestFinished(() => worker.stop());
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${mock.account.testKey}` };
    const init = { method: 'POST', headers, body: JSON.stringify(order()) };
    const { data } = (await (await fetch(`${address}/payments`, init)).json()) as { data: { id: string } };
    expect((await fetch(`${address}/payments/${data.id}`, { headers })).status).toBe(200);
    expect((await fetch(`${address}/nothing`, { headers })).status).toBe(404);
  });

  it('lets life-cycle listeners read the request of a create', async () => {
    const { mock } = createStillMock();
    const worker = setupWorker(...createHandlers(mock));
    await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
    onTestFinished(() => worker.stop());
    expect(await expectReadable(worker, mock, {})).toBe(201);
  });
});
