import { describe, expect, it } from 'vitest';
import { evaluateExtraStatuses, evaluateInvented } from '../src/experiments/extra-statuses.ts';
import type { WatchedPayment } from '../src/experiments/watch.ts';

/** A payment of an amount in units that is read at each time with a status. */
function watch(units: number, path: readonly (readonly [at: number, status: string])[]): WatchedPayment {
  const readings = path.map(([at, status]) => ({ status, since: at - 20, at, hidden: 0 }));
  return {
    id: `pay_${units}`,
    account: undefined,
    amount: BigInt(units) * 1_000_000n,
    createdAt: 0,
    readings,
    statuses: [...new Set(path.map(([, status]) => status))],
    gap: 0,
    balances: [],
    observations: [],
  };
}

const ofLarge = watch(10_000, [
  [100, 'pending'],
  [300, 'under_review'],
  [800, 'under_review'],
  [1_000, 'processing'],
  [2_000, 'completed'],
]);
const ofSmall = watch(10, [
  [100, 'pending'],
  [300, 'processing'],
  [2_000, 'completed'],
]);

describe('an extra status', () => {
  const afterProcessing = (units: number): WatchedPayment =>
    watch(units, [
      [100, 'pending'],
      [500, 'processing'],
      [1_000, 'settling'],
      [2_000, 'completed'],
    ]);

  it('is of all payments if the reads of one like another one are too far apart', () => {
    const ofLateReads = watch(10, [
      [100, 'pending'],
      [500, 'processing'],
      [30_000, 'completed'],
    ]);
    expect(evaluateExtraStatuses([afterProcessing(10), afterProcessing(500), ofLateReads], [])).toMatchObject(
      {
        state: 'found',
        value: [{ status: 'settling', after: 'processing' }],
      },
    );
    expect(evaluateExtraStatuses([afterProcessing(20), afterProcessing(500), ofLateReads], [])).toMatchObject(
      {
        state: 'unknown',
      },
    );
  });
});

describe('the status of the setting `unknownStatus`', () => {
  it('is an extra status if only some payments have it', () => {
    expect(evaluateInvented([ofSmall, ofLarge])).toBeUndefined();
    expect(evaluateExtraStatuses([ofSmall, ofLarge], [])).toMatchObject({
      state: 'found',
      value: [{ status: 'under_review', after: 'pending', amount: { from: '10000.00' } }],
    });
  });

  it('is found if all payments have it between processing and completed', () => {
    const path = ['pending', 'processing', 'under_review', 'completed'];
    const all = [10, 10_000].map((units) =>
      watch(
        units,
        path.map((status, index) => [100 + 300 * index, status]),
      ),
    );
    expect(evaluateInvented(all)).toEqual({
      setting: 'unknownStatus',
      state: 'found',
      value: 'invented',
      evidence: 'under_review after processing in 2 payments of 10.00 to 10000.00',
    });
    expect(evaluateExtraStatuses(all, [])).toMatchObject({ setting: 'extraStatuses', state: 'unknown' });
  });
});
