import { setupServer } from 'msw2/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createHandlers } from '@service/mock/msw';
import { createStillMock, order } from './support.ts';

// What the package imports as msw is msw 2 in this file.
vi.mock('msw', () => import('msw2'));

it('makes handlers that msw 2 takes', async () => {
  const { mock } = createStillMock();
  const server = setupServer(...(createHandlers(mock) as never[]));
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => server.close());
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const body = JSON.stringify(order());
  const created = await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const dropped = JSON.stringify(order({ beneficiary_account: 'SIM-DROP' }));
  await expect(fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body: dropped })).rejects.toThrow(
    TypeError,
  );
});
