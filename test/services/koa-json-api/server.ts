import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { type ProgramOptions, printAddress, readProgramOptions } from '../program.ts';
import { createApp } from './app.ts';
import { Clock } from './clock.ts';
import { KeyRing } from './keys.ts';
import { PREFIX } from './operations.ts';
import type { Mode } from './payments.ts';
import { PriceList } from './pricing.ts';
import { IdFactory, RandomStream } from './random.ts';
import { RateLimit } from './rate-limit.ts';
import { WebhookSender } from './webhooks.ts';
import { Workspace } from './workspace.ts';

const testFunds: Readonly<Record<string, bigint>> = {
  EUR: 120_000_00n,
  GBP: 80_000_00n,
  USD: 250_000_00n,
  JPY: 15_000_000n,
  CHF: 0n,
};
const liveFunds: Readonly<Record<string, bigint>> = { EUR: 4_210_55n, USD: 9_875_20n };

/** Makes the accounts of the service and their keys. */
function createAccounts({ seed, speed, webhookUrl }: ProgramOptions): {
  readonly app: ReturnType<typeof createApp>;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly foreignPayment: string;
} {
  const clock = new Clock(speed);
  const ids = new IdFactory(seed);
  const keys = new KeyRing();
  const prices = new PriceList(seed, clock);
  const secrets = new RandomStream(seed, 'secrets');
  const webhookSecret = `whsec_${secrets.token(32)}`;
  const open = (mode: Mode, url: string | undefined): readonly [key: string, workspace: Workspace] => {
    const key = `service_${mode}_${secrets.token(32)}`;
    const webhooks = new WebhookSender({ url, secret: webhookSecret, clock, ids });
    const random = new RandomStream(seed, `durations ${key}`);
    const workspace = new Workspace({ mode, clock, ids, random, webhooks });
    const funds = mode === 'test' ? testFunds : liveFunds;
    for (const [currency, minor] of Object.entries(funds)) workspace.ledger.fund(currency, minor);
    keys.add(key, workspace);
    return [key, workspace];
  };
  const [apiKey] = open('test', webhookUrl);
  open('live', webhookUrl);
  const [, other] = open('test', undefined);
  const foreign = other.pay({
    price: prices.price({ fromCurrency: 'USD', toCurrency: 'EUR', sendMinor: 480_00n }),
    quoteId: null,
    beneficiary: { name: 'Birch Trading', bank: null, account: null, country: 'FR' },
    purpose: null,
  });
  const app = createApp({ keys, limit: new RateLimit(clock), prices, ids });
  return { app, apiKey, webhookSecret, foreignPayment: foreign.id };
}

const options = readProgramOptions();
const { app, ...account } = createAccounts(options);
const handle = app.callback();
const server = createServer((request, response) => void handle(request, response));
server.listen(options.port, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  printAddress({ baseUrl: `http://127.0.0.1:${port}${PREFIX}`, ...account });
});
