import { describe, expect, it } from 'vitest';
import { createTurns } from '@service/internal';

describe('createTurns', () => {
  it('gives the event loop a turn after 2 ms of work, and then counts anew', async () => {
    let now = 100;
    const takeTurn = createTurns(1, () => now);
    const turns: boolean[] = [];
    for (const passed of [0, 1.9, 0.1, 0, 1, 1, 25]) {
      now += passed;
      const turn = takeTurn();
      turns.push(turn !== undefined);
      await turn;
    }
    expect(turns).toEqual([false, false, true, false, false, true, true]);
  });

  it('looks at the time after a number of steps only', async () => {
    let looks = 0;
    const takeTurn = createTurns(50, () => (looks += 1) * 100);
    for (let i = 0; i < 49; i += 1) expect(takeTurn()).toBeUndefined();
    expect(looks).toBe(1);
    await takeTurn();
    expect(takeTurn()).toBeUndefined();
  });

  it('lets the event loop run other callbacks in a turn', async () => {
    let calls = 0;
    const takeTurn = createTurns(1, () => (calls += 1) * 10);
    const other = new Promise<string>((resolve) => void setImmediate(resolve, 'ran'));
    await takeTurn();
    expect(await Promise.race([other, Promise.resolve('waited')])).toBe('ran');
  });
});
