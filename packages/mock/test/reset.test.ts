import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { createCaller, createStillMock, order } from './support.ts';

// Resets and restores during clock.advance, deliveries, requests and waits.

const held = (): { receive: (request: Request) => Promise<Response>; answer: (status: number) => void } => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  return { receive: () => promise, answer: (status) => resolve(new Response(null, { status })) };
};

describe('the state of a sandbox', () => {
  it('a reset ends a running clock.advance at the restored time', async () => {
    const { mock, post } = createStillMock();
    const { receive, answer } = held();
    mock.sandbox.webhooks.collect({ receive });
    await post('/payments', order());
    const moved = mock.sandbox.clock.advance('1h');
    mock.sandbox.reset();
    answer(200);
    await moved;
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'));
  });

  it('a reset stops waiting for earlier receivers, and their events are not sent again', async () => {
    const { mock, post } = createStillMock();
    const received: Request[] = [];
    mock.sandbox.webhooks.collect({
      receive: async (request) =>
        received.push(request) === 1 ? new Response(null, { status: 503 }) : new Promise(() => {}),
    });
    const body = order({ amount: 1, beneficiary_account: 'SIM-PENDING' });
    await post('/payments', body);
    await mock.sandbox.idle();
    await post('/payments', body);
    await expect.poll(() => received).toHaveLength(2);
    mock.sandbox.reset();
    await mock.sandbox.idle();
    await mock.sandbox.clock.advance('1d');
    expect(received).toHaveLength(2);
    expect(mock.sandbox.webhooks.deliveries()).toEqual([]);
  });

  it.each(['reset', 'restore'])(
    'a %s keeps the receiver of the collected events at that time, and no later one',
    async (name) => {
      const { mock, post } = createStillMock();
      const { sandbox } = mock;
      const receivers: string[] = [];
      const collect = (receiver: string): void => {
        const receive = async (): Promise<Response> =>
          new Response(null, { status: receivers.push(receiver) && 200 });
        sandbox.webhooks.collect({ receive });
      };
      collect('first');
      sandbox.baseline();
      const snapshot = sandbox.snapshot();
      collect('second');
      if (name === 'restore') sandbox.restore(snapshot);
      else sandbox.reset();
      await post('/payments', order());
      await sandbox.idle();
      expect(receivers).toEqual(['first']);
      expect(sandbox.webhooks.collected()).toHaveLength(1);
    },
  );

  it('a reset restores the same state each time, whatever changed since the baseline', async () => {
    const { mock, post } = createStillMock();
    const { sandbox } = mock;
    sandbox.webhooks.collect();
    await post('/payments', order(), { 'idempotency-key': 'k' });
    sandbox.baseline();
    const before = sandbox.snapshot();
    for (let round = 0; round < 2; round += 1) {
      await post('/payments', order());
      await sandbox.clock.advance('1d');
      sandbox.accounts.regenerateKey();
      sandbox.profile.set({ events: ['completed'], idempotency: 'ignored' });
      sandbox.accounts.suspend();
      expect(sandbox.snapshot()).not.toEqual(before);
      sandbox.reset();
      expect(sandbox.snapshot()).toEqual(before);
    }
  });

  it('an idempotency key replays that was reserved while its request waited for a receiver', async () => {
    const { mock, post } = createStillMock();
    const { receive, answer } = held();
    mock.sandbox.webhooks.collect({ receive });
    const key = { 'idempotency-key': 'k' };
    const body = order({ beneficiary_account: 'SIM-HOOK-FIRST' });
    const first = post('/payments', body, key);
    await expect.poll(() => mock.sandbox.webhooks.collected()).toHaveLength(1);
    expect((await post('/payments', body, key)).status).toBe(409);
    const snapshot = mock.sandbox.snapshot();
    answer(200);
    const { status, body: made } = await first;
    const other = createMock({ clock: 'manual' });
    other.sandbox.restore(snapshot);
    const replayed = await createCaller(other, mock.account.testKey).post('/payments', body, key);
    expect([status, replayed.status, replayed.body]).toEqual([201, 201, made]);
  });
});
