import createClient from 'openapi-fetch';
import type { paths } from '../../out/openapi-fetch/types.js';
import { baseUrl, demand, headers, run } from '../scenario.js';

const client = createClient<paths>({ baseUrl, headers });

await run({
  quote: async (body) => demand((await client.POST('/quotes', { body })).data).data,
  create: async (body) => {
    const { data, error } = await client.POST('/payments', { body });
    return error?.error.type ?? demand(data).data;
  },
  retrieve: async (payment_id) =>
    demand((await client.GET('/payments/{payment_id}', { params: { path: { payment_id } } })).data).data,
  list: async (query) =>
    demand((await client.GET('/transactions', { params: { query } })).data).data.transactions,
});
