import { describe, expect, it } from 'vitest';
import { createPace } from '../src/pace.ts';

/** Sends requests to a service with a limit, and returns the times of those that it refuses. */
async function sendRequests(
  count: number,
  { limit, window }: { limit: number; window: number },
): Promise<{ refused: number[]; gaps: number[] }> {
  let time = 0;
  const [refused, times]: number[][] = [[], []];
  const pace = createPace({
    now: () => time,
    timeline: {
      sleep: async (milliseconds) => {
        time += milliseconds;
      },
    },
  });
  const used = new Map<number, number>();
  for (let sent = 0; sent < count; sent += 1) {
    await pace.wait();
    times!.push(time);
    const start = Math.floor(time / window) * window;
    used.set(start, (used.get(start) ?? 0) + 1);
    if (used.get(start)! > limit) refused!.push(time);
    pace.note({
      status: used.get(start)! > limit ? 429 : 200,
      headers: new Headers({
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - used.get(start)!)),
        'x-ratelimit-reset': String(Math.ceil((start + window - time) / 1_000)),
      }),
    });
    time += used.get(start)! > limit ? start + window - time : 5;
  }
  return { refused: refused!, gaps: times!.slice(1).map((each, index) => each - times![index]!) };
}

describe('the pace of requests', () => {
  it('spreads the requests over the windows of a rate limit after the first refusal', async () => {
    const { refused, gaps } = await sendRequests(300, { limit: 60, window: 2_000 });
    expect(refused).toEqual([300]);
    expect(Math.max(...gaps.slice(61))).toBeLessThan(150);
  });

  it('does not wait while half of the requests of a window are left', async () => {
    const { gaps } = await sendRequests(30, { limit: 60, window: 2_000 });
    expect(Math.max(...gaps)).toBe(5);
  });
});
