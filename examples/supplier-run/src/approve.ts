// Approves all received invoices: `npm run approve -- Ada`.
import { openDatabase } from './database.ts';
import { approveInvoice } from './invoices.ts';
import { openPayer } from './payer.ts';

const [, , by] = process.argv;
if (by === undefined) throw new Error('Name the person who approves: npm run approve -- Ada');
const database = await openDatabase();
const payer = openPayer(database);
const sql = 'SELECT number FROM invoices WHERE approved_by IS NULL ORDER BY number';
for (const { number } of (await database.pool.query<{ number: string }>(sql)).rows) {
  await approveInvoice(database, payer, { number, by });
  console.info('approved', number);
}
await database.close();
