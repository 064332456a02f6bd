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
  it('serves the API', async () => {
    const { pay } = setUp();
    expect((await pay()).status).toBe(201);
    await expect(pay({ beneficiary_account: 'SIM-DROP' })).rejects.toThrow(TypeError);
  });

  it('rejects a body over 64 KiB before its end', async () => {
    const { pay } = setUp();
    expect((await pay({ purpose: 'x'.repeat(70_000) })).status).toBe(413);
  });

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

  it('treats a path with an invalid escape as unknown', async () => {
    const { mock } = setUp();
    const headers = { 'x-api-key': mock.account.testKey };
    for (const path of ['/%', '/payments/%E0%A4%A', '/transactions/%zz']) {
      const response = await fetch(`${mock.baseUrl}${path}`, { headers });
      expect([response.status, await response.json()]).toMatchObject([404, { error: { type: 'not_found' } }]);
    }
  });

  it('ends a truncated fault in the middle of the body', async () => {
    const { mock, pay } = setUp();
    mock.sandbox.faults.inject({ kind: 'truncated' });
    const response = await pay();
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated' });
  });

  it('keeps a stalled fault open until the request is aborted', async () => {
    const { mock, pay } = setUp();
    mock.sandbox.faults.inject({ kind: 'stalled' });
    const giveUp = new AbortController();
    const reader = (await pay({}, giveUp.signal)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^\{"success":true,/);
    const rest = reader.read();
    giveUp.abort(new Error('enough'));
    await expect(rest).rejects.toThrow('enough');
  });

  it('turns a garbage fault into a network error', async () => {
    const { mock, pay } = setUp();
    mock.sandbox.faults.inject({ kind: 'garbage' });
    await expect(pay()).rejects.toThrow(TypeError);
    expect(mock.sandbox.requests.list()).toMatchObject([{ fault: { kind: 'garbage', degraded: true } }]);
  });
});
