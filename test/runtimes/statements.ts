import { checkStatement, type StatementRecord } from '@service/sdk/statement';
import { assertMatch, type Case, errorOf } from './case.ts';
import { createService, order } from './creates.ts';

/** Creates payments, and checks records against a day that includes them. */
async function check(paid: readonly string[], records: readonly StatementRecord[]) {
  const { client, mock } = createService();
  const since = new Date(mock.sandbox.clock.now().getTime() - 1_000);
  for (const purpose of paid) await client.payments.create({ ...order, purpose });
  await mock.sandbox.clock.advance('1h');
  const until = new Date(mock.sandbox.clock.now().getTime() - 60_000);
  return checkStatement(client, records, { since, until });
}

/** Checks of records against an account. */
export const statements: readonly Case[] = [
  {
    name: 'a statement: one record agrees, one is missing, and one payment is in no record',
    async run() {
      const other = { ...order, beneficiary_name: 'Cassia SA', purpose: 'INV-4' };
      const result = await check(['INV-1', 'INV-2'], [{ ...order, purpose: 'INV-1' }, other]);
      assertMatch(
        [result.agreeing.length, result.missing[0], result.extra[0]?.payment.purpose],
        [1, other, 'INV-2'],
      );
      assertMatch([result.undecided, result.unseen], [[], []]);
    },
  },
  {
    name: 'a statement: a difference names its field',
    async run() {
      const { differing } = await check(['INV-1'], [{ ...order, purpose: 'INV-1', amount: '1.01' }]);
      assertMatch(differing, [{ fields: ['amount'], payment: { purpose: 'INV-1' } }]);
    },
  },
  {
    name: 'a statement: two equal records and one payment are undecided',
    async run() {
      const record = { ...order, purpose: 'INV-1' };
      const { undecided, agreeing } = await check(['INV-1'], [record, { ...record }]);
      assertMatch([undecided, agreeing], [[{ reason: 'twins', payments: { length: 1 } }], []]);
    },
  },
  {
    name: 'a statement: an invalid record is not sent',
    async run() {
      const error = await errorOf(check([], [{ ...order, amount: '1e3' }]));
      assertMatch(error, { name: 'ValidationError', message: /^records\[0\]: amount must be/ });
    },
  },
];
