// A payments service behind a gateway, with a lagging replica, moving rates, a rate limit, and webhooks over a queue that
// repeats and reorders them.
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { createRandom } from '../../support/random.ts';
import { printAddress, readProgramOptions } from '../program.ts';
import { convert, createMarket } from './market.ts';
import {
  addLatency,
  authenticate,
  type Env,
  limitRate,
  parse,
  parseBody,
  Problem,
  respondToProblem,
} from './middleware.ts';
import { createNotifier } from './notifier.ts';
import { createLedger, type Ledger, type Movement, type PaymentState, toLocalTime } from './payments.ts';
import { listQuery, paymentBody, quoteBody, toCents, toOrder } from './requests.ts';

const SECRET = 'whsec_harbor_c0ffee42';
const OWN_KEY = 'service_test_harbor_6b1d5e0c9a3f';
const OTHER_KEY = 'service_test_jetty_1f2e3d4c5b6a';
/** Milliseconds until the replica has a write. No speed changes it. */
const LAG = 800;

const { port, webhookUrl, speed, seed } = readProgramOptions();
const random = createRandom(seed);
const findRate = createMarket({ seed, speed });
const notify =
  webhookUrl === undefined ? () => {} : createNotifier({ url: webhookUrl, secret: SECRET, random, speed });

const ledgers = new Map([OWN_KEY, OTHER_KEY].map((key): [string, Ledger] => [key, openLedger(key)]));

function openLedger(key: string): Ledger {
  const onChange = (payment: PaymentState): void => {
    if (key !== OWN_KEY) return;
    const { id, status, order, received } = payment;
    const data = {
      id,
      status,
      from_currency: order.fromCurrency,
      to_currency: order.toCurrency,
      send_amount: Number(order.cents) / 100,
      receive_amount: Number(received) / 100,
      mode: 'test',
    };
    notify({ event: `payment.${status}`, created_at: toLocalTime(new Date()), data });
  };
  const ledger = createLedger(key, { random, speed, lag: LAG, onChange });
  ledger.fund('USD', 100_000_00n);
  ledger.fund('EUR', 20_000_00n);
  ledger.fund('GBP', 1_000_00n);
  return ledger;
}

const app = new Hono<Env>();
app.use(addLatency(random));
app.onError(respondToProblem);

const api = new Hono<Env>();
api.use(authenticate(ledgers), limitRate());

const ok = (context: Context, data: object, status: 200 | 201 = 200): Response =>
  context.json({ success: true, mode: 'test', data }, status);

function price(fromCurrency: string, toCurrency: string, cents: bigint) {
  const rate = findRate(fromCurrency, toCurrency);
  if (rate === undefined) {
    const path = [findRate(fromCurrency, 'USD') === undefined ? 'from_currency' : 'to_currency'];
    const issue = { path, message: 'Unsupported currency', code: 'custom' };
    throw new Problem(422, 'validation_error', 'The request is invalid', [issue]);
  }
  return { rate, received: convert(cents, rate) };
}

api.post('/quotes', async (context) => {
  const { from_currency, to_currency, amount } = await parseBody(context, quoteBody);
  const { rate, received } = price(from_currency, to_currency, toCents(amount));
  const figures = { fee: 0, rate: Number(rate) / 1e6, receive_amount: Number(received) / 100 };
  return ok(context, { from_currency, to_currency, send_amount: amount, ...figures });
});

const showPayment = ({ id, status, order, rate, received, createdAt }: PaymentState) => ({
  id,
  status,
  from_currency: order.fromCurrency,
  to_currency: order.toCurrency,
  send_amount: Number(order.cents) / 100,
  rate: Number(rate) / 1e6,
  receive_amount: Number(received) / 100,
  beneficiary: order.beneficiary,
  purpose: order.purpose,
  created_at: createdAt,
});

const savedCreates = new Map<string, PaymentState>();

api.post('/payments', async (context) => {
  const order = toOrder(await parseBody(context, paymentBody));
  // The bank behind the gateway is down for this account, which is for tests of outages.
  if (order.beneficiary.account === 'GB00DOWN') {
    return context.html('<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>', 502);
  }
  const key = context.req.header('idempotency-key');
  const saved = savedCreates.get(key ?? '');
  if (saved) return ok(context, showPayment(saved), 200);
  const payment = context
    .get('ledger')
    .create(order, price(order.fromCurrency, order.toCurrency, order.cents));
  if (!payment) throw new Problem(422, 'insufficient_funds', `Not enough ${order.fromCurrency}`);
  if (key !== undefined) savedCreates.set(key, payment);
  return ok(context, showPayment(payment), 201);
});

api.get('/payments/:id', (context) => {
  const payment = context.get('ledger').find(context.req.param('id'));
  if (!payment) throw new Problem(404, 'not_found', 'No such payment');
  return ok(context, showPayment(payment));
});

api.get('/balance', (context) => {
  const balances = Object.entries(context.get('ledger').balances.readReplica() ?? {});
  return ok(context, {
    balances: balances.map(([currency, cents]) => ({ currency, balance: Number(cents) / 100 })),
  });
});

/** Returns a row with signed amounts as text. Undefined before the replica has the payment. */
function showMovement(row: Movement) {
  const id = `mv-${String(row.serial + 1).padStart(6, '0')}`;
  if (row.kind === 'funding') {
    const { currency, cents, at } = row;
    const amount = { value: format(cents), currency };
    return { id, kind: 'funding', state: 'completed', amount, payment: null, note: null, at };
  }
  const payment = row.payment.readReplica();
  if (!payment) return undefined;
  const { order, status: state, createdAt: at } = payment;
  const amount = { value: format(-order.cents), currency: order.fromCurrency };
  return { id, kind: 'payout', state, amount, payment: { id: payment.id }, note: order.purpose, at };
}

function format(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

api.get('/transactions', (context) => {
  const { per_page, cursor, status, type } = parse(listQuery, context.req.query());
  const before = cursor === undefined ? Infinity : Number(cursor.slice(2));
  const rows = (context.get('ledger').movements.readReplica() ?? [])
    .filter(({ serial }) => serial < before)
    .toReversed()
    .map((row) => ({ serial: row.serial, shown: showMovement(row) }))
    .filter(
      ({ shown }) => shown && (status ?? shown.state) === shown.state && (type ?? shown.kind) === shown.kind,
    );
  const page = rows.slice(0, per_page);
  const hasMore = rows.length > page.length;
  const next_cursor = hasMore ? `c_${page.at(-1)?.serial}` : null;
  return ok(context, { entries: page.map(({ shown }) => shown), next_cursor, has_more: hasMore });
});

// Hono copies the routes, so that this call must follow them.
app.route('/api/v1', api);

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address: AddressInfo) => {
  const body = { from_currency: 'USD', to_currency: 'EUR', amount: 20, beneficiary_name: 'Jetty Goods' };
  const order = toOrder(body);
  const foreign = ledgers.get(OTHER_KEY)?.create(order, price('USD', 'EUR', order.cents));
  printAddress({
    baseUrl: `http://127.0.0.1:${address.port}/api/v1`,
    apiKey: OWN_KEY,
    webhookSecret: SECRET,
    foreignPayment: foreign?.id ?? '',
  });
});
server.on('error', (error) => {
  throw error;
});
