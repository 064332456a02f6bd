// 1 001 creates with a duplicate guard, of references that are already paid, while the read of the payment fails. The payment
// exists, so no create may be reported as `rejected` or `not_sent`, and each error must have the payment id.
import {
  type Client,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  type Fetch,
  isServiceError,
} from '@service/sdk';
import { runAgainstAll, type Target } from './support/targets.ts';

const REFERENCES = 143;
const STATUSES = [429, 401, 403, 404, 400, 422];
const READ_LAG = 50;

type Row = Record<'returned' | 'unknown' | 'rejected' | 'not_sent' | 'without the id', number>;

const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Alder Ltd' };

async function createAgain(client: Client, ids: ReadonlyMap<string, string>): Promise<Row> {
  const row: Row = { returned: 0, unknown: 0, rejected: 0, not_sent: 0, 'without the id': 0 };
  for (const [reference, id] of ids) {
    const again: unknown = await client.payments
      .create(order, { reference })
      .catch((error: unknown) => error);
    if (!isServiceError(again)) {
      row.returned += 1;
      continue;
    }
    if (again.outcome === undefined) throw again;
    row[again.outcome] += 1;
    if ((again as { paymentId?: string }).paymentId !== id) row['without the id'] += 1;
  }
  return row;
}

async function check(target: Target): Promise<boolean> {
  const { apiKey, baseUrl } = target;
  const duplicateGuard = createDuplicateGuard(createMemoryStore());
  const options = { apiKey, baseUrl, duplicateGuard, maxRetries: 0, readLag: READ_LAG };
  const client = createClient(options);
  const ids = new Map<string, string>();
  for (let number = 1; number <= REFERENCES; number += 1) {
    const reference = `order-${number}`;
    ids.set(reference, (await client.payments.create(order, { reference })).id);
  }
  await target.waitUntilVisible();
  const rows: Record<string, Row> = {};
  for (const status of STATUSES) {
    target.failReads(status);
    rows[status] = await createAgain(client, ids);
  }
  target.failReads(undefined);
  const refuseConnection: Fetch = (url, init) =>
    fetch(url.replace(new URL(baseUrl).host, '127.0.0.1:1'), init);
  rows['connection refused'] = await createAgain(createClient({ ...options, fetch: refuseConnection }), ids);
  rows['no failure'] = await createAgain(client, ids);
  console.table(rows);
  const payments = await target.readPayments();
  console.info(`payments: ${payments.length} for ${REFERENCES} references`);
  const isCorrect = Object.values(rows).every(
    (row) => row.rejected + row.not_sent + row['without the id'] === 0,
  );
  return isCorrect && payments.length === REFERENCES;
}

await runAgainstAll(check);
