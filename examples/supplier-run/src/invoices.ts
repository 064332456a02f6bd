import type { PaymentInput } from '@service/sdk';
import type { Payer } from '@service/sdk/payer';
import type { Database } from './database.ts';

export interface Invoice {
  readonly number: string;
  readonly supplier: string;
  readonly account: string;
  readonly amount: string;
}

/**
 * Approves an invoice and plans its payment, in one transaction: after a crash, there are both or none. Approving it
 * again has no effect.
 */
export async function approveInvoice(
  { pool, intents }: Database,
  payer: Payer,
  { number, by }: { readonly number: string; readonly by: string },
): Promise<void> {
  const [invoice] = (await pool.query<Invoice>('SELECT * FROM invoices WHERE number = $1', [number])).rows;
  if (invoice === undefined) throw new Error(`There is no invoice ${number}.`);
  const planned = await payer.prepare(number, toPayment(invoice));
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const approve = 'UPDATE invoices SET approved_by = $2 WHERE number = $1 AND approved_by IS NULL';
    await client.query(approve, [number, by]);
    await intents.planIn(client, planned);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

function toPayment({ number, supplier, account, amount }: Invoice): PaymentInput {
  return {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount,
    beneficiary_name: supplier,
    beneficiary_account: account,
    // The reference in the purpose lets a search find the payment.
    purpose: number,
  };
}

/** Records a final status. `failed` is the last one: a bank can return money after `completed`. */
export async function recordStatus({ pool }: Database, paymentId: string, status: string): Promise<void> {
  const sql = `
    INSERT INTO payment_statuses (payment_id, status) VALUES ($1, $2)
    ON CONFLICT (payment_id) DO UPDATE SET status = excluded.status WHERE payment_statuses.status <> 'failed'`;
  await pool.query(sql, [paymentId, status]);
}

/** Counts the invoices by status: `received`, the state of the intent, or the final status of the payment. */
export async function countInvoices({ pool }: Database): Promise<Readonly<Record<string, number>>> {
  const sql = 'SELECT status, count(*)::integer AS count FROM invoice_statuses GROUP BY status';
  const { rows } = await pool.query<{ status: string; count: number }>(sql);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
