import { createPayment, createQuote, getPayment, listTransactions } from '../../out/orval-fetch/client.js';
import { headers, run } from '../scenario.js';

await run({
  quote: async (body) => {
    const { status, data } = await createQuote(body, { headers });
    if (status !== 200) throw new Error(`The quote was answered ${status}.`);
    return data.data;
  },
  create: async (body) => {
    const { status, data } = await createPayment(body, { headers });
    if (status === 200 || status === 201) return data.data;
    if (status === 422) return data.error.type;
    throw new Error(`The create was answered ${status}.`);
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
