import type { AddressInfo } from 'node:net';
import { printAddress, readProgramOptions } from '../program.ts';
import { createApplication } from './application.ts';
import { Environment } from './environment.ts';
import { ApiKeyGuard, ThrottlerGuard } from './guards.ts';
import { RateTable } from './money.ts';
import { RandomStream } from './random.ts';
import { BASE_PATH } from './settings.ts';
import { Timeline } from './timeline.ts';
import { validate } from './validation.ts';
import { createPaymentDto } from './payments.ts';
import { WebhookDispatcher } from './webhooks.ts';

const { port, webhookUrl, speed, seed } = readProgramOptions();
const random = (name: string): RandomStream => new RandomStream(seed, name);
const timeline = new Timeline(speed);
const rates = new RateTable(random('rates'));
const webhookSecret = `whsec_${random('webhook-secret').hex(48)}`;
const webhooks = new WebhookDispatcher({
  url: webhookUrl,
  secret: webhookSecret,
  random: random('webhooks'),
  timeline,
});
const silent = new WebhookDispatcher({ url: undefined, secret: '', random: random('silent'), timeline });

const account = { account: 'alder', seed, rates, timeline, webhooks };
const test = new Environment({
  ...account,
  mode: 'test',
  balances: { USD: 5_000_000n, EUR: 3_250_000n, GBP: 1_800_000n, CAD: 725_050n, JPY: 90_000_000n },
});
const live = new Environment({ ...account, mode: 'live', balances: { USD: 1_248_075n, EUR: 310_420n } });
const other = new Environment({
  account: 'birch',
  mode: 'test',
  seed,
  rates,
  timeline,
  webhooks: silent,
  balances: { USD: 500_000n },
});
const foreign = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 48.5,
  beneficiary_name: 'Hazel Supplies',
};
const foreignPayment = other.payments.create(validate(createPaymentDto, foreign)).id;

const application = createApplication({
  apiKeys: new ApiKeyGuard([test, live, other]),
  throttler: new ThrottlerGuard(timeline),
  random: random('requests'),
});
await application.listen({ port, host: '127.0.0.1' });
const address = application.server.address() as AddressInfo;
const keys = { liveKey: live.apiKey, otherKey: other.apiKey };
printAddress({
  baseUrl: `http://127.0.0.1:${address.port}${BASE_PATH}`,
  apiKey: test.apiKey,
  webhookSecret,
  foreignPayment,
  ...keys,
});
