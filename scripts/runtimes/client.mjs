// Runs in each runtime: a create that goes well, then one on the same connection that is reset, and what it says.
import { createClient, exact, isPaymentOutcomeUnknownError } from '@service/sdk';
import { createQuotes } from '@service/sdk/quotes';

const [baseUrl] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
const options = { apiKey: 'service_test_4f9c1d2e3b', baseUrl };
const service = createClient(options);
const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'José 株式会社',
};

const payment = await service.payments.create(order);
if (exact(payment, 'send_amount') !== '100.00') throw new Error('the text of the amount is lost');
if (typeof createQuotes(options).create !== 'function') throw new Error('the subpath is empty');
const error = await service.payments.create({ ...order, purpose: 'reset' }).catch((caught) => caught);
if (!isPaymentOutcomeUnknownError(error)) throw new Error(`the reset was told as ${error.name}`);
const gone = await createClient({ ...options, baseUrl: 'http://127.0.0.1:2/api/v1', maxRetries: 0 })
  .payments.create(order)
  .catch((caught) => caught);
console.log(`a port where nobody listens: ${gone.outcome}`);
