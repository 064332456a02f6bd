import { createPayment, createQuote, getPayment, listTransactions } from '../../out/orval-fetch/client.js';

const headers = { Authorization: `Bearer ${process.env['API_KEY']}` };
const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 1234567.89 };

const quote = await createQuote(exchange, { headers });
if (quote.status !== 200) throw new Error(`The quote was answered ${quote.status}.`);

const body = { ...exchange, beneficiary_name: 'Acme Supplies Ltd', purpose: 'INV-2026-0042' };
const created = await createPayment(body, { headers });
if (created.status !== 200 && created.status !== 201)
  throw new Error(`The create was answered ${created.status}.`);
let { data: payment } = created.data;
for (let reads = 0; reads < 100 && payment.status !== 'completed'; reads += 1) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const current = await getPayment(payment.id, { headers });
  if (current.status === 200) ({ data: payment } = current.data);
}

const page = await listTransactions({ status: 'completed', type: 'payment' }, { headers });
if (page.status !== 200) throw new Error(`The list was answered ${page.status}.`);
const debit = page.data.data.transactions.find(({ payment_id: id }) => id === payment.id);

const rejected = await createPayment(body, { headers });

console.log(
  JSON.stringify({
    quoted: quote.data.data.receive_amount,
    id: payment.id,
    status: payment.status,
    beneficiary: payment.beneficiary.name,
    bank: payment.beneficiary.bank,
    amount: debit?.amount,
    balance: debit?.balance_after,
    error: rejected.status === 422 ? rejected.data.error.type : 'none',
  }),
);
