import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { createClock, type TimeSource } from '../src/state/clock.ts';
import { createStillMock, order } from './support.ts';

describe('clock.advance', () => {
  it('reaches the end of the year 9999', async () => {
    const { mock, post } = createStillMock();
    await mock.sandbox.clock.set('9999-12-31T23:59:59Z');
    expect((await post('/payments', order())).body.data).toMatchObject({
      created_at: '9999-12-31T23:59:59+00:00',
    });
  });
});

describe('a running clock', () => {
  describe('follows the machine', () => {
    const HOUR = 3_600_000;
    /** The clocks of a machine, which both start at a time in 2026. */
    const createMachine = (): TimeSource & { at: { system: number; monotonic: number } } => {
      const at = { system: Date.parse('2026-03-01T00:00:00Z'), monotonic: 500 };
      return { at, system: () => at.system, monotonic: () => at.monotonic };
    };

    it.each([
      ['when the system clock is set back', [{ system: -HOUR, monotonic: 5000 }], 5000],
      [
        'when the system clock is set back and corrected',
        [{ system: -HOUR }, { system: HOUR + 7, monotonic: 7 }],
        7,
      ],
      ['when the machine was suspended', [{ system: HOUR, monotonic: 3 }], HOUR],
      [
        'when the system clock runs slower',
        [
          { system: 10, monotonic: 20 },
          { system: 10, monotonic: 20 },
        ],
        40,
      ],
      [
        'when the machine was suspended, and then the system clock is set back',
        [{ system: HOUR }, { system: -2 * HOUR, monotonic: 4 }],
        HOUR + 4,
      ],
    ] as const)('%s', (_, steps, elapsed) => {
      const machine = createMachine();
      const clock = createClock('real', 0, machine);
      let latest = clock.now();
      for (const step of steps) {
        machine.at.system += 'system' in step ? step.system : 0;
        machine.at.monotonic += 'monotonic' in step ? step.monotonic : 0;
        expect(clock.now()).toBeGreaterThanOrEqual(latest);
        latest = clock.now();
      }
      expect(latest).toBe(elapsed);
      clock.stop();
    });
  });

  it('cannot be advanced manually', async () => {
    const mock = createMock();
    await expect(mock.sandbox.clock.advance('1s')).rejects.toThrow(
      /The clock is not manual. Create the mock with clock: 'manual'/,
    );
    await mock.close();
  });
});

describe('a closed mock', () => {
  it('runs no timers', async () => {
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

  it('retries no delivery', async () => {
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
