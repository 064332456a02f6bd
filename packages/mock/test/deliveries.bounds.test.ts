import { describe, expect, it, onTestFinished } from 'vitest';
import { type AccountView, createMock, type Mock } from '@service/mock';
import { createAddressPolicy } from '../src/webhooks/address.ts';
import { startTimer } from '../src/webhooks/attempt.ts';
import { createDeliveries } from '../src/webhooks/dispatcher.ts';
import { eventsOf, type PaymentEvent } from '../src/domain/payment.ts';
import { storePayment, createAccountState } from '../src/state/account-state.ts';
import { createClock } from '../src/state/clock.ts';
import { createFaults } from '../src/state/faults.ts';
import { type Caller, createCaller, createStillMock, order } from './support.ts';
import { somePayment } from './some-payment.ts';

const testAccount = order({ amount: 1, beneficiary_account: 'SIM-PENDING' });
const failed = (): Response => new Response(null, { status: 500 });

/** Counts concurrent requests, per URL and in total. */
function createMeter(): {
  enter: (url: string) => () => void;
  most: (url?: string) => number;
  now: () => number;
} {
  const [under, peak] = [new Map<string, number>(), new Map<string, number>()];
  const add = (key: string, by: number): void => {
    under.set(key, (under.get(key) ?? 0) + by);
    peak.set(key, Math.max(peak.get(key) ?? 0, under.get(key) ?? 0));
  };
  return {
    enter(url) {
      add(url, 1);
      add('all', 1);
      return () => {
        add(url, -1);
        add('all', -1);
      };
    },
    most: (url = 'all') => peak.get(url) ?? 0,
    now: () => under.get('all') ?? 0,
  };
}

/** Creates an account with its own webhook endpoint. */
function open(mock: Mock, url: string): Caller & { account: AccountView } {
  const account = mock.sandbox.accounts.create({ balances: { USD: 100_000 } });
  mock.sandbox.webhooks.setEndpoint({ account, url });
  return { account, ...createCaller(mock, account.testKey) };
}

describe('concurrent delivery attempts', () => {
  it('are limited to eight redeliveries per endpoint, and all of them run', async () => {
    const meter = createMeter();
    let answered = 0;
    const { mock, post } = createStillMock({
      fetch: async ({ url }) => {
        const leave = meter.enter(url);
        await new Promise((later) => void setImmediate(later));
        answered += 1;
        leave();
        return failed();
      },
    });
    const { webhooks } = mock.sandbox;
    webhooks.setEndpoint({ url: 'http://localhost:9/' });
    for (let i = 0; i < 100; i += 1) await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect([meter.most(), answered]).toEqual([1, 100]);
    await Promise.all(webhooks.deliveries().map(({ id }) => webhooks.redeliver(id)));
    expect(answered).toBe(200);
    expect(meter.most()).toBeLessThanOrEqual(8);
    expect(meter.most()).toBeGreaterThan(1);
  });

  it('are limited to eight retries per endpoint, which do not block first attempts', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const meter = createMeter();
    const seen = new Set<string>();
    const mock = createMock({
      clock: { speed: 1000 },
      fetch: async (request) => {
        const body = await request.text();
        const isFirst = !seen.has(body);
        seen.add(body);
        if (isFirst) return failed();
        const leave = meter.enter(request.url);
        await released;
        leave();
        return new Response();
      },
    });
    onTestFinished(() => mock.close());
    const { webhooks } = mock.sandbox;
    webhooks.setEndpoint({ url: 'http://localhost:9/' });
    const { post } = createCaller(mock);
    for (let i = 0; i < 20; i += 1) await post('/payments', testAccount);
    await expect.poll(meter.now).toBe(8);
    await post('/payments', testAccount);
    await expect.poll(() => seen.size).toBe(21);
    release();
    await expect
      .poll(() => webhooks.deliveries().filter(({ state }) => state === 'acknowledged'))
      .toHaveLength(21);
    expect(meter.most()).toBe(8);
  });

  it('to other endpoints continue while one endpoint does not respond', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const meter = createMeter();
    const hang = new Set<string>();
    const { mock } = createStillMock({
      fetch: async ({ url }) => {
        const leave = meter.enter(url);
        if (hang.has(url)) await released;
        leave();
        return new Response();
      },
    });
    const { webhooks } = mock.sandbox;
    const slow = open(mock, 'http://localhost:9/slow');
    const quick = open(mock, 'http://localhost:9/quick');
    for (let i = 0; i < 20; i += 1) await slow.post('/payments', testAccount);
    await mock.sandbox.idle();
    hang.add('http://localhost:9/slow');
    const again = webhooks.deliveries({ account: slow.account }).map(({ id }) => webhooks.redeliver(id));
    await slow.post('/payments', testAccount);
    await expect.poll(meter.now).toBe(9);
    await quick.post('/payments', testAccount);
    const { id } = await webhooks.waitFor({ account: quick.account });
    expect((await webhooks.redeliver(id)).attempts).toHaveLength(2);
    expect(meter.now()).toBe(9);
    release();
    await Promise.all(again);
  });

  it('are limited to 256 in total', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const meter = createMeter();
    const { mock } = createStillMock({
      fetch: async ({ url }) => {
        const leave = meter.enter(url);
        await released;
        leave();
        return new Response();
      },
    });
    for (let i = 0; i < 260; i += 1)
      await open(mock, `http://localhost:9/${i}`).post('/payments', testAccount);
    await expect.poll(meter.now).toBe(256);
    release();
    await mock.sandbox.idle();
    expect(meter.most()).toBe(256);
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

  it('does not wait for deliveries queued behind an unresponsive receiver', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<number>();
    let carried = 0;
    const deliveries = createDeliveries({
      onDefect() {},
      durability: {},
      clock: createClock('manual', 0),
      timeout: 60_000,
      startTimer,
      sender: () => {
        carried += 1;
        return released;
      },
      addresses: createAddressPolicy([]),
      faults: createFaults('dfl', 'x'),
      limit: 0,
    });
    const accountState = createAccountState({ account: 'acct_1', mode: 'test', source: 'a source' });
    accountState.endpoint = { url: 'http://localhost:9/', secret: 'a secret' };
    const payment = somePayment();
    storePayment(accountState, payment);
    const [event] = eventsOf(payment) as [PaymentEvent];
    const dispatched = deliveries.dispatch({ accountState, events: [event, event, event] });
    await expect.poll(() => carried).toBe(1);
    await deliveries.close();
    release(200);
    await dispatched;
    expect(carried).toBe(1);
    expect([...accountState.deliveries.values()].map(({ state }) => state)).toEqual([
      'acknowledged',
      'queued',
      'queued',
    ]);
  });
});
