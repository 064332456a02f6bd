import {
  CreatePaymentBody,
  CreatePaymentResponse,
  CreateQuoteBody,
  CreateQuoteResponse,
  GetPaymentResponse,
  ListTransactionsResponse,
} from '../../out/orval-zod/client.js';
import { baseUrl, headers, run } from '../scenario.js';

/** Sends a request and returns the JSON of the response. */
async function send(path: string, body?: object): Promise<object> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body) ?? null,
  });
  return response.json();
}

await run({
  quote: async (body) => CreateQuoteResponse.parse(await send('/quotes', CreateQuoteBody.parse(body))).data,
  create: async (body) => {
    const response = await send('/payments', CreatePaymentBody.parse(body));
    // Orval has no zod schema for error responses by default.
    if ('error' in response) return (response.error as { type: string }).type;
    return CreatePaymentResponse.parse(response).data;
  },
  retrieve: async (id) => GetPaymentResponse.parse(await send(`/payments/${id}`)).data,
  list: async (query) =>
    ListTransactionsResponse.parse(await send(`/transactions?${new URLSearchParams(query)}`)).data
      .transactions,
});
