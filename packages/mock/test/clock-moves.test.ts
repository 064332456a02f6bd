import { describe, expect, it } from 'vitest';
import { moveClock } from '../src/control/operations/clock.ts';
import { eventsOf, type PaymentEvent } from '../src/domain/payment.ts';
import { type AccountState, createAccountState, storePayment } from '../src/state/account-state.ts';
import { type Clock, createClock } from '../src/state/clock.ts';
import { createFaults } from '../src/state/faults.ts';
import { createAddressPolicy } from '../src/webhooks/address.ts';
import { IO_TIMEOUT, type StartTimer } from '../src/webhooks/attempt.ts';
import { createDeliveries, type Deliveries } from '../src/webhooks/dispatcher.ts';
import { names, setUp } from './receiver.ts';
import { somePayment } from './some-payment.ts';
import { createCaller, createStillMock, order } from './support.ts';

// When moves of a manual clock resolve.

const testAccount = order({ amount: 1, beneficiary_account: 'SIM-PENDING' });

/** Timers of real time that a test passes. */
function createManualTimers(): { startTimer: StartTimer; pass: (milliseconds: number) => void } {
  const timers = new Map<object, { at: number; run: () => void }>();
  let now = 0;
  return {
    startTimer(milliseconds, run) {
      const key = {};
      timers.set(key, { at: now + milliseconds, run });
      return () => void timers.delete(key);
    },
    pass(milliseconds) {
      now += milliseconds;
      const due = Array.from(timers).filter(([, { at }]) => at <= now);
      for (const [key, { run }] of due) if (timers.delete(key)) run();
    },
  };
}

interface Setup {
  readonly clock: Clock;
  readonly deliveries: Deliveries;
  readonly pass: (milliseconds: number) => void;
  /** The URLs of the attempts. */
  readonly sent: string[];
  /** Adds an account whose endpoint has a path. */
  readonly open: (path: string) => AccountState;
  /** Dispatches an event of an account at a time of the clock. */
  readonly sendAt: (at: number, accountState: AccountState) => void;
}

/** Creates deliveries on a manual clock with manual timers. */
function createSetup(respond: (url: string, pass: Setup['pass']) => Promise<number>): Setup {
  const clock = createClock('manual', 0);
  const { startTimer, pass } = createManualTimers();
  const sent: string[] = [];
  const deliveries = createDeliveries({
    onDefect() {},
    durability: {},
    clock,
    timeout: IO_TIMEOUT,
    startTimer,
    limit: IO_TIMEOUT,
    sender({ url }) {
      sent.push(new URL(url).pathname);
      return respond(url, pass);
    },
    addresses: createAddressPolicy([]),
    faults: createFaults('dfl', 'x'),
  });
  const payment = somePayment();
  const [event] = eventsOf(payment) as [PaymentEvent];
  let count = 0;
  return {
    clock,
    deliveries,
    pass,
    sent,
    open(path) {
      const accountState = createAccountState({ account: `acct_${path}`, mode: 'test', source: path });
      accountState.endpoint = { url: `http://localhost:9${path}`, secret: 'a secret' };
      storePayment(accountState, payment);
      return accountState;
    },
    sendAt(at, accountState) {
      count += 1;
      const run = (): void => void deliveries.dispatch({ accountState, events: [event] });
      clock.schedule({ at, tieBreaker: String(count).padStart(3, '0'), run });
    },
  };
}

describe('a move of the clock', () => {
  it('delivers 60 events to a receiver that needs 250 ms for each, which exceeds the timeout in total', async () => {
    const setup = createSetup(async (_, pass) => {
      pass(250);
      return 200;
    });
    const account = setup.open('/slow');
    for (let i = 0; i < 60; i += 1) setup.sendAt(5, account);
    await moveClock(setup.clock, 10, setup.deliveries);
    expect(setup.sent).toHaveLength(60);
    expect([...account.deliveries.values()].every(({ state }) => state === 'acknowledged')).toBe(true);
    expect(setup.deliveries.countPending()).toBe(0);
  });
});

describe('clock.advance', () => {
  it('sends the first attempts of one instant in order', async () => {
    const { mock, post, received } = await setUp();
    const ids: unknown[] = [];
    for (let i = 0; i < 12; i += 1) ids.push((await post('/payments', order({ amount: 1 }))).body.data.id);
    await mock.sandbox.clock.advance('1s');
    expect(names(received.slice(12))).toEqual(Array.from({ length: 12 }, () => 'payment.processing'));
    const sent = received.slice(12).map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id);
    expect(sent).toEqual(ids);
  });

  it('returns the number of due attempts for which it has not waited', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<Response>();
    const moves: unknown[] = [];
    const { mock, post } = createStillMock({ fetch: () => released });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', testAccount);
    const first = mock.sandbox.clock.advance('1s');
    moves.push(await mock.sandbox.clock.set('2026-01-31T12:00:10Z'));
    release(new Response());
    moves.push(await first);
    const now = new Date('2026-01-31T12:00:10Z');
    expect(moves).toEqual([
      { now, pending: 1 },
      { now, pending: 0 },
    ]);
  });

  it('is the same for two mocks with the same seed, with many accounts and a receiver that creates payments', async () => {
    const run = async (): Promise<unknown> => {
      const log: string[] = [];
      const { mock } = createStillMock({
        fetch: async (request) => {
          const { event, data } = (await request.json()) as { event: string; data: { id: string } };
          log.push(`${new URL(request.url).pathname} ${event} ${data.id}`);
          if (event === 'payment.processing') await callers[0]?.post('/payments', testAccount);
          return new Response(null, { status: log.length % 3 === 0 ? 500 : 200 });
        },
      });
      const callers = ['a', 'b', 'c'].map((name) => {
        const account = mock.sandbox.accounts.create({ name, balances: { USD: 10_000 } });
        mock.sandbox.webhooks.setEndpoint({ account, url: `http://localhost:9/${name}` });
        return createCaller(mock, account.testKey);
      });
      for (const { post } of callers)
        for (let i = 0; i < 4; i += 1) await post('/payments', order({ amount: 1 }));
      await mock.sandbox.clock.advance('1h');
      return [await mock.sandbox.stateHash(), log];
    };
    expect(await run()).toEqual(await run());
  });
});
