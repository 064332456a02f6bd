// Runs in Node and in Chromium: `#transports` are the transports of the runtime.
import { describe, expect, it } from 'vitest';
import { transports } from '#transports';
import { runJourney } from './journey.ts';

describe('the journey of a payment', () => {
  it.each(transports)('has the bytes of journey.golden.json over $name', async (transport) => {
    const { responses, webhooks } = await runJourney(transport);
    expect(responses.flatMap(({ deviations }) => deviations)).toEqual([]);
    expect(webhooks).toHaveLength(6);
    await expect(JSON.stringify({ responses, webhooks }, null, 2)).toMatchFileSnapshot(
      './journey.golden.json',
    );
  });
});
