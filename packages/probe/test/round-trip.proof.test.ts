import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { probeService } from './probe-service.ts';

const rate = fc.integer({ min: 50_000, max: 3_000_000 }).map((micro) => (micro / 1e6).toFixed(6));
const cents = (min: number, max: number) => fc.integer({ min, max }).map((value) => (value / 100).toFixed(2));
const profiles: fc.Arbitrary<ProfileChoice> = fc.record({
  fees: fc.record(
    {
      percent: fc.integer({ min: 1, max: 900 }).map((value) => String(value / 100)),
      flat: cents(1, 500),
      minimum: cents(1, 2_000),
      maximum: cents(2_500, 90_000),
      rounding: fc.constantFrom('up', 'down', 'half_up', 'half_even'),
      mode: fc.constantFrom('inside', 'onTop'),
    },
    { requiredKeys: [] },
  ),
  rounding: fc.constantFrom('half_up', 'half_even', 'down'),
  rates: fc.record(
    {
      pairs: fc.record({ 'USD/EUR': rate, 'EUR/USD': rate }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
  currencies: fc
    .subarray(['CHF', 'JPY', 'KES', 'NGN'])
    .map((codes) => ['EUR', 'GBP', 'USD', ...codes].join(' ')),
});

async function quote({ fetch, baseUrl, account }: Mock, body: object): Promise<unknown> {
  const response = await fetch(`${baseUrl}/quotes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data?: unknown };
  return data ?? response.status;
}

describe('a mock that plays the probed money settings of a mock', () => {
  it('has the same quotes', { timeout: 120_000 }, async () => {
    const amounts = fc.array(fc.integer({ min: 1_000, max: 99_999_999 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(profiles, amounts, async (profile, hundredths) => {
        const { profile: probed, findings } = await probeService({ profile, options: { payments: false } });
        fc.pre(
          ['fees', 'rounding', 'rates'].every((name) =>
            findings.some(({ setting, state }) => setting === name && state === 'found'),
          ),
        );
        const [original, played] = [createMock({ profile }), createMock({ profile: probed })];
        for (const [index, amount] of hundredths.entries()) {
          const [from_currency, to_currency] = [
            ['USD', 'EUR'],
            ['EUR', 'USD'],
            ['USD', 'GBP'],
          ][index % 3] as [string, string];
          const body = { from_currency, to_currency, amount: amount / 100 };
          expect([probed.fees, await quote(played, body)]).toEqual([
            probed.fees,
            await quote(original, body),
          ]);
        }
      }),
      { numRuns: runs(6), endOnFailure: true },
    );
  });
});
