import { setupServer } from 'msw2/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Mock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createStillMock, order } from './support.ts';

// What the package imports as msw is msw 2 in this file.
vi.mock('msw', () => import('msw2'));

type Pay = (fields?: object, signal?: AbortSignal | null) => Promise<Response>;

function setUp(): { mock: Mock; pay: Pay } {
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
  return { mock, pay };
}

it('makes handlers that msw 2 takes', async () => {
  const { pay } = setUp();
  expect((await pay()).status).toBe(201);
  await expect(pay({ beneficiary_account: 'SIM-DROP' })).rejects.toThrow(TypeError);
});

it('refuses a body over 64 KiB at once, though msw keeps a copy of it that nobody reads', async () => {
  const { pay } = setUp();
  expect((await pay({ purpose: 'x'.repeat(70_000) })).status).toBe(413);
});

it('answers a path with a bad escape as any other that is none', async () => {
  const { mock } = setUp();
  const headers = { 'x-api-key': mock.account.testKey };
  for (const path of ['/%', '/payments/%E0%A4%A', '/transactions/%zz']) {
    const response = await fetch(`${mock.baseUrl}${path}`, { headers });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { type: 'not_found' } }]);
  }
});

it('cuts an answer in the middle', async () => {
  const { mock, pay } = setUp();
  mock.sandbox.faults.inject({ kind: 'truncated' });
  const response = await pay();
  expect(response.status).toBe(201);
  await expect(response.text()).rejects.toMatchObject({ message: 'terminated' });
});

it('lets an answer hang in the middle until it is given up', async () => {
  const { mock, pay } = setUp();
  mock.sandbox.faults.inject({ kind: 'stalled' });
  const giveUp = new AbortController();
  const reader = (await pay({}, giveUp.signal)).body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^\{"success":true,/);
  const rest = reader.read();
  giveUp.abort(new Error('enough'));
  await expect(rest).rejects.toThrow('enough');
});

it('has a network error where there is no HTTP', async () => {
  const { mock, pay } = setUp();
  mock.sandbox.faults.inject({ kind: 'garbage' });
  await expect(pay()).rejects.toThrow(TypeError);
  expect(mock.sandbox.requests.list()).toMatchObject([{ fault: { kind: 'garbage', degraded: true } }]);
});
