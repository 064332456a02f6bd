// A payments service written from the document only, in Hono with errors in the style of Rails. Pages are numbered, and
// the fee is charged on top of the amount.
import { serve } from '@hono/node-server';
import { printAddress, readProgramOptions } from '../program.ts';
import { createApp } from './app.ts';
import { seedRandom } from './ids.ts';
import { Account, type Mode } from './payments.ts';
import { priceTransfer } from './pricing.ts';
import { deliverEvent } from './webhooks.ts';

const SECRET = 'whsec_5bQmT0yR7cVx2LkE9uHs';
const API_KEY = 'service_test_8Kq2vNfW4xZt1RbYcM6pJd3L';
const LIVE_KEY = 'service_live_T7gHs0QnEw5aXu9iBkVzC2mF';
const OTHER_KEY = 'service_test_Yd4oPlSj6rGe8tMvAq1hNw3Z';
const DAY = 24 * 60 * 60 * 1000;

/** Opening deposits in hundredths, with their age in days. */
const deposits = [
  { currency: 'USD', amount: 5_000_000, age: 41 },
  { currency: 'EUR', amount: 2_500_000, age: 40 },
  { currency: 'GBP', amount: 1_200_000, age: 26 },
  { currency: 'NGN', amount: 1_850_000_000, age: 12 },
  { currency: 'USD', amount: 2_250_000, age: 3 },
];

const { port, webhookUrl, speed, seed } = readProgramOptions();
const random = seedRandom(seed);

function openAccount(mode: Mode, url?: string): Account {
  const account = new Account({
    mode,
    random,
    speed,
    onStatusChange: (payment) => {
      if (url !== undefined) void deliverEvent(payment, { url, secret: SECRET, speed });
    },
  });
  for (const { currency, amount, age } of deposits) {
    account.ledger.post({
      type: 'deposit',
      status: 'completed',
      currency,
      amount,
      paymentId: null,
      description: `${currency} wallet funding`,
      date: new Date(Date.now() - age * DAY),
    });
  }
  return account;
}

const other = openAccount('test');
const accounts = new Map([
  [API_KEY, openAccount('test', webhookUrl)],
  [LIVE_KEY, openAccount('live', webhookUrl)],
  [OTHER_KEY, other],
]);

serve({ fetch: createApp({ accounts, speed }).fetch, port, hostname: '127.0.0.1' }, (address) => {
  const foreign = other.createPayment({
    price: priceTransfer('USD', 'EUR', 12_500),
    beneficiary: { name: 'Hartmann Werkzeuge GmbH', bank: null, account: null, country: 'DE' },
    purpose: null,
  });
  printAddress({
    baseUrl: `http://127.0.0.1:${address.port}/api/v1`,
    apiKey: API_KEY,
    webhookSecret: SECRET,
    foreignPayment: foreign.id,
  });
});
