// A payments service in the style of a Laravel API: resource pages, validation messages by field, one row per payment.
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createRandom } from '../../support/random.ts';
import { printAddress, readProgramOptions } from '../program.ts';
import { type Account, Bank, type Payment } from './bank.ts';
import { parseCents, price } from './money.ts';
import { toPage, toPayment, toQuote } from './resources.ts';
import {
  clean,
  listRules,
  type Messages,
  paymentRules,
  quoteRules,
  summarize,
  validate,
} from './validation.ts';

const PREFIX = '/api/v1';
const SECRET = 'whsec_northgate_5d1f0c9a7b';
const yesterday = new Date(Date.now() - 86_400_000);

const { port, webhookUrl, speed, seed } = readProgramOptions();
const webhook = webhookUrl === undefined ? undefined : { url: webhookUrl, secret: SECRET };
const bank = new Bank({ random: createRandom(seed), speed });
const accounts: readonly [Account, Account] = [
  { id: 1, apiKey: 'service_test_northgate_1f9c2b7d61a04e5b', balances: new Map(), webhook },
  { id: 2, apiKey: 'service_test_southgate_83be1027cc9d4f60', balances: new Map(), webhook: undefined },
];
for (const account of accounts) {
  bank.topUp(account, 'USD', 250_000_00n, yesterday);
  bank.topUp(account, 'EUR', 80_000_00n, yesterday);
  bank.topUp(account, 'GBP', 5_000_00n, yesterday);
}
const savedCreates = new Map<string, { readonly body: string; readonly payment: Payment }>();

class HttpError extends Error {
  readonly status: number;
  readonly type: string;
  readonly errors: Messages | undefined;

  constructor(status: number, type: string, message: string, errors?: Messages) {
    super(message);
    this.status = status;
    this.type = type;
    this.errors = errors;
  }
}

const app = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
app.decorateRequest('account');
declare module 'fastify' {
  interface FastifyRequest {
    account?: Account;
  }
}

// PHP leaves a body that it cannot parse empty, so that validation reports every required field.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
  const isJson = String(request.headers['content-type']).includes('json');
  try {
    done(null, isJson ? JSON.parse(String(body)) : {});
  } catch {
    done(null, {});
  }
});

app.addHook('onSend', async (_, reply) => {
  reply.header('cache-control', 'no-cache, private');
  reply.header('content-type', 'application/json');
  if (reply.request.account)
    reply.header('x-ratelimit-limit', '6000').header('x-ratelimit-remaining', '5999');
});

app.setErrorHandler((thrown: Error, request, reply) => {
  const error = thrown instanceof HttpError ? thrown : new HttpError(500, 'server_error', 'Server Error');
  return reply.code(error.status).send({
    success: false,
    ...(request.account && { mode: 'test' }),
    message: error.message,
    error: { type: error.type, message: error.message },
    ...(error.errors && { errors: error.errors }),
  });
});

const allowed: Readonly<Record<string, string>> = {
  '/quotes': 'POST',
  '/payments': 'POST',
  '/balance': 'GET, HEAD',
  '/transactions': 'GET, HEAD',
};
app.setNotFoundHandler((request, reply) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  const methods = allowed[path.slice(PREFIX.length)];
  const route = path.slice(1);
  if (methods === undefined) throw new HttpError(404, 'not_found', `The route ${route} could not be found.`);
  reply.header('allow', methods);
  const supported = `Supported methods: ${methods}.`;
  const message = `The ${request.method} method is not supported for route ${route}. ${supported}`;
  throw new HttpError(405, 'method_not_allowed', message);
});

async function authenticate(request: FastifyRequest): Promise<void> {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const key = bearer ?? request.headers['x-api-key'];
  const account = accounts.find(({ apiKey }) => apiKey === key);
  if (!account) throw new HttpError(401, 'authentication_error', 'Unauthenticated.');
  request.account = account;
}

function check(input: Readonly<Record<string, unknown>>, rules: Parameters<typeof validate>[1]): void {
  const messages = validate(input, rules);
  if (messages) throw new HttpError(422, 'validation_error', summarize(messages), messages);
}

function quote(input: Readonly<Record<string, unknown>>) {
  const [from, to] = [String(input.from_currency), String(input.to_currency)];
  return { from, to, price: price(parseCents(String(input.amount)) ?? 0n, from, to) };
}

function createPayment(request: FastifyRequest, reply: FastifyReply): object {
  const input = clean(request.body);
  check(input, paymentRules);
  const key = request.headers['idempotency-key'];
  const body = JSON.stringify(input);
  const saved = savedCreates.get(String(key));
  if (saved && saved.body !== body) {
    const message = 'The idempotency key was already used with other parameters.';
    throw new HttpError(422, 'validation_error', message, { idempotency_key: [message] });
  }
  if (saved) reply.header('idempotency-replayed', 'true');
  const payment = saved?.payment ?? pay(input, request.account);
  if (key !== undefined) savedCreates.set(String(key), { body, payment });
  reply.code(201).header('location', `http://${request.host}${PREFIX}/payments/${payment.id}`);
  return { success: true, mode: 'test', data: toPayment(payment) };
}

function pay(input: Readonly<Record<string, unknown>>, account = accounts[0]): Payment {
  const { from, to, price: values } = quote(input);
  const text = (name: string): string | null => (input[name] as string | undefined) ?? null;
  const payment = bank.pay({
    ...values,
    account,
    fromCurrency: from,
    toCurrency: to,
    beneficiary: {
      name: text('beneficiary_name'),
      bank: text('beneficiary_bank'),
      account: text('beneficiary_account'),
      country: text('beneficiary_country'),
    },
    purpose: text('purpose'),
  });
  if (!payment) throw new HttpError(422, 'insufficient_funds', `Insufficient ${from} balance.`);
  return payment;
}

await app.register(
  async (api) => {
    api.addHook('onRequest', authenticate);

    api.post('/quotes', async (request) => {
      const input = clean(request.body);
      check(input, quoteRules);
      const { from, to, price: values } = quote(input);
      return { success: true, mode: 'test', data: toQuote(values, from, to) };
    });

    api.post('/payments', async (request, reply) => createPayment(request, reply));

    api.get<{ Params: { id: string } }>('/payments/:id', async ({ params, account }) => {
      const payment = bank.payments.find((row) => row.id === params.id && row.account === account);
      if (!payment) throw new HttpError(404, 'not_found', `No query results for payment ${params.id}.`);
      return { success: true, mode: 'test', data: toPayment(payment) };
    });

    api.get('/balance', async ({ account }) => {
      const balances = [...(account?.balances ?? [])].map(([currency, cents]) => ({
        currency,
        balance: Number(cents) / 100,
      }));
      return { success: true, mode: 'test', data: { balances } };
    });

    api.get('/transactions', async (request) => {
      const query = clean(request.query);
      check(query, listRules);
      const { page = 1, per_page: perPage = 20, status, type } = query;
      const rows = bank.transactions.filter((row) => {
        const owner = 'topUp' in row ? row.topUp.account : row.payment.account;
        const rowStatus = 'topUp' in row ? 'completed' : row.payment.status;
        const rowType = 'topUp' in row ? 'top_up' : 'supplier_payment';
        return (
          owner === request.account && (status ?? rowStatus) === rowStatus && (type ?? rowType) === rowType
        );
      });
      const url = new URL(request.url, `http://${request.host}`);
      const options = { page: Number(page), perPage: Number(perPage), url };
      return { success: true, mode: 'test', ...toPage(rows.toReversed(), options) };
    });
  },
  { prefix: PREFIX },
);

const foreign = pay(
  { from_currency: 'USD', to_currency: 'EUR', amount: '12.00', beneficiary_name: 'Southgate Supplies' },
  accounts[1],
);
printAddress({
  baseUrl: `${await app.listen({ host: '127.0.0.1', port })}${PREFIX}`,
  apiKey: accounts[0].apiKey,
  webhookSecret: SECRET,
  foreignPayment: foreign.id,
});
