import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { type Caller, createCaller, createStillMock, order } from './support.ts';

const testAccount = order({ amount: 1, beneficiary_account: 'SIM-PENDING' });
const failed = (): Response => new Response(null, { status: 500 });

/** Counts concurrent runs of a function. */
function createMeter() {
  const meter = {
    running: 0,
    most: 0,
    measure: async (work: Promise<unknown>): Promise<void> => {
      meter.running += 1;
      meter.most = Math.max(meter.most, meter.running);
      await work;
      meter.running -= 1;
    },
  };
  return meter;
}

/** Creates an account with its own webhook endpoint. */
function open(mock: Mock, url: string): Caller {
  const account = mock.sandbox.accounts.create({ balances: { USD: 100_000 } });
  mock.sandbox.webhooks.setEndpoint({ account, url });
  return createCaller(mock, account.testKey);
}

describe('concurrent delivery attempts', () => {
  it('are limited to eight redeliveries per endpoint, and all of them run', async () => {
    const meter = createMeter();
    let answered = 0;
    const { mock, post } = createStillMock({
      fetch: async () => {
        await meter.measure(new Promise((later) => void setImmediate(later)));
        answered += 1;
        return failed();
      },
    });
    const { webhooks } = mock.sandbox;
    webhooks.setEndpoint({ url: 'http://localhost:9/' });
    for (let i = 0; i < 100; i += 1) await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect([meter.most, answered]).toEqual([1, 100]);
    await Promise.all(webhooks.deliveries().map(({ id }) => webhooks.redeliver(id)));
    expect(answered).toBe(200);
    expect(meter.most).toBeLessThanOrEqual(8);
    expect(meter.most).toBeGreaterThan(1);
  });

  it('are limited to 256 in total', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const meter = createMeter();
    const { mock } = createStillMock({
      fetch: async () => {
        await meter.measure(released);
        return new Response();
      },
    });
    for (let i = 0; i < 260; i += 1)
      await open(mock, `http://localhost:9/${i}`).post('/payments', testAccount);
    await expect.poll(() => meter.running).toBe(256);
    release();
    await mock.sandbox.idle();
    expect(meter.most).toBe(256);
  });
});

describe('mock.close', () => {
  it('waits for due deliveries, and sends nothing afterward', async () => {
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.collect();
    for (let i = 0; i < 5; i += 1) await post('/payments', testAccount);
    await mock.close();
    expect(mock.sandbox.webhooks.collected()).toHaveLength(5);
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.collected()).toHaveLength(5);
  });
});
