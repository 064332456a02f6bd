import { type Client, NotFoundError, PaymentOutcomeUnknownError, ServiceError } from '@service/sdk';
import type { Pool } from 'pg';

export interface Payout {
  readonly invoice: string;
  /** Null while the outcome of the create is unknown. */
  readonly payment_id: string | null;
  readonly status: string;
}

export interface Invoice {
  readonly invoice: string;
  readonly amount: string;
  readonly supplier: string;
  readonly account: string;
}

export interface PayoutContext {
  readonly client: Client;
  readonly pool: Pool;
}

/** Pays an invoice at most once, also if this function is called twice or the process ends in between. */
export async function payInvoice({ client, pool }: PayoutContext, order: Invoice): Promise<void> {
  const { invoice } = order;
  const claim = 'INSERT INTO payouts (invoice) VALUES ($1) ON CONFLICT DO NOTHING';
  if ((await pool.query(claim, [invoice])).rowCount === 0) return;
  const payment = await createPayment(client, order).catch(async (error: unknown) => {
    // The service did nothing, so the invoice can be paid later.
    if (error instanceof ServiceError && error.outcome !== 'unknown')
      await pool.query('DELETE FROM payouts WHERE invoice = $1', [invoice]);
    throw error;
  });
  if (payment !== undefined)
    await pool.query('UPDATE payouts SET payment_id = $2 WHERE invoice = $1', [invoice, payment.id]);
}

/** Creates the payment. Returns undefined if nothing proves that it exists: a person must ask the service. */
async function createPayment(client: Client, { invoice, amount, supplier, account }: Invoice) {
  try {
    return await client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount,
      beneficiary_name: supplier,
      beneficiary_account: account,
      purpose: invoice,
    });
  } catch (error) {
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    const found = await client.payments.reconcile(error);
    return found.result === 'found' ? found.payment : undefined;
  }
}

/**
 * Records a final status. `failed` is the last one: a bank can return money after `completed`. An event can arrive
 * before the response of its create, or although that was lost: its purpose names the invoice.
 */
export async function recordStatus(
  { client, pool }: PayoutContext,
  id: string,
  status: string,
): Promise<void> {
  const sql = `
    INSERT INTO payments (id, status) VALUES ($1, $2)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status WHERE payments.status <> 'failed'`;
  await pool.query(sql, [id, status]);
  const known = await pool.query('SELECT 1 FROM payouts WHERE payment_id = $1', [id]);
  if (known.rowCount !== 0) return;
  const payment = await client.payments.retrieve(id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined; // a payment that is not ours
    throw error;
  });
  const link = 'UPDATE payouts SET payment_id = $2 WHERE invoice = $1 AND payment_id IS NULL';
  await pool.query(link, [payment?.purpose, id]);
}

export async function findPayout(pool: Pool, invoice: string): Promise<Payout | undefined> {
  const sql = `
    SELECT invoice, payment_id,
      CASE WHEN payment_id IS NULL THEN 'unknown' ELSE coalesce(status, 'pending') END AS status
    FROM payouts LEFT JOIN payments ON id = payment_id WHERE invoice = $1`;
  return (await pool.query<Payout>(sql, [invoice])).rows[0];
}
