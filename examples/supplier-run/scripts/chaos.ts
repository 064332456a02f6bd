// The commands of `npm run chaos`: `pay REFERENCE AMOUNT` receives and approves an invoice, and `count PAYMENT` prints 1 for
// a payment that was recorded as completed.
import { openDatabase } from '../src/database.ts';
import { approveInvoice } from '../src/invoices.ts';
import { openPayer } from '../src/payer.ts';

const [, , action, id = '', amount = ''] = process.argv;
const database = await openDatabase();
if (action === 'pay') {
  const add = 'INSERT INTO invoices VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
  await database.pool.query(add, [id, 'Acme Supplies Ltd', 'DE89370400440532013000', amount]);
  await approveInvoice(database, openPayer(database), { number: id, by: 'chaos' });
} else {
  const count = `SELECT count(*) FROM payment_statuses WHERE payment_id = $1 AND status = 'completed'`;
  console.info((await database.pool.query<{ count: string }>(count, [id])).rows[0]?.count);
}
await database.close();
