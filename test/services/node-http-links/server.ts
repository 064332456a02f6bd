// A payments service on node:http. The `Link` header has the other pages, money of rows is text, ids contain the day, and
// each problem of a field has a code.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from '../../support/random.ts';
import { printAddress, readProgramOptions } from '../program.ts';
import { Account, Payment } from './account.ts';
import { Api } from './api.ts';
import { Rejection, sendError, sendJson } from './http.ts';
import { RateLimiter } from './limiter.ts';
import { Money } from './money.ts';
import { WebhookSender } from './webhooks.ts';

const SECRET = 'whsec_meridian_19d4';
const API_KEY = 'service_test_meridian_e3b0c44298fc1c149afb';

const { port, webhookUrl, speed, seed } = readProgramOptions();
const random = createRandom(seed);

function openAccount(): Account {
  const account = new Account(random, speed);
  account.load('60000.00', 'USD');
  account.load('30000.00', 'EUR');
  account.load('2000.00', 'GBP');
  account.load('1500000', 'JPY');
  return account;
}

const own = openAccount();
if (webhookUrl !== undefined) {
  const sender = new WebhookSender(webhookUrl, SECRET, speed);
  own.on('change', (payment) => sender.send(payment));
}
const other = openAccount();
const apis = new Map([
  [API_KEY, new Api(own)],
  ['service_test_parallax_27ae41e4649b934ca495', new Api(other)],
]);
const limiter = new RateLimiter();

const server = createServer((request, response) => {
  const { authorization = '', host } = request.headers;
  const answer = async (): Promise<void> => {
    const url = new URL(`http://${host}${request.url}`);
    const key = authorization.startsWith('Bearer ') ? authorization.slice(7) : request.headers['x-api-key'];
    const api = apis.get(String(key));
    if (!api) throw new Rejection(401, 'authentication_error', 'Unknown API key.');
    for (const [name, value] of Object.entries(limiter.count())) response.setHeader(name, value);
    sendJson(response, await api.handle(request, url));
  };
  answer().catch((error: unknown) => sendError(response, error));
});

server.listen(port, '127.0.0.1', () => {
  const beneficiary = { name: 'Parallax Parts', bank: null, account: null, country: null };
  const foreign = new Payment(other.newPaymentId(), Money.parse('18', 'USD'), 'EUR', beneficiary, null);
  other.start(foreign);
  printAddress({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    apiKey: API_KEY,
    webhookSecret: SECRET,
    foreignPayment: foreign.id,
  });
});
