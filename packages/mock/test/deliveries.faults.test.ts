import { describe, expect, it } from 'vitest';
import type { DeliveryFaultOptions, Mock } from '@service/mock';
import { isValidSignature } from '@service/webhooks';
import { names, setUp } from './receiver.ts';
import { type Caller, createCaller, createStillMock, order } from './support.ts';

const START = Date.parse('2026-01-31T12:00:00Z');
const stuckOrder = order({ beneficiary_account: 'SIM-PENDING' });

/**
 * A mock with a manual clock, collected events and an injected delivery fault; `seen` returns the events so
 * far.
 */
function setUpCollector(
  fault: Omit<DeliveryFaultOptions, 'target'>,
): { mock: Mock; secret: string; seen: () => string[]; states: () => unknown[] } & Caller {
  const still = createStillMock();
  const { webhooks } = still.mock.sandbox;
  const { secret } = webhooks.collect();
  still.mock.sandbox.faults.inject({ target: 'delivery', ...fault });
  return {
    ...still,
    secret,
    seen: () => names(webhooks.collected()).map((name) => name.replace('payment.', '')),
    states: () => webhooks.deliveries().map(({ status, state, fault: kind }) => [status, state, kind]),
  };
}

describe('a delivery fault', () => {
  it('duplicate sends a second delivery with the same bytes at the same time', async () => {
    const { mock, post, seen, states } = setUpCollector({ kind: 'duplicate', event: 'payment.processing' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('4s');
    expect(seen()).toEqual(['pending', 'processing', 'processing', 'completed']);
    expect(states()).toEqual([
      ['pending', 'acknowledged', null],
      ['processing', 'acknowledged', null],
      ['processing', 'acknowledged', 'duplicate'],
      ['completed', 'acknowledged', null],
    ]);
    expect(new Set(mock.sandbox.webhooks.collected().map(({ body }) => body)).size).toBe(3);
  });

  it('reorder sends the event after the next one of its payment', async () => {
    const { mock, post, seen, states } = setUpCollector({ kind: 'reorder', event: 'payment.processing' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('1s');
    await post('/payments', stuckOrder);
    await mock.sandbox.idle();
    expect(seen()).toEqual(['pending', 'pending']);
    expect(states()[1]).toEqual(['processing', 'queued', 'reorder']);
    await mock.sandbox.clock.advance('3s');
    expect(seen()).toEqual(['pending', 'pending', 'completed', 'processing']);
    expect(states()[1]).toEqual(['processing', 'acknowledged', 'reorder']);
  });

  it('reorder waits for the next event also in a restored sandbox', async () => {
    const { mock, post } = setUpCollector({ kind: 'reorder', event: 'payment.processing' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('1s');
    const { mock: other } = createStillMock();
    other.sandbox.restore(mock.sandbox.snapshot());
    await other.sandbox.clock.advance('2s');
    expect(other.sandbox.webhooks.collected()).toEqual([]);
    await other.sandbox.clock.advance('1s');
    expect(other.sandbox.webhooks.collected().map(({ event }) => event)).toEqual([
      'payment.completed',
      'payment.processing',
    ]);
  });

  it('reorder skips the last event of a payment', async () => {
    const { mock, post, seen, states } = setUpCollector({ kind: 'reorder', event: 'payment.completed' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('4s');
    expect(seen()).toEqual(['pending', 'processing', 'completed']);
    await post('/payments', order({ beneficiary_account: 'SIM-RETURN' }));
    await mock.sandbox.clock.advance('9s');
    expect(seen().slice(3)).toEqual(['pending', 'processing', 'failed', 'completed']);
    expect(states()[2]).toEqual(['completed', 'acknowledged', null]);
  });

  it('drop does not send the first attempt, and the retry follows on the schedule', async () => {
    const { mock, post, seen, states } = setUpCollector({ kind: 'drop', event: 'payment.pending' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('4s');
    expect(seen()).toEqual(['processing', 'completed']);
    expect(states()[0]).toEqual(['pending', 'retrying', 'drop']);
    await mock.sandbox.clock.advance('1s');
    expect(seen()).toEqual(['processing', 'completed', 'pending']);
    expect(mock.sandbox.webhooks.deliveries()[0]).toMatchObject({
      attempts: [
        { at: START, result: { outcome: 'failed', reason: 'dropped' } },
        { at: START + 5000, result: { outcome: 'acknowledged', httpStatus: 200 } },
      ],
    });
  });

  it('delay sends the event later and does not delay other events', async () => {
    const { mock, post, seen, states } = setUpCollector({
      kind: 'delay',
      event: 'payment.pending',
      by: '1m',
    });
    await post('/payments', order());
    await mock.sandbox.clock.advance('59s');
    expect(seen()).toEqual(['processing', 'completed']);
    expect(states()[0]).toEqual(['pending', 'queued', 'delay']);
    expect(mock.sandbox.webhooks.deliveries()[0]?.next_at).toBe(START + 60_000);
    await mock.sandbox.clock.advance('1s');
    expect(seen()).toEqual(['processing', 'completed', 'pending']);
    expect(mock.sandbox.webhooks.deliveries()[0]).toMatchObject({
      state: 'acknowledged',
      next_at: null,
      attempts: [{ at: START + 60_000 }],
    });
  });

  it('tamper changes one byte after signing, and the body stays valid JSON', async () => {
    const { mock, post, received, secret } = await setUp(({ body, signature }) =>
      isValidSignature(body, signature, secretOf()) ? 200 : 401,
    );
    const secretOf = (): string => secret;
    mock.sandbox.faults.inject({ target: 'delivery', kind: 'tamper' });
    await post('/payments', stuckOrder);
    await mock.sandbox.clock.advance('5s');
    const [delivery] = mock.sandbox.webhooks.deliveries();
    expect(delivery?.attempts.map(({ result }) => result)).toEqual([
      { outcome: 'refused', httpStatus: 401 },
      { outcome: 'acknowledged', httpStatus: 200 },
    ]);
    const [first, second] = received.map(({ body }) => Buffer.from(body));
    const differing = [...first!.keys()].filter((index) => first![index] !== second![index]);
    expect([first!.length, differing.length]).toEqual([second!.length, 1]);
    const amounts = received.map(({ body }) => (JSON.parse(body) as Event).data.receive_amount);
    expect(amounts).toEqual([916.6, 916.69]);
    expect(received[0]?.signature).toBe(received[1]?.signature);
    expect(delivery?.body).toBe(received[1]?.body);
  });

  interface Event {
    data: { receive_amount: number };
  }

  it('fires the given number of times, and never after its removal', async () => {
    const { mock, post, secret } = setUpCollector({ kind: 'wrong_secret', times: 2 });
    const { webhooks } = mock.sandbox;
    const { id, remove } = mock.sandbox.faults.inject({
      target: 'delivery',
      kind: 'tamper',
      times: 'unlimited',
    });
    for (let i = 0; i < 4; i += 1) await post('/payments', stuckOrder);
    await mock.sandbox.idle();
    remove();
    remove();
    await post('/payments', stuckOrder);
    await mock.sandbox.idle();
    expect(id).toBe('dfl_000002');
    expect(webhooks.deliveries().map(({ fault: kind }) => kind)).toEqual([
      'wrong_secret',
      'wrong_secret',
      'tamper',
      'tamper',
      null,
    ]);
    const valid = webhooks
      .collected()
      .map(({ body, headers }) => isValidSignature(body, headers['X-Service-Signature'] ?? '', secret));
    expect(valid).toEqual([false, false, false, false, true]);
  });

  it('applies to the account and mode of its options', async () => {
    const { mock, post, states } = setUpCollector({ kind: 'drop', mode: 'live' });
    const account = mock.sandbox.accounts.create();
    mock.sandbox.webhooks.collect({ account });
    await post('/payments', stuckOrder);
    await createCaller(mock, account.testKey).post('/payments', stuckOrder);
    await mock.sandbox.idle();
    expect(states()).toEqual([['pending', 'acknowledged', null]]);
    expect(mock.sandbox.webhooks.collected({ account })).toHaveLength(1);
  });
});
