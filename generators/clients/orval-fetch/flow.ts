import { createPayment, createQuote, getPayment, listTransactions } from '../../out/orval-fetch/client.js';
import { headers, run } from '../scenario.js';

await run({
  quote: async (body) => {
    const { status, data } = await createQuote(body, { headers });
    if (status !== 200) throw new Error(`The quote was answered ${status}.`);
    return data.data;
  },
  create: async (body) => {
    const { data } = await createPayment(body, { headers });
    return 'data' in data ? data.data : data.error.type;
  },
  retrieve: async (id) => {
    const { status, data } = await getPayment(id, { headers });
    if (status !== 200) throw new Error(`The read was answered ${status}.`);
    return data.data;
  },
  list: async (query) => {
    const { status, data } = await listTransactions(query, { headers });
    if (status !== 200) throw new Error(`The list was answered ${status}.`);
    return data.data.transactions;
  },
});
