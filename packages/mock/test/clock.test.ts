import { describe, expect, it, vi } from 'vitest';
import { createMock } from '@service/mock';
import { createClockControl } from '../src/control/clock.ts';
import { createTimerQueue } from '../src/state/timer-queue.ts';
import { createClock } from '../src/state/clock.ts';
import * as fc from 'fast-check';
import { createCaller, createStillMock, order } from './support.ts';

describe('the agenda', () => {
  it('gives back what falls due in the order of time, then of rank', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.nat(20), (times, until) => {
        const timerQueue = createTimerQueue();
        const done: [number, number][] = [];
        const appoint = (at: number, index: number): void =>
          timerQueue.add({
            at,
            tieBreaker: String(index).padStart(3, '0'),
            run: () => done.push([at, index]),
          });
        // Added from the last to the first, so that the order is not that of adding.
        for (const [index, at] of [...times.entries()].toReversed()) appoint(at, index);
        for (let due = timerQueue.takeDue(until); due !== undefined; due = timerQueue.takeDue(until))
          due.run();
        const wanted = times
          .map((at, index): [number, number] => [at, index])
          .filter(([at]) => at <= until)
          .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(done).toEqual(wanted);
        expect(timerQueue.nextAt()).toBe(times.filter((at) => at > until).toSorted((a, b) => a - b)[0]);
      }),
    );
  });
});

describe('the control of the clock', () => {
  it.each(['manual', 'real', { speed: 60 }] as const)('says that time passes as %j', (clock) => {
    expect(createMock({ clock }).sandbox.clock.mode).toEqual(clock);
  });
});

describe('a manual clock', () => {
  it('stands still until it is moved, and runs all that falls due at its own time', async () => {
    const times: string[] = [];
    const { mock, post } = createStillMock({
      start: '2026-02-28T23:59:58Z',
      fetch: async (request) => {
        times.push(((await request.json()) as { created_at: string }).created_at);
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', order());
    await mock.sandbox.clock.advance('1h');
    expect(times).toEqual([
      '2026-02-28T23:59:58+00:00',
      '2026-02-28T23:59:59+00:00',
      '2026-03-01T00:00:02+00:00',
    ]);
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-03-01T00:59:58Z'));
  });

  it('can be moved from within what it caused', async () => {
    const { mock, post, get } = createStillMock({
      fetch: async () => {
        await mock.sandbox.clock.advance('1s');
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    const { id } = (await post('/payments', order())).body.data as { id: string };
    await mock.sandbox.clock.advance('10s');
    expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'completed' });
    expect(mock.sandbox.webhooks.deliveries().map(({ status }) => status)).toEqual([
      'pending',
      'processing',
      'completed',
    ]);
  });

  it('is set to a time, and never goes back', async () => {
    const { mock } = createStillMock();
    await mock.sandbox.clock.set('2026-02-01T00:00:00Z');
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-02-01T00:00:00Z'));
    await expect(mock.sandbox.clock.set('2026-01-01T00:00:00Z')).rejects.toThrow('A clock never goes back.');
    await expect(mock.sandbox.clock.set('yesterday')).rejects.toThrow('"yesterday" is no time.');
  });

  it.each(['3 s', '3', '', 'soon', '-1s', -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses the duration %j',
    async (duration) => {
      const { mock } = createStillMock();
      await expect(mock.sandbox.clock.advance(duration as never)).rejects.toThrow(
        /is not a duration. Use milliseconds/,
      );
    },
  );

  it('works while timers are faked', async () => {
    vi.useFakeTimers();
    try {
      const { mock, post, get } = createStillMock({ fetch: async () => new Response() });
      mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
      const { id } = (await post('/payments', order())).body.data as { id: string };
      await mock.sandbox.clock.advance('4s');
      expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'completed' });
      expect(mock.sandbox.webhooks.deliveries()).toHaveLength(3);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a move of the clock', () => {
  it('waits for receivers that hang no longer than its limit, all of them together', async () => {
    const clock = createClock('manual', 0);
    const ran: number[] = [];
    for (const at of [1, 2, 3]) clock.schedule({ at, tieBreaker: '', run: () => ran.push(at) });
    const control = createClockControl(clock, { idle: () => new Promise<void>(() => {}), limit: 20 });
    await control.advance(10);
    expect([ran, control.now()]).toEqual([[1, 2, 3], new Date(10)]);
  });

  it('stays before the year 10000', async () => {
    const { mock, post } = createStillMock();
    await expect(mock.sandbox.clock.advance('1000000000d')).rejects.toThrow(
      'A clock stays before the year 10000.',
    );
    await mock.sandbox.clock.set('9999-12-31T23:59:59Z');
    expect((await post('/payments', order())).body.data).toMatchObject({
      created_at: '9999-12-31T23:59:59+00:00',
    });
  });
});

describe('a running clock', () => {
  it('stamps what it is late for with the time at which it fell due', () => {
    const clock = createClock({ speed: 1_000_000 }, 0);
    const stamps: number[] = [];
    const at = clock.now() + 1_000_000;
    clock.schedule({
      tieBreaker: '',
      at,
      run: () => {
        stamps.push(clock.now());
        clock.schedule({ at: at + 1, tieBreaker: '', run: () => stamps.push(clock.now()) });
      },
    });
    const started = Date.now();
    while (Date.now() - started < 6);
    clock.catchUp();
    expect(stamps).toEqual([at, at + 1]);
    clock.stop();
  });

  it('moves payments by itself, faster by its factor', async () => {
    const mock = createMock({ clock: { speed: 1000 } });
    const { post, get } = createCaller(mock);
    const { id } = (await post('/payments', order())).body.data as { id: string };
    const status = async (): Promise<unknown> => (await get(`/payments/${id}`)).body.data.status;
    await expect.poll(status).toBe('completed');
    await mock.close();
  });

  it('cannot be moved by hand', async () => {
    const mock = createMock();
    await expect(mock.sandbox.clock.advance('1s')).rejects.toThrow(
      /This clock runs by itself; create the mock with clock: 'manual'/,
    );
    await mock.close();
  });
});

describe('a closed mock', () => {
  it('lets nothing more happen by itself, neither what was due nor what comes after', async () => {
    const { mock, post, get } = createStillMock();
    const create = async (): Promise<string> => String((await post('/payments', order())).body.data.id);
    const before = await create();
    await mock.close();
    const after = await create();
    await mock.sandbox.clock.advance('10s');
    for (const id of [before, after]) {
      expect((await get(`/payments/${id}`)).body.data.status).toBe('pending');
    }
  });

  it('tries no delivery again', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<Response>();
    const { mock, post } = createStillMock({ fetch: () => answered });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    await post('/payments', order({ beneficiary_account: 'SIM-PENDING' }));
    const closed = mock.close();
    resolve(new Response(null, { status: 500 }));
    await closed;
    await mock.sandbox.clock.advance('10s');
    expect(mock.sandbox.webhooks.deliveries().map(({ attempts }) => attempts.length)).toEqual([1]);
  });
});
