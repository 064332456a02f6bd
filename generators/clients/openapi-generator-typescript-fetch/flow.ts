import {
  AccountApi,
  Configuration,
  ErrorEnvelopeFromJSON,
  PaymentRequestFromJSON,
  PaymentsApi,
  PaymentToJSON,
  QuoteRequestFromJSON,
  QuotesApi,
  QuoteToJSON,
  ResponseError,
  TransactionToJSON,
} from '../../out/openapi-generator-typescript-fetch/index.js';
import { apiKey, baseUrl, run } from '../scenario.js';

const configuration = new Configuration({ basePath: baseUrl, accessToken: apiKey });
const payments = new PaymentsApi(configuration);

await run({
  quote: async (body) => {
    const quoteRequest = QuoteRequestFromJSON(body);
    return QuoteToJSON((await new QuotesApi(configuration).createQuote({ quoteRequest })).data);
  },
  create: async (body) => {
    try {
      const paymentRequest = PaymentRequestFromJSON(body);
      return PaymentToJSON((await payments.createPayment({ paymentRequest })).data);
    } catch (failure) {
      if (!(failure instanceof ResponseError)) throw failure;
      return ErrorEnvelopeFromJSON(await failure.response.json()).error.type;
    }
  },
  retrieve: async (paymentId) => PaymentToJSON((await payments.getPayment({ paymentId })).data),
  list: async (query) =>
    (await new AccountApi(configuration).listTransactions(query)).data.transactions.map((each) =>
      TransactionToJSON(each),
    ),
});
