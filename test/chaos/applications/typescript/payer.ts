// Pays with the payer of the kit and its defaults. A payment is known by its id, which the payer returns.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createClient } from '@service/sdk';
import { createPayer } from '@service/sdk/payer';
import { sqliteStore } from '@service/sdk/payer/sqlite';
import { correct, createOnce, place, start, store } from './application.ts';

const client = createClient({ apiKey: process.env.SERVICE_API_KEY, baseUrl: process.env.SERVICE_BASE_URL });
const payer = createPayer(client, { store: sqliteStore(place('payer', 'payments.db')) });

start({
  ...correct,
  claim: () => true,
  isOpenAfter: () => false,
  async pay({ reference, amount }) {
    const body = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme Supplies Ltd' } as const;
    try {
      const { id, status } = await payer.pay(reference, { ...body, amount, purpose: reference });
      writeFileSync(place('payment', id), reference);
      if (status === 'completed' || existsSync(place('completed', id))) store(reference);
      return 'paid';
    } catch (error) {
      console.error(reference, error);
      return 'unknown';
    }
  },
  async findReference(id) {
    // It can complete before its id is known.
    createOnce('completed', id);
    return existsSync(place('payment', id)) ? readFileSync(place('payment', id), 'utf8') : undefined;
  },
});
