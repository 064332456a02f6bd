import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feeRule, isDistinct } from '../../mock/test/fee-rules.ts';
import { runs } from '../../../test/support/runs.ts';
import { measureFees } from '../src/experiments/measure-fees.ts';
import { computeExactFee, FEE_PARTS, type FeeRule } from '@service/internal';

/** Rounds the fee of a rule as a service does. */
function feeOf(rule: FeeRule, amount: bigint): bigint {
  return (2n * computeExactFee(rule, amount) + FEE_PARTS) / (2n * FEE_PARTS);
}

describe('measureFees', () => {
  it('finds a rule with the same fee for every amount, with at most 90 quotes', async () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 99_999_999_999n }), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(feeRule.filter(isDistinct), amounts, async (rule, samples) => {
        let quotes = 0;
        const measured = await measureFees(
          async (amount) => {
            quotes += 1;
            return feeOf(rule, amount);
          },
          { unit: 1n },
        );
        expect(quotes).toBeLessThanOrEqual(90);
        const found = measured.rule ?? { flat: 'none' };
        for (const amount of samples.filter((each) => feeOf(rule, each) < each))
          expect([found, amount, feeOf(found, amount)]).toEqual([found, amount, feeOf(rule, amount)]);
      }),
      {
        numRuns: runs(300),
        examples: [[{ percent: '9', flat: '181.96', minimum: '199.97' }, [20_000n, 20_010n, 20_011n]]],
      },
    );
  });

  it.each([
    ['up', FEE_PARTS - 1n],
    ['down', 0n],
  ] as const)('finds fees that are rounded %s', async (rounding, added) => {
    const schedule = { percent: '0.4', flat: '0.25', minimum: '1.00' };
    const { rule } = await measureFees(
      async (amount) => (computeExactFee(schedule, amount) + added) / FEE_PARTS,
      { unit: 1n },
    );
    expect(rule).toEqual({ ...schedule, rounding });
  });

  it.each<[string, (amount: bigint) => bigint]>([
    [
      'two percentages',
      (amount) => (amount < 100_000n ? amount / 100n : 1_000n + (amount - 100_000n) / 200n),
    ],
    ['a fee that falls', (amount) => (amount > 1_000_000n ? 0n : amount / 100n)],
    ['fixed amounts by range', (amount) => (amount < 100_000n ? 100n : amount < 1_000_000n ? 200n : 300n)],
  ])('finds no rule for %s', async (_, fee) => {
    const { rule, points } = await measureFees(async (amount) => fee(amount), { unit: 1n });
    expect(rule).toBeUndefined();
    expect(points.length).toBeGreaterThan(10);
  });
});
