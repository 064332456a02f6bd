import type { Client } from '@service/sdk';
import { checkStatement, type StatementRecord } from '@service/sdk/statement';

/** Returns the references that a person has to look at, with the reason. Only reads. */
export async function checkYesterday(client: Client, records: readonly StatementRecord[], today: Date) {
  const since = new Date(today.getTime() - 86_400_000);
  const statement = await checkStatement(client, records, { since, until: today });
  const returned = statement.agreeing.filter(({ payment }) => payment.status === 'failed');
  return {
    missing: statement.missing.map(({ reference }) => reference),
    differing: statement.differing.map(({ record, fields }) => [record.reference, ...fields]),
    returned: returned.map(({ record, refunds }) => [record.reference, refunds.length]),
    unrecorded: statement.extra.map(({ payment }) => payment.id),
    isComplete: statement.undecided.length + statement.unseen.length === 0,
  };
}
