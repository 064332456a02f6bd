import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { END_OF_TIME } from '../src/domain/time.ts';
import { listTransactions, type Selection } from '../src/state/history.ts';
import { runs } from '../../../test/support/runs.ts';
import { partsOf } from './control-support.ts';
import { openProfile } from './support.ts';

type Filter = Exclude<Selection['matches'], undefined>;

const filters: readonly (Filter | undefined)[] = [
  undefined,
  ...['pending', 'processing', 'completed', 'failed'].map(
    (name): Filter =>
      ({ status = 'completed' }) =>
        status === name,
  ),
  ...(['payment', 'refund', 'deposit', 'adjustment'] as const).map(
    (name): Filter =>
      ({ type }) =>
        type === name,
  ),
  () => false,
];

const step = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), account: fc.constantFrom('', 'SIM-FAIL', 'SIM-RETURN') }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5_000) }),
  fc.record({ kind: fc.constant('credit' as const), cents: fc.integer({ min: 1, max: 999 }) }),
  fc.record({ kind: fc.constant('set' as const), cents: fc.integer({ min: 100_000, max: 200_000 }) }),
  fc.record({
    kind: fc.constant('list' as const),
    per_page: fc.integer({ min: 1, max: 9 }),
    skip: fc.nat(30),
    cursor: fc.option(fc.nat(30), { nil: undefined }),
    matches: fc.constantFrom(...filters),
  }),
);

const toText = (page: object): string =>
  JSON.stringify(page, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Returns a page without its functions. */
function readPage(...given: Parameters<typeof listTransactions>) {
  const { rows, ...counts } = listTransactions(...given);
  return { ...counts, rows: rows.map(({ toId, number, ...row }) => ({ ...row, number, id: toId(number) })) };
}

describe('the index of the transaction list', () => {
  it.each([
    {},
    { listQuery: { order: 'oldest' as const } },
    { debitAt: 'processing' as const },
    { debitAt: 'completed' as const },
  ])('gives the same pages as a search of all rows, with %j', async (profile) => {
    const check = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) => {
      const { mock, pay } = openProfile(profile);
      const { sandbox, account } = mock;
      const { accountState } = partsOf(mock).state.apiKeys.get(account.testKey)!;
      const differences: unknown[] = [];
      for (const each of steps)
        if (each.kind === 'pay') await pay({ amount: 1, beneficiary_account: each.account || null });
        else if (each.kind === 'advance') await sandbox.clock.advance(each.ms);
        else if (each.kind === 'credit')
          sandbox.wallets.credit({ currency: 'USD', amount: `${each.cents}e-2` });
        else if (each.kind === 'set') sandbox.wallets.set({ currency: 'EUR', amount: `${each.cents}e-2` });
        else if (toText(readPage(accountState, each)) !== toText(readPage(accountState, each, END_OF_TIME)))
          differences.push(each);
      expect(differences).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), check), { numRuns: runs(30) });
  });
});
