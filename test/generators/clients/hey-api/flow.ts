import { client } from '../../out/hey-api/client.gen.js';
import { createPayment, createQuote, getPayment, listTransactions } from '../../out/hey-api/index.js';
import { apiKey, baseUrl, demand, run } from '../scenario.js';

client.setConfig({ baseUrl, auth: ({ type }) => (type === 'http' ? apiKey : undefined) });

await run({
  quote: async (body) => demand((await createQuote({ body })).data).data,
  create: async (body) => {
    const { data, error } = await createPayment({ body });
    return error?.error.type ?? demand(data).data;
  },
  retrieve: async (payment_id) => demand((await getPayment({ path: { payment_id } })).data).data,
  list: async (query) => demand((await listTransactions({ query })).data).data.transactions,
});
