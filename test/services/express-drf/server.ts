// A payments service in the style of Django REST framework: pages with `results`, `detail` for unknown paths, and one row
// for each movement of money, in cents.
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createRandom } from '../../support/random.ts';
import { printAddress, readProgramOptions } from '../program.ts';
import { toFloat } from './decimals.ts';
import { balanceOf, Payments, type Wallets } from './models.ts';
import { currencies, quoteCents } from './pricing.ts';
import { type Issue, readPayment, readQuote } from './serializers.ts';
import { showPage, showPayment, showQuote } from './views.ts';

const SECRET = 'whsec_ridgeway_77ab01';
const options = readProgramOptions();
const payments = new Payments({ random: createRandom(options.seed), speed: options.speed });

function openWallets(endpoint?: Wallets['endpoint']): Wallets {
  const wallets: Wallets = { movements: [], endpoint };
  payments.deposit(wallets, 'USD', 40_000_00n);
  payments.deposit(wallets, 'EUR', 12_500_50n);
  payments.deposit(wallets, 'GBP', 800_00n);
  return wallets;
}

const { webhookUrl } = options;
const API_KEY = 'service_test_ridgeway_0a1b2c3d4e5f60718293';
const users = new Map<string, Wallets>([
  [API_KEY, openWallets(webhookUrl === undefined ? undefined : { url: webhookUrl, secret: SECRET })],
  ['service_test_fellside_99887766554433221100', openWallets()],
]);

class ApiException extends Error {
  readonly status: number;
  readonly type: string;
  readonly issues: readonly Issue[] | undefined;

  constructor(status: number, type: string, message: string, issues?: readonly Issue[]) {
    super(message);
    this.status = status;
    this.type = type;
    this.issues = issues;
  }
}

function check(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ApiException(422, 'validation_error', 'Request validation failed', issues);
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
const api = express.Router();
app.use('/api/v1', api);

interface Locals {
  wallets: Wallets;
}
type View = (request: Request, response: Response<unknown, Locals>) => void;

function authenticate(request: Request, response: Response<unknown, Locals>, next: NextFunction): void {
  const token = request.get('authorization')?.replace(/^bearer /i, '');
  const wallets = users.get(token ?? '') ?? users.get(request.get('x-api-key') ?? '');
  if (!wallets) throw new ApiException(401, 'authentication_error', 'Invalid or missing API key.');
  response.locals.wallets = wallets;
  next();
}

/** Registers the views of a path. Other methods respond with 405. */
function route(path: string, views: Partial<Record<'get' | 'post', View>>): void {
  const methods = Object.keys(views).map((method) => method.toUpperCase());
  const parse = express.json({ type: '*/*', strict: false });
  const entry = api.route(path);
  if (views.get) entry.get(authenticate, views.get);
  if (views.post) entry.post(authenticate, parse, views.post);
  entry.all(authenticate, (request, response) => {
    response.set('Allow', [...methods, 'OPTIONS'].join(', '));
    response.status(405).json({ detail: `Method "${request.method}" not allowed.` });
  });
}

function requireJson(request: Request): void {
  if (request.is('json')) return;
  const issue = {
    loc: ['body'],
    msg: 'Input should be a valid dictionary or object',
    type: 'model_attributes_type',
  };
  check([issue]);
}

route('/quotes', {
  post: (request, response) => {
    requireJson(request);
    const { input, issues } = readQuote(request.body);
    check(issues);
    const pricing = quoteCents(input.amount, input.fromCurrency, input.toCurrency);
    if (!pricing) throw new ApiException(422, 'unsupported_pair', 'This currency pair is not supported.');
    response.json({ success: true, mode: 'test', data: showQuote(input, pricing) });
  },
});

route('/payments', {
  post: (request, response) => {
    requireJson(request);
    const { input, issues } = readPayment(request.body);
    check(issues);
    const pricing = quoteCents(input.amount, input.fromCurrency, input.toCurrency);
    if (!pricing) throw new ApiException(422, 'unsupported_pair', 'This currency pair is not supported.');
    const { wallets } = response.locals;
    if (balanceOf(wallets, input.fromCurrency) < input.amount + pricing.fee) {
      throw new ApiException(422, 'insufficient_funds', 'The wallet balance is too low for this payment.');
    }
    const payment = payments.create(wallets, { ...input, ...pricing });
    response.json({ success: true, mode: 'test', data: showPayment(payment) });
  },
});

route('/payments/:id', {
  get: (request, response) => {
    const payment = payments.find(String(request.params['id']));
    if (!payment) throw new ApiException(404, 'not_found', 'No payment matches the given id.');
    if (payment.wallets !== response.locals.wallets) {
      throw new ApiException(403, 'permission_denied', 'You do not have permission to perform this action.');
    }
    response.json({ success: true, mode: 'test', data: showPayment(payment) });
  },
});

route('/balance', {
  get: (_, response) => {
    const { wallets } = response.locals;
    const used = currencies.filter((code) => wallets.movements.some((row) => row.currency === code));
    const balances = used.map((currency) => ({ currency, balance: toFloat(balanceOf(wallets, currency)) }));
    response.json({ success: true, mode: 'test', data: { balances } });
  },
});

route('/transactions', {
  get: (request, response) => {
    const { page = '1', per_page: perPage = '20', status, type } = request.query as Record<string, string>;
    const rows = response.locals.wallets.movements
      .filter((row) => (type ?? row.kind) === row.kind && (status ?? 'posted') === 'posted')
      .toReversed();
    const limit = Number(perPage);
    const size = Number.isInteger(limit) && limit > 0 ? Math.min(limit, 100) : 20;
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get('host')}`);
    const data = /^[1-9]\d*$/.test(page) ? showPage(rows, { page: Number(page), size, url }) : undefined;
    if (!data) response.status(404).json({ detail: 'Invalid page.' });
    else response.json({ success: true, mode: 'test', data });
  },
});

app.use((_, response) => {
  response.status(404).json({ detail: 'Not found.' });
});

app.use((thrown: unknown, _request: Request, response: Response<unknown, Locals>, _next: NextFunction) => {
  const isMalformed = thrown instanceof SyntaxError;
  const issue = { loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' };
  const error = isMalformed
    ? new ApiException(422, 'validation_error', 'Request validation failed', [issue])
    : thrown instanceof ApiException
      ? thrown
      : new ApiException(500, 'internal_error', 'Internal server error');
  if (error.status === 401) response.set('WWW-Authenticate', 'Bearer realm="api"');
  response.status(error.status).json({
    success: false,
    ...(error.status !== 401 && { mode: 'test' }),
    error: { type: error.type, message: error.message, ...(error.issues && { errors: error.issues }) },
  });
});

const server = app.listen(options.port, '127.0.0.1', () => {
  const [, other] = users.values();
  const pricing = quoteCents(15_00n, 'USD', 'EUR')!;
  const order = {
    fromCurrency: 'USD',
    toCurrency: 'EUR',
    amount: 15_00n,
    beneficiary: { name: 'Fellside Mills' },
  };
  printAddress({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    apiKey: API_KEY,
    webhookSecret: SECRET,
    foreignPayment: payments.create(other!, { ...order, ...pricing }).id,
  });
});
