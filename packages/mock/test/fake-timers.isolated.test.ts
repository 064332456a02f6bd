import { describe, expect, it, vi } from 'vitest';

// Before the mock is loaded, as in a setup file, or with `fakeTimers.enableGlobally` of jest.
vi.useFakeTimers();
const { createMock } = await import('@service/mock');
const { listen } = await import('@service/mock/node');

describe('fake timers that are installed before the mock is loaded', () => {
  it('delay no webhook, no advance of the clock and no response', async () => {
    await using mock = createMock({ clock: 'manual' });
    const { sandbox, account } = mock;
    sandbox.webhooks.collect();
    sandbox.faults.inject({ kind: 'latency', ms: 1, operation: 'getBalance' });
    const order = { from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'Acme' };
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': account.testKey };
    const { status } = await mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(order),
    });
    expect(status).toBe(201);
    expect(await sandbox.clock.advance('4s')).toMatchObject({ pending: 0 });
    expect(sandbox.webhooks.collected()).toHaveLength(3);
    await using server = await listen(mock, { port: 0 });
    const response = await fetch(`${server.baseUrl}/balance`, {
      headers: { ...headers, Connection: 'close' },
    });
    expect(response.status).toBe(200);
  });
});
