import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock, type Snapshot } from '@service/mock';
import { computeChecksum, type StateSnapshot } from '../src/state/snapshot.ts';
import { joinInTurns } from '../src/state/state-text.ts';
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

function restoreLarge(): Mock {
  const mock = createMock({ clock: 'manual', seed: 'another' });
  mock.sandbox.restore(large);
  return mock;
}

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

  it('ends when the client disconnects', async () => {
    const { mock, server, ask } = await serveControl();
    mock.sandbox.restore(large);
    const response = await fetch(`${server.url}/_sandbox/snapshot`);
    await response.body?.cancel();
    expect((await ask('HEAD', '/snapshot')).status).toBe(200);
    expect((await ask('GET', '/health')).status).toBe(200);
  });
});

describe('the digest of a state', () => {
  const digestOf = (snapshot: Snapshot, state: Partial<StateSnapshot>): Promise<string> => {
    const mock = createMock({ clock: 'manual' });
    const edited = { ...snapshot.state, ...state };
    mock.sandbox.restore({ ...snapshot, state: edited, checksum: computeChecksum(edited) });
    return mock.sandbox.stateHash();
  };

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

  it('is the same for a restored large state, and differs if any block differs', async () => {
    const [account, ...rest] = large.state.accounts;
    const { payments, ...mode } = account!.modes.test;
    const same = await restoreLarge().sandbox.stateHash();
    expect(await restoreLarge().sandbox.stateHash()).toBe(same);
    const digests = [0, PAYMENTS / 2, PAYMENTS - 1].map((index) => {
      const changed = payments.with(index, { ...payments[index]!, purpose: 'another' });
      const edited = { ...account!, modes: { ...account!.modes, test: { ...mode, payments: changed } } };
      return digestOf(large, { accounts: [edited, ...rest] });
    });
    const last = digestOf(large, { retiredKeys: ['service_test_retired'] });
    const others = await Promise.all([...digests, last]);
    expect(new Set([same, ...others]).size).toBe(5);
  });

  it('contains no part of later changes', async () => {
    const mock = restoreLarge();
    const before = await mock.sandbox.stateHash();
    const digest = mock.sandbox.stateHash();
    mock.sandbox.wallets.credit({ currency: 'USD', amount: 1 });
    expect(await digest).toBe(before);
    expect(await mock.sandbox.stateHash()).not.toBe(before);
  });
});

describe('the blocks of a text', () => {
  const parts = Array.from({ length: 100 }, (_, index) => String(index % 10).repeat(50_000));

  const collect = async (blocks: AsyncIterable<string>): Promise<string[]> => {
    const all: string[] = [];
    for await (const block of blocks) all.push(block);
    return all;
  };

  it('have the same bounds with and without turns of the event loop', async () => {
    let turns = 0;
    const takeTurn = async (): Promise<void> => void (turns += 1);
    const [quick, slow] = await Promise.all([
      collect(joinInTurns(parts, () => undefined)),
      collect(joinInTurns(parts, takeTurn)),
    ]);
    expect(turns).toBe(parts.length);
    expect(slow.map(({ length }) => length)).toEqual([1_050_000, 1_050_000, 1_050_000, 1_050_000, 800_000]);
    expect(slow).toEqual(quick);
    expect(slow.join('')).toBe(parts.join(''));
  });
});
