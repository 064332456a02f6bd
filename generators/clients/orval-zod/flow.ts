import {
  CreatePaymentBody,
  CreatePaymentResponse,
  CreateQuoteBody,
  CreateQuoteResponse,
  GetPaymentResponse,
  ListTransactionsResponse,
} from '../../out/orval-zod/client.js';

/** Sends a request and returns the JSON of the response. */
async function send(path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${process.env['BASE_URL']}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${process.env['API_KEY']}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body) ?? null,
  });
  return response.json();
}

const exchange = CreateQuoteBody.parse({ from_currency: 'USD', to_currency: 'EUR', amount: 1234567.89 });
const { data: quote } = CreateQuoteResponse.parse(await send('/quotes', exchange));

const body = CreatePaymentBody.parse({
  ...exchange,
  beneficiary_name: 'Acme Supplies Ltd',
  purpose: 'INV-2026-0042',
});
let { data: payment } = CreatePaymentResponse.parse(await send('/payments', body));
for (let reads = 0; reads < 100 && payment.status !== 'completed'; reads += 1) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ({ data: payment } = GetPaymentResponse.parse(await send(`/payments/${payment.id}`)));
}

const { data: page } = ListTransactionsResponse.parse(
  await send('/transactions?status=completed&type=payment'),
);
const debit = page.transactions.find(({ payment_id: id }) => id === payment.id);

// Orval has no zod schema for error responses by default.
const rejected = (await send('/payments', body)) as { error: { type: string } };

console.log(
  JSON.stringify({
    quoted: quote.receive_amount,
    id: payment.id,
    status: payment.status,
    beneficiary: payment.beneficiary.name,
    bank: payment.beneficiary.bank,
    amount: debit?.amount,
    balance: debit?.balance_after,
    error: rejected.error.type,
  }),
);
