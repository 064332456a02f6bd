import { type SetupServer, setupServer } from 'msw2/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Mock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createStillMock, order } from './support.ts';

// In this file the package imports msw 2 as msw.
vi.mock('msw', () => import('msw2'));

type Pay = (fields?: object, signal?: AbortSignal | null) => Promise<Response>;

function setUp(): { mock: Mock; pay: Pay; server: SetupServer } {
  const { mock } = createStillMock();
  const server = setupServer(...(createHandlers(mock) as never[]));
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => server.close());
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const pay: Pay = (fields = {}, signal = null) =>
    fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(order({ ...fields })),
      signal,
    });
  return { mock, pay, server };
}

describe('createHandlers with msw 2', () => {
  it.each([
    ['a create', {}, 201],
    ['a create that is rejected', { amount: -1 }, 422],
    ['a create over 64 KiB', { purpose: 'x'.repeat(200_000) }, 413],
  ])('lets life-cycle listeners read the request of %s', async (_, fields, status) => {
    const { pay, server } = setUp();
    const read: Promise<string>[] = [];
    const readCopy = ({ request }: { request: Request }): void => {
      const copy = request.clone();
      read.push(copy.text());
    };
    for (const event of ['request:start', 'request:match', 'request:end', 'response:mocked'] as const)
      server.events.on(event, readCopy);
    const body = JSON.stringify(order(fields));
    expect((await pay(fields)).status).toBe(status);
    await expect.poll(() => read.length).toBe(4);
    expect(await Promise.all(read)).toEqual([body, body, body, body]);
  });
});
