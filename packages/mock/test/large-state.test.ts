import { describe, expect, it } from 'vitest';
import { type Mock } from '@service/mock';
import { serveControl } from './control-support.ts';
import { order } from './support.ts';

// Snapshots and digests of a state whose text has several blocks.

const PAYMENTS = 1_000;

async function addPayments(
  baseUrl: string,
  mock: Mock,
  { count, fetch = mock.fetch }: Orders,
): Promise<void> {
  for (let created = 0; created < count; created += 1) {
    const { status } = await fetch(`${baseUrl}/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mock.account.testKey}`,
        'content-type': 'application/json',
        'idempotency-key': `order-${created}-of-${count}`,
      },
      body: JSON.stringify(order({ amount: 1, purpose: `ünïcode ${created}` })),
    });
    expect(status).toBe(201);
  }
}

interface Orders {
  readonly count: number;
  readonly fetch?: typeof fetch;
}

describe('the snapshot of a large state over HTTP', () => {
  it('has no part of the changes during its transfer, and its ledger is consistent', async () => {
    const { mock, server } = await serveControl();
    mock.sandbox.webhooks.collect();
    await addPayments(mock.baseUrl, mock, { count: PAYMENTS });
    await mock.sandbox.clock.advance('2s');
    expect(JSON.stringify(mock.sandbox.snapshot().state).length).toBeGreaterThan(2 ** 20);
    const before = await mock.sandbox.stateHash();
    const response = await fetch(`${server.url}/_sandbox/snapshot`);
    const [text] = await Promise.all([
      response.text(),
      addPayments(`${server.url}/api/v1`, mock, { count: 30, fetch }),
      mock.sandbox.clock.advance('1h'),
    ]);
    expect(await mock.sandbox.stateHash()).not.toBe(before);
    const other = await serveControl();
    expect((await other.ask('POST', '/restore', { body: text })).status).toBe(204);
    expect(await other.mock.sandbox.stateHash()).toBe(before);
    const { body } = await other.ask('GET', '/wallets/checks');
    const { checks } = body as unknown as { checks: { isHeld: boolean }[] };
    expect(checks.map(({ isHeld }) => isHeld)).toEqual([true, true, true, true, true]);
  });
});
