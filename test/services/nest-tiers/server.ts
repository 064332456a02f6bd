// A payments service in the style of a NestJS API: messages of class-validator, camelCase, fees by bands, pages by `Link`.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { printAddress, readProgramOptions } from '../program.ts';
import { type Account, Bank, currencies, type Entry, type Payment, price, type Price } from './bank.ts';

const PREFIX = '/api/v1';
const SECRET = 'whsec_harbor_7c2e9d';
const { port, webhookUrl, speed } = readProgramOptions();
const bank = new Bank({ speed, secret: SECRET });
const open = (apiKey: string, url?: string): Account => ({
  apiKey,
  webhookUrl: url,
  balances: new Map(),
  held: new Map(),
  entries: [],
});
const own = open('service_test_harbor_51f0c2aa97d34e', webhookUrl);
const other = open('service_test_pier_0d9b77aa31c24f');
for (const account of [own, other])
  for (const currency of ['USD', 'EUR', 'GBP']) bank.deposit(account, currency, 120_000_00);

class HttpException extends Error {
  readonly status: number;
  readonly type: string;
  readonly messages: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    type: string,
    message: string,
    more: { messages?: readonly string[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    [this.status, this.type, this.messages, this.headers] = [status, type, more.messages, more.headers ?? {}];
  }
}

const errors: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  422: 'Unprocessable Entity',
};

type Input = Readonly<Record<string, unknown>>;

/** Returns the messages of class-validator, with `forbidNonWhitelisted`. */
function validate(input: Input, isPayment: boolean): string[] {
  const known = ['from_currency', 'to_currency', 'amount'];
  if (isPayment)
    known.push(...['name', 'bank', 'account', 'country'].map((name) => `beneficiary_${name}`), 'purpose');
  const messages = Object.keys(input)
    .filter((name) => !known.includes(name))
    .map((name) => `property ${name} should not exist`);
  for (const name of ['from_currency', 'to_currency']) {
    if (typeof input[name] !== 'string') messages.push(`${name} must be a string`);
    else if (!currencies.includes(input[name].toUpperCase()))
      messages.push(`${name} must be one of the following values: ${currencies.join(', ')}`);
  }
  const [from, to] = [input.from_currency, input.to_currency].map((code) => String(code).toUpperCase());
  if (messages.length === 0 && from === to) messages.push('to_currency must differ from from_currency');
  const { beneficiary_name, purpose } = input;
  // Amounts may be text, and more decimal places are rounded.
  const amount = ['number', 'string'].includes(typeof input.amount) ? Number(input.amount) : Number.NaN;
  if (Number.isNaN(amount)) messages.push('amount must be a number conforming to the specified constraints');
  else if (amount < 1) messages.push('amount must not be less than 1');
  else if (amount > 1_000_000) messages.push('amount must not be greater than 1000000');
  if (isPayment && typeof beneficiary_name !== 'string') messages.push('beneficiary_name must be a string');
  else if (isPayment && beneficiary_name === '') messages.push('beneficiary_name should not be empty');
  if (purpose !== undefined && typeof purpose !== 'string') messages.push('purpose must be a string');
  else if (purpose !== undefined && purpose.length > 80)
    messages.push('purpose must be shorter than or equal to 80 characters');
  return messages;
}

function parse(
  request: IncomingMessage,
  body: string,
  isPayment: boolean,
): Price & { readonly input: Input } {
  if (!String(request.headers['content-type']).includes('json'))
    throw new HttpException(422, 'validation_error', 'Unprocessable Entity', {
      messages: ['body must be an object'],
    });
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    throw new HttpException(400, 'validation_error', 'Unexpected token in JSON');
  }
  const messages = validate((Array.isArray(input) ? {} : input) as Input, isPayment);
  if (messages.length > 0)
    throw new HttpException(422, 'validation_error', 'Unprocessable Entity', { messages });
  const { from_currency, to_currency, amount } = input as Input;
  const priced = price(
    String(from_currency).toUpperCase(),
    String(to_currency).toUpperCase(),
    Math.round(Number(amount) * 100),
  );
  return { ...priced, input: input as Input };
}

const toQuote = ({ from, to, sent, fee, rate, received }: Price) => ({
  from_currency: from,
  to_currency: to,
  send_amount: sent / 100,
  fee: fee / 100,
  rate,
  receive_amount: received / 100,
});

const toPayment = (payment: Payment) => ({
  id: payment.id,
  status: payment.status,
  ...toQuote(payment),
  totalDebit: (payment.sent + payment.fee) / 100,
  beneficiary: {
    name: payment.name,
    bank: payment.bank,
    account: payment.iban,
    country: payment.country,
  },
  purpose: payment.purpose,
  created_at: payment.createdAt.toISOString(),
  updatedAt: payment.updatedAt.toISOString(),
});

const states: Readonly<Record<string, string>> = {
  processing: 'OPEN',
  completed: 'SETTLED',
  failed: 'RETURNED',
};

const toRow = ({ id, kind, amountMinor, currency, payment, createdAt }: Entry) => ({
  id: `txn_${String(id).padStart(6, '0')}`,
  kind,
  state: payment === undefined || kind !== 'PAYOUT' ? 'SETTLED' : (states[payment.status] ?? 'OPEN'),
  amountMinor,
  currency,
  paymentId: payment?.id ?? null,
  narrative: payment?.purpose ?? null,
  createdAt: createdAt.toISOString(),
});

interface Reply {
  readonly status: number;
  readonly data: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function list(url: URL, host: string): Reply {
  const read = (name: string, usual: number): number => {
    const value = url.searchParams.get(name) ?? '';
    return /^[1-9]\d*$/.test(value) ? Number(value) : usual;
  };
  const [page, size] = [read('page', 1), Math.min(read('per_page', 20), 100)];
  const status = url.searchParams.get('status');
  const rows = own.entries
    .map(toRow)
    .toReversed()
    .filter(({ state }) => status === null || (states[status] ?? '-') === state);
  const last = Math.max(1, Math.ceil(rows.length / size));
  if (page > last) throw new HttpException(404, 'not_found', 'Page not found');
  const link = (number: number, relation: string): string[] => {
    const target = new URL(url.pathname + url.search, `http://${host}`);
    target.searchParams.set('page', String(number));
    return number < 1 || number > last ? [] : [`<${target.href}>; rel="${relation}"`];
  };
  const links = [
    ...link(1, 'first'),
    ...link(page - 1, 'prev'),
    ...link(page + 1, 'next'),
    ...link(last, 'last'),
  ];
  return {
    status: 200,
    data: rows.slice((page - 1) * size, page * size),
    headers: { link: links.join(', '), 'x-total-count': String(rows.length) },
  };
}

const keys = new Set<string>();

function create(request: IncomingMessage, body: string): Reply {
  const { input, ...priced } = parse(request, body, true);
  const key = request.headers['idempotency-key'];
  if (key !== undefined && keys.has(String(key)))
    throw new HttpException(
      409,
      'idempotency_error',
      'A request with this Idempotency-Key was already received.',
    );
  const read = (name: string): string | undefined => input[name] as string | undefined;
  const payment = bank.pay({
    ...priced,
    account: own,
    name: String(input.beneficiary_name),
    bank: read('beneficiary_bank'),
    iban: read('beneficiary_account'),
    country: read('beneficiary_country'),
    purpose: read('purpose'),
  });
  if (payment === undefined)
    throw new HttpException(422, 'insufficient_funds', `Not enough ${priced.from} in the wallet.`);
  if (key !== undefined) keys.add(String(key));
  return { status: 202, data: toPayment(payment), headers: { location: `${PREFIX}/payments/${payment.id}` } };
}

const methods: Readonly<Record<string, string>> = {
  '/quotes': 'POST',
  '/payments': 'POST',
  '/balance': 'GET',
  '/transactions': 'GET',
};

async function handle(request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  // Express routes ignore a slash at the end.
  const path = url.pathname.slice(PREFIX.length).replace(/\/$/, '');
  const body = await text(request);
  const method = methods[path] ?? (/^\/payments\/[^/]+$/.test(path) ? 'GET' : undefined);
  if (method === undefined)
    throw new HttpException(404, 'not_found', `Cannot ${request.method} ${url.pathname}`);
  if (request.headers.authorization !== `Bearer ${own.apiKey}` && request.headers['x-api-key'] !== own.apiKey)
    throw new HttpException(401, 'authentication_error', 'Unauthorized', {
      headers: { 'www-authenticate': 'Bearer realm="harbor"' },
    });
  if (request.method !== method)
    throw new HttpException(405, 'method_not_allowed', `Cannot ${request.method} ${url.pathname}`);
  if (path === '/quotes') {
    const quote = toQuote(parse(request, body, false));
    const expiresAt = new Date(Date.now() + 900_000).toISOString();
    return { status: 201, data: { ...quote, quoteId: randomUUID(), expiresAt } };
  }
  if (path === '/payments') return create(request, body);
  if (path === '/transactions') return list(url, request.headers.host ?? 'localhost');
  if (path === '/balance') {
    const balances = [...own.balances].map(([currency, cents]) => ({
      currency,
      balance: cents / 100,
      available: (cents - (own.held.get(currency) ?? 0)) / 100,
    }));
    return { status: 200, data: { balances } };
  }
  const payment = bank.payments.get(path.slice('/payments/'.length));
  if (payment?.account !== own) throw new HttpException(404, 'not_found', 'Payment not found');
  return { status: 200, data: toPayment(payment) };
}

const server = createServer((request, response) => {
  const requestId = randomUUID();
  const timestamp = new Date().toISOString();
  const write = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void =>
    void response
      .writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'x-powered-by': 'Express',
        'x-request-id': requestId,
        ...headers,
      })
      .end(JSON.stringify(body));
  handle(request).then(
    ({ status, data, headers }) =>
      write(status, { success: true, mode: 'test', data, meta: { requestId, timestamp } }, headers),
    (thrown: unknown) => {
      const error =
        thrown instanceof HttpException ? thrown : new HttpException(500, 'server_error', String(thrown));
      const { status, type, message, messages, headers } = error;
      const body = {
        success: false,
        mode: 'test',
        statusCode: status,
        error: { type, message, name: errors[status] ?? 'Internal Server Error' },
        ...(messages && { message: messages }),
        path: request.url,
        timestamp,
      };
      write(status, body, headers);
    },
  );
});
server.listen(port, '127.0.0.1', () => {
  const foreign = bank.pay({
    ...price('USD', 'EUR', 12_00),
    account: other,
    name: 'Pier Ltd',
    bank: undefined,
    iban: undefined,
    country: undefined,
    purpose: undefined,
  });
  printAddress({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    apiKey: own.apiKey,
    webhookSecret: SECRET,
    foreignPayment: foreign?.id ?? '',
  });
});
