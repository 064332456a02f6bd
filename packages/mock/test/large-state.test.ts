import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Mock, type Snapshot } from '@service/mock';
import { serveControl } from './control-support.ts';
import { createStillMock, order } from './support.ts';

// Snapshots and digests of a state whose text has several blocks.

const PAYMENTS = 1_000;

let large: Snapshot;

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

beforeAll(async () => {
  const { mock } = createStillMock({ accounts: 'open' });
  const { sandbox, baseUrl } = mock;
  sandbox.webhooks.collect();
  await addPayments(baseUrl, mock, { count: PAYMENTS });
  await sandbox.clock.advance('2s');
  sandbox.profile.set({ idempotency: 'ignored' });
  sandbox.accounts.create({ name: 'second', balances: { USD: 5, CHF: 0 } });
  await addPayments(baseUrl, mock, { count: 5 });
  large = sandbox.snapshot();
  const { state } = large;
  const text = JSON.stringify(state, (name, value: unknown) => (name === 'deliveries' ? undefined : value));
  expect(text.length).toBeGreaterThan(2 ** 20);
});

describe('the snapshot of a large state over HTTP', () => {
  it('has the text of the snapshot in process', async () => {
    const { mock, ask } = await serveControl();
    mock.sandbox.restore(large);
    const { status, body, headers } = await ask('GET', '/snapshot');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const { state, ...rest } = body as unknown as Snapshot;
    const { state: expected, ...others } = mock.sandbox.snapshot();
    expect(rest).toEqual(others);
    // The comparison of two long texts would be slow to print.
    expect(JSON.stringify(state) === JSON.stringify(expected)).toBe(true);
  });

  it('has no part of the changes during its transfer, and its ledger is consistent', async () => {
    const { mock, server } = await serveControl();
    mock.sandbox.restore(large);
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

describe('the digest of a state', () => {
  it('is the SHA-256 of its JSON without deliveries if that is shorter than a block', async () => {
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.collect();
    await post('/payments', order({ purpose: 'ünïcode 💶' }));
    await mock.sandbox.idle();
    const { state } = mock.sandbox.snapshot();
    expect(state.accounts[0]?.modes.test.deliveries).toHaveLength(1);
    const text = JSON.stringify(state, (name, value: unknown) => (name === 'deliveries' ? undefined : value));
    expect(await mock.sandbox.stateHash()).toBe(createHash('sha256').update(text).digest('hex'));
  });
});
