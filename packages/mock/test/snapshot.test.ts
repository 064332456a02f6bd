import { describe, expect, it } from 'vitest';
import { createMock, SandboxError, type Snapshot } from '@service/mock';
import { sign } from '@service/webhooks';
import { computeChecksum } from '../src/state/snapshot.ts';
import { createCaller, createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

/** A sandbox with accounts, payments, wallets and idempotency keys. */
async function live(): Promise<ReturnType<typeof createStillMock>> {
  const still = createStillMock();
  const { sandbox } = still.mock;
  sandbox.accounts.create({ name: 'second', balances: { USD: 5, CHF: 0 } });
  sandbox.accounts.regenerateKey({ mode: 'live' });
  sandbox.wallets.set({ currency: 'USD', amount: '5000.01' });
  await still.post('/payments', order({ purpose: 'first' }), { 'idempotency-key': 'k' });
  await sandbox.clock.advance('2s');
  for (const beneficiary_account of ['SIM-FAIL', 'SIM-RETURN', 'SIM-STUCK'])
    await still.post('/payments', order({ beneficiary_account }));
  return still;
}

const overTheWire = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

describe('a snapshot', () => {
  it('is a copy: changes of it or of a restored one have no effect', async () => {
    const { mock } = await live();
    const before = await mock.sandbox.stateHash();
    const damage = (snapshot: Snapshot): void => {
      const { payments } = stateOf(snapshot).accounts[0]!.modes.test;
      Object.assign(payments[0]!.beneficiary, { name: 'Mallory' });
      Object.assign(stateOf(snapshot).profiles[0]!, { fees: [] });
    };
    const snapshot = mock.sandbox.snapshot();
    mock.sandbox.restore(snapshot);
    damage(snapshot);
    damage(mock.sandbox.snapshot());
    (mock.sandbox.profile.get().events as string[]).length = 0;
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.reset();
    expect(createMock().sandbox.profile.get().events).toHaveLength(4);
  });

  it.each<[title: string, damage: (snapshot: Snapshot) => unknown, message: string]>([
    ['nothing', () => undefined, 'This is not a snapshot of a sandbox'],
    ['null', () => null, 'This is not a snapshot of a sandbox'],
    ['a text', () => 'x', 'This is not a snapshot of a sandbox'],
    ['an empty object', () => ({}), 'This is not a snapshot of a sandbox'],
    [
      'another version',
      (snapshot) => ({ ...snapshot, version: 1 }),
      'This snapshot has version 1; this package reads version 2.',
    ],
    [
      'one digit of an amount changed',
      (snapshot) => JSON.parse(JSON.stringify(snapshot).replace('"10000000"', '"90000000"')),
      'damaged or was edited',
    ],
    ['a state cut off', (snapshot) => ({ ...snapshot, state: {} }), 'damaged or was edited'],
    [
      'another checksum',
      (snapshot) => ({ ...snapshot, checksum: '0'.repeat(32) }),
      'does not match its state',
    ],
    [
      'a state cut off with its checksum',
      (snapshot) => ({ ...snapshot, state: {}, checksum: computeChecksum({}) }),
      'This snapshot is inconsistent.',
    ],
  ])('is rejected without a change when it is %s', async (_, damage, message) => {
    const { mock } = await live();
    const before = await mock.sandbox.stateHash();
    const damaged = damage(overTheWire(mock.sandbox.snapshot())) as Snapshot;
    const restore = (): void => mock.sandbox.restore(damaged);
    expect(restore).toThrow(SandboxError);
    expect(restore).toThrow(message);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('restores the transitions that became due in the meantime, each at its own time, on a running clock', async () => {
    const { mock } = createStillMock({ start: '2026-01-31T12:00:00Z' });
    const { post } = createCaller(mock);
    const { body } = await post('/payments', order());
    const running = createMock({ clock: 'real', start: '2026-02-01T12:00:00Z', seed: 42 });
    running.sandbox.restore(overTheWire(mock.sandbox.snapshot()));
    const { get } = createCaller(running);
    expect((await get(`/payments/${String(body.data.id)}`)).body.data.status).toBe('completed');
    const { payments } = stateOf(running.sandbox.snapshot()).accounts[0]?.modes.test ?? { payments: [] };
    const noon = Date.parse('2026-01-31T12:00:00Z');
    expect(payments[0]?.history).toEqual({ pending: noon, processing: noon + 1000, completed: noon + 4000 });
    await running.close();
  });
});

describe('deliveries of a restored sandbox', () => {
  const down = async (): Promise<Response> => new Response(null, { status: 503 });

  it('continue: queued events in order, retries at their time', async () => {
    const { mock, post } = createStillMock();
    const { webhooks, clock } = mock.sandbox;
    const { secret } = webhooks.collect({ receive: down });
    await post('/payments', order({ beneficiary_account: 'SIM-PENDING', purpose: 'retried' }));
    await mock.sandbox.idle();
    await post('/payments', order({ beneficiary_account: 'SIM-PENDING', purpose: 'queued' }));
    // Taken before the response was sent, so that the second event is queued.
    const snapshot = overTheWire(mock.sandbox.snapshot());
    const states = stateOf(snapshot).accounts[0]?.modes.test.deliveries.map(({ state }) => state);
    expect(states).toEqual(['retrying', 'queued']);
    const other = createMock({ clock: 'manual' });
    other.sandbox.restore(snapshot);
    await other.sandbox.idle();
    const seen = (): string[] => other.sandbox.webhooks.collected().map(({ id }) => id.slice(9, 15));
    expect(seen()).toEqual(['000002']);
    await other.sandbox.clock.advance('5s');
    expect(seen()).toEqual(['000002', '000001']);
    const [event] = other.sandbox.webhooks.collected();
    expect(event?.headers['X-Service-Signature']).toBe(sign(event?.body ?? '', secret));
    await clock.advance('1s');
  });
});

describe('a reset', () => {
  it('responds 503 to a running request, which changes nothing', async () => {
    const { mock } = createStillMock();
    const fresh = await mock.sandbox.stateHash();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const running = mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' },
      body: readable,
      // @ts-expect-error -- required for a stream, but missing in the types of the runtime
      duplex: 'half',
    });
    const writer = writable.getWriter();
    const text = JSON.stringify(order());
    await writer.write(new TextEncoder().encode(text.slice(0, 10)));
    mock.sandbox.reset();
    await writer.write(new TextEncoder().encode(text.slice(10)));
    await writer.close();
    expect((await running).status).toBe(503);
    expect(await mock.sandbox.stateHash()).toBe(fresh);
  });

  it('responds 503 to a create whose payment was removed by the reset', async () => {
    const { mock, post } = createStillMock({
      fetch: async () => {
        mock.sandbox.reset();
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    const { status, body } = await post('/payments', order({ beneficiary_account: 'SIM-HOOK-FIRST' }));
    expect([status, body.error.type]).toEqual([503, 'service_unavailable']);
    expect(stateOf(mock.sandbox.snapshot()).accounts[0]?.modes.test.payments).toEqual([]);
  });
});
