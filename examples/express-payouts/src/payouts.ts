import { PaymentOutcomeUnknownError } from '@service/sdk';
import type { Payer } from '@service/sdk/payer';
import type { Pool } from 'pg';

export interface Payout {
  readonly reference: string;
  /** Null while no payment is known. */
  readonly payment_id: string | null;
  /** The state of the intent, or from the first webhook on the status of the payment. */
  readonly status: string;
}

export interface Order {
  readonly amount: string;
  readonly supplier: string;
  readonly account: string;
}

/**
 * Pays an invoice at most once, also if it is called twice, in two processes, or after the process ended in between.
 * After an unknown outcome, each later call searches for the payment.
 */
export async function payInvoice(payer: Payer, reference: string, order: Order): Promise<void> {
  try {
    await payer.pay(reference, {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: order.amount,
      beneficiary_name: order.supplier,
      beneficiary_account: order.account,
      purpose: reference, // a search recognizes the payment by it
    });
  } catch (error) {
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    console.error(reference, error.message); // the payout stays `unknown`
  }
}

/** Records a final status. `failed` is the last one: a bank can return money after `completed`. */
export async function recordStatus(pool: Pool, paymentId: string, status: string): Promise<void> {
  const sql = `
    INSERT INTO payment_statuses (payment_id, status) VALUES ($1, $2)
    ON CONFLICT (payment_id) DO UPDATE SET status = excluded.status WHERE payment_statuses.status <> 'failed'`;
  await pool.query(sql, [paymentId, status]);
}

export async function findPayout(pool: Pool, reference: string): Promise<Payout | undefined> {
  const sql = `
    SELECT reference, payment_id, coalesce(status, state) AS status
    FROM payment_intents LEFT JOIN payment_statuses USING (payment_id) WHERE reference = $1`;
  return (await pool.query<Payout>(sql, [reference])).rows[0];
}
