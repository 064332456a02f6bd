import type { Pool } from 'pg';
import type { PaymentInput } from '@service/sdk';
import type { Payer } from '@service/sdk/payer';
import type { PostgresIntentStore } from '@service/sdk/payer/postgres';

/** Creates a function that approves an invoice and plans its payment in one transaction. */
export function createApproval(pool: Pool, store: PostgresIntentStore, payer: Payer) {
  return async (number: string, body: PaymentInput): Promise<void> => {
    const planned = await payer.prepare(number, body);
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into approvals (invoice) values ($1)', [number]);
      await store.planIn(client, planned);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
}
