import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { printAddress, readProgramOptions } from '../program.ts';
import { createApp } from './app.ts';
import { mapControllers } from './controllers.ts';
import { DbContext } from './db-context.ts';
import { OutboxDispatcher } from './outbox-dispatcher.ts';
import { PaymentService } from './payment-service.ts';
import { createHex, createRandom, createTraceId } from './random.ts';
import { RateLimiter } from './rate-limiter.ts';
import { SettlementWorker } from './settlement-worker.ts';
import { createSettings } from './settings.ts';
import { createSystemTimeProvider } from './time.ts';

const { port, webhookUrl, speed, seed } = readProgramOptions();
const settings = createSettings(speed);
const time = createSystemTimeProvider();
const random = createRandom(seed);
const db = new DbContext(time, random);
const payments = new PaymentService({ db, time, random, settings });

const webhookSecret = `whsec_${createHex(random, 64)}`;
const webhook = webhookUrl === undefined ? undefined : { url: webhookUrl, secret: webhookSecret };
const deposits = { EUR: 250_000_00n, USD: 100_000_00n, GBP: 40_000_00n };
const account = db.addEnvironment('test', deposits, webhook);
db.addEnvironment('live', { EUR: 5_000_00n }, webhook);
const foreignAccount = db.addEnvironment('test', { EUR: 10_000_00n });

const { payment: foreignPayment } = payments.create(
  foreignAccount,
  {
    fromCurrency: 'EUR',
    toCurrency: 'SEK',
    amount: 1_250_00n,
    beneficiaryName: 'Nordlys Logistik AB',
    beneficiaryBank: 'Handelsbanken',
    beneficiaryAccount: 'SE4550000000058398257466',
    beneficiaryCountry: 'SE',
    purpose: 'Invoice 7731',
  },
  null,
);

new SettlementWorker({ db, time, random, settings: settings.settlement }).start();
new OutboxDispatcher({ db, time, settings: settings.outbox, fetch }).start();

const app = createApp({
  environments: db.environments,
  routes: mapControllers({ db, payments, maxRequestBodySize: settings.maxRequestBodySize }),
  rateLimiter: new RateLimiter(time, settings.rateLimiter),
  createTraceId: () => createTraceId(random),
});
const server = createServer(app);
server.listen(port, '127.0.0.1', () => {
  const address = server.address() as AddressInfo;
  printAddress({
    baseUrl: `http://127.0.0.1:${address.port}/api/v1`,
    apiKey: account.apiKey,
    webhookSecret,
    foreignPayment: foreignPayment.id,
  });
});
