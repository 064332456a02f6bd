import { checkStatement } from '@service/sdk/statement';
import { assertMatch, type Case } from './case.ts';
import { createService, order } from './creates.ts';

/** A check of records against an account. */
export const statements: readonly Case[] = [
  {
    name: 'a statement: one record agrees, one is missing, and one payment is in no record',
    async run() {
      const { client, mock } = createService();
      const since = new Date(mock.sandbox.clock.now().getTime() - 1_000);
      for (const purpose of ['INV-1', 'INV-2']) await client.payments.create({ ...order, purpose });
      await mock.sandbox.clock.advance('1h');
      const until = new Date(mock.sandbox.clock.now().getTime() - 60_000);
      const other = { ...order, beneficiary_name: 'Cassia SA', purpose: 'INV-4' };
      const records = [{ ...order, purpose: 'INV-1' }, other];
      const result = await checkStatement(client, records, { since, until });
      assertMatch(
        [result.agreeing.length, result.missing[0], result.extra[0]?.payment.purpose],
        [1, other, 'INV-2'],
      );
      assertMatch([result.undecided, result.unseen], [[], []]);
    },
  },
];
