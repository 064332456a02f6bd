import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { printAddress, readProgramOptions } from '../program.ts';
import { createApp } from './app.ts';
import { createSystemClock } from './clock.ts';
import { Ledger } from './ledger.ts';
import { PaymentService } from './payments.ts';
import { RateLimiter } from './rate-limit.ts';
import { createRandom, createUuidHex } from './random.ts';
import { createRoutes } from './routes.ts';
import { WebhookDispatcher } from './webhooks.ts';

const { port, webhookUrl, speed, seed } = readProgramOptions();
const clock = createSystemClock(speed);
const random = createRandom(seed);
const ledger = new Ledger(clock, random);
const webhooks = new WebhookDispatcher(clock, random, fetch);
const payments = new PaymentService({ clock, random, ledger, webhooks });

const webhookSecret = `whsec_${random.hex(48)}`;
const endpoint = webhookUrl === undefined ? undefined : { url: webhookUrl, secret: webhookSecret };
const account = ledger.createEnvironment('test', endpoint);
const foreignAccount = ledger.createEnvironment('test');
const environments = [
  account,
  ledger.createEnvironment('live', endpoint),
  foreignAccount,
  ledger.createEnvironment('live'),
];

payments.create(
  foreignAccount,
  {
    from_currency: 'USD',
    to_currency: 'GBP',
    amount: 42_000n,
    beneficiary_name: 'Harbour Freight Ltd',
    beneficiary_bank: 'Barclays',
    beneficiary_account: 'GB33BUKB20201555555555',
    beneficiary_country: 'GB',
    purpose: 'INV-2041',
  },
  null,
);
const [foreignPayment = ''] = foreignAccount.payments.keys();

const app = createApp({
  environments,
  routes: createRoutes(payments),
  rateLimiter: new RateLimiter(clock),
  createRequestId: () => createUuidHex(random),
});
const server = createServer(app);
server.listen(port, '127.0.0.1', () => {
  const address = server.address() as AddressInfo;
  printAddress({
    baseUrl: `http://127.0.0.1:${address.port}/api/v1`,
    apiKey: account.apiKey,
    webhookSecret,
    foreignPayment,
  });
});
