import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeExactFee, FEE_PARTS, findFeeRule, type FeeRule } from '@service/internal';
import { feeRule, isDistinct } from '../../mock/test/fee-rules.ts';
import { runs } from '../../../test/support/runs.ts';
import type { Exchange } from '../src/exchange.ts';
import type { Part } from '../src/finding.ts';
import { planFees } from '../src/learn/fees.ts';
import { learnMoney } from '../src/learn/money.ts';
import { readTraffic } from '../src/traffic.ts';

type FeeOf = (amount: bigint) => bigint;

/** Creates the exchange of a quote, with amounts in hundredths. */
function createQuote(cents: bigint, fee: bigint, index: number): Exchange {
  const amount = Number(cents) / 100;
  const order = { from_currency: 'USD', to_currency: 'EUR' };
  const received = (cents - fee) / 2n;
  const data = {
    ...order,
    send_amount: amount,
    fee: Number(fee) / 100,
    rate: 0.5,
    receive_amount: Number(received) / 100,
  };
  return {
    kind: 'api',
    at: new Date(index).toISOString(),
    ms: 0,
    request: { method: 'POST', path: '/quotes', headers: {}, body: { ...order, amount } },
    response: { status: 200, headers: {}, body: { success: true, data } },
  };
}

/** Asks for the fees that the plan wants, and learns their rule. */
function measure(charge: FeeOf): { readonly finding: Part; readonly quotes: number } {
  const exchanges: Exchange[] = [createQuote(1_000n, charge(1_000n), 0)];
  for (;;) {
    const next = planFees(readTraffic(exchanges)).flatMap(({ amounts }) => amounts);
    if (next.length === 0 || exchanges.length > 200) break;
    for (const amount of next) exchanges.push(createQuote(amount, charge(amount), exchanges.length));
  }
  const finding = learnMoney(readTraffic(exchanges)).find(({ setting }) => setting === 'fees')!;
  return { finding, quotes: exchanges.length };
}

/** Rounds the fee of a rule as a service does. */
function feeOf(rule: FeeRule | undefined, amount: bigint): bigint {
  return (2n * computeExactFee(rule, amount) + FEE_PARTS) / (2n * FEE_PARTS);
}

/** Computes the fee of a schedule for an amount in hundredths, in its direction of rounding. */
function playFee(rules: readonly FeeRule[], amount: bigint): bigint {
  const rule = findFeeRule(rules, { from: 'USD', to: 'EUR', amount });
  const exact = computeExactFee(rule, amount);
  return rule?.rounding === 'down' ? exact / FEE_PARTS : feeOf(rule, amount);
}

const rulesOf = (finding: Part): readonly FeeRule[] =>
  'value' in finding ? (finding.value as readonly FeeRule[]) : [];

describe('the fees of exchanges', () => {
  it('have a rule with the same fee for every amount, with at most 90 quotes', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 99_999_999_999n }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(feeRule.filter(isDistinct), amounts, (rule, samples) => {
        const { finding, quotes } = measure((amount) => feeOf(rule, amount));
        expect(quotes).toBeLessThanOrEqual(90);
        if (finding.state === 'unknown') return;
        const found = findFeeRule(rulesOf(finding), { from: 'USD', to: 'EUR', amount: 1n });
        for (const amount of samples.filter((each) => feeOf(rule, each) < each))
          expect([finding, amount, feeOf(found, amount)]).toEqual([finding, amount, feeOf(rule, amount)]);
      }),
      {
        numRuns: runs(100),
        examples: [[{ percent: '9', flat: '181.96', minimum: '199.97' }, [20_000n, 20_010n, 20_011n]]],
      },
    );
  });

  it.each([
    ['up', FEE_PARTS - 1n],
    ['down', 0n],
  ] as const)('can be rounded %s', (rounding, added) => {
    const schedule = { percent: '0.4', flat: '0.25', minimum: '1.00' };
    const { finding } = measure((amount) => (computeExactFee(schedule, amount) + added) / FEE_PARTS);
    expect(rulesOf(finding)).toEqual([{ ...schedule, rounding }]);
  });

  it.each<[string, FeeOf]>([
    [
      'two percentages',
      (amount) => (amount < 100_000n ? amount / 100n : 1_000n + (amount - 100_000n) / 200n),
    ],
    ['a fee that falls', (amount) => (amount > 1_000_000n ? 0n : amount / 100n)],
    ['fixed amounts by range', (amount) => (amount < 100_000n ? 100n : amount < 1_000_000n ? 200n : 300n)],
    ['a share of the whole amount by range', (amount) => (amount * (amount < 250_000n ? 12n : 7n)) / 1_000n],
  ])('have a rule for each band of amounts: %s', (_, fee) => {
    const { finding } = measure(fee);
    expect(finding).toMatchObject({ state: 'found' });
    for (const amount of [
      199n,
      4_321n,
      99_999n,
      100_000n,
      249_999n,
      250_000n,
      1_000_000n,
      1_000_001n,
      7_654_321n,
    ])
      expect([amount, playFee(rulesOf(finding), amount)]).toEqual([amount, fee(amount)]);
  });

  it('are only partly explained, and named, if they follow from no rule', () => {
    const { finding } = measure((amount) => (amount % 7n) * 13n + amount / 100n);
    expect(finding).toMatchObject({ state: 'partly', missing: [expect.stringContaining('amounts')] });
  });
});
