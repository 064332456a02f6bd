// Runs in Node and in a real browser: `#ways` are the ways into a mock that the runtime has.
import { describe, expect, it } from 'vitest';
import { ways } from '#ways';
import { walk } from './journey.ts';

describe('the journey of a payment', () => {
  it.each(ways)('is the same, to the byte, over $name', async (way) => {
    const { answers, webhooks } = await walk(way);
    expect(answers.flatMap(({ deviations }) => deviations)).toEqual([]);
    expect(webhooks).toHaveLength(6);
    await expect(JSON.stringify({ answers, webhooks }, null, 2)).toMatchFileSnapshot('./journey.golden.json');
  });
});
