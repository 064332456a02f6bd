import { describe, expect, it } from 'vitest';
import { createTurns } from '@service/internal';

/** Creates a clock that a test sets, and the list of the waits. */
function createTestClock() {
  const clock = {
    time: 100,
    waits: [] as number[],
    now: () => clock.time,
    wait: async (milliseconds: number) => {
      clock.waits.push(milliseconds);
      clock.time += milliseconds;
    },
  };
  return clock;
}

describe('createTurns', () => {
  it('gives the event loop a turn after 2 ms of work, and then counts anew', async () => {
    const clock = createTestClock();
    const takeTurn = createTurns(1, clock);
    const turns: boolean[] = [];
    for (const passed of [0, 1.9, 0.1, 0, 1, 1, 25]) {
      clock.time += passed;
      const turn = takeTurn();
      turns.push(turn !== undefined);
      await turn;
    }
    expect(turns).toEqual([false, false, true, false, false, true, true]);
  });

  it('rests after a step that took longer than planned, but never for longer than 25 ms', async () => {
    const clock = createTestClock();
    const takeTurn = createTurns(1, clock);
    for (const passed of [2, 3, 4, 10, 11, 5_000, 2]) {
      clock.time += passed;
      await takeTurn();
    }
    expect(clock.waits).toEqual([0, 0, 6, 24, 25, 25, 0]);
  });

  it.each([3, 10])(
    'lets the event loop run other callbacks in a turn after %d ms of work',
    async (worked) => {
      let now = 0;
      const takeTurn = createTurns(1, { now: () => (now += worked) });
      const other = new Promise<string>((resolve) => void setImmediate(resolve, 'ran'));
      await takeTurn();
      expect(await Promise.race([other, Promise.resolve('waited')])).toBe('ran');
    },
  );
});
