import {
  AccountApi,
  Configuration,
  ErrorEnvelopeFromJSON,
  PaymentRequestFromJSON,
  PaymentsApi,
  QuoteRequestFromJSON,
  QuotesApi,
  ResponseError,
} from '../../out/openapi-generator-typescript-fetch/index.js';
import { apiKey, baseUrl, run } from '../scenario.js';

const configuration = new Configuration({ basePath: baseUrl, accessToken: apiKey });
const payments = new PaymentsApi(configuration);

await run({
  quote: async (body) => {
    const quoteRequest = QuoteRequestFromJSON(body);
    const { data } = await new QuotesApi(configuration).createQuote({ quoteRequest });
    return { receive_amount: data.receiveAmount };
  },
  create: async (body) => {
    try {
      const paymentRequest = PaymentRequestFromJSON(body);
      return (await payments.createPayment({ paymentRequest })).data;
    } catch (failure) {
      if (!(failure instanceof ResponseError)) throw failure;
      return ErrorEnvelopeFromJSON(await failure.response.json()).error.type;
    }
  },
  retrieve: async (paymentId) => (await payments.getPayment({ paymentId })).data,
  list: async (query) => {
    const { data } = await new AccountApi(configuration).listTransactions(query);
    return data.transactions.map(({ paymentId, amount, balanceAfter }) => ({
      payment_id: paymentId,
      amount,
      balance_after: balanceAfter,
    }));
  },
});
