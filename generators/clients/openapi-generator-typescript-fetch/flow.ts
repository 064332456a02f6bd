import {
  AccountApi,
  Configuration,
  ErrorEnvelopeFromJSON,
  PaymentsApi,
  QuotesApi,
  ResponseError,
} from '../../out/openapi-generator-typescript-fetch/index.js';

const { BASE_URL: basePath = '', API_KEY: accessToken = '' } = process.env;
const configuration = new Configuration({ basePath, accessToken });
const payments = new PaymentsApi(configuration);
const exchange = { fromCurrency: 'USD', toCurrency: 'EUR', amount: 1234567.89 };

const { data: quote } = await new QuotesApi(configuration).createQuote({ quoteRequest: exchange });

const paymentRequest = { ...exchange, beneficiaryName: 'Acme Supplies Ltd', purpose: 'INV-2026-0042' };
let { data: payment } = await payments.createPayment({ paymentRequest });
for (let reads = 0; reads < 100 && payment.status !== 'completed'; reads += 1) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ({ data: payment } = await payments.getPayment({ paymentId: payment.id }));
}

const { data: page } = await new AccountApi(configuration).listTransactions({
  status: 'completed',
  type: 'payment',
});
const debit = page.transactions.find(({ paymentId }) => paymentId === payment.id);

const error = await payments.createPayment({ paymentRequest }).then(
  () => 'none',
  async (failure: unknown) => {
    if (!(failure instanceof ResponseError)) throw failure;
    return ErrorEnvelopeFromJSON(await failure.response.json()).error.type;
  },
);

console.log(
  JSON.stringify({
    quoted: quote.receiveAmount,
    id: payment.id,
    status: payment.status,
    beneficiary: payment.beneficiary.name,
    bank: payment.beneficiary.bank,
    amount: debit?.amount,
    balance: debit?.balanceAfter,
    error,
  }),
);
