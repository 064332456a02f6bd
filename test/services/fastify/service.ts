import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { addFaults, type Faults } from './faults.ts';
import { findRate, Ledger, type LedgerOptions, type PaymentRow, price } from './ledger.ts';
import {
  type Instruction,
  type ListQuery,
  listSchema,
  paymentSchema,
  type Priced,
  quoteSchema,
  type Sum,
  toDrfPage,
  toFastapiPage,
  toJson,
  toPayment,
  toQuote,
} from './representations.ts';

const API_KEY = 'service_test_fastify_0123456789abcdef';
const defaultOptions: Required<Omit<ServiceOptions, 'webhook' | 'onRequest'>> = {
  now: Date.now,
  steps: [400, 1200],
  retryDelays: [1000, 3000],
  duplicates: false,
  readLag: 2000,
  listStyle: 'drf',
  idempotency: 'ignored',
};

export interface ServiceOptions extends Partial<LedgerOptions> {
  /**
   * Milliseconds until reads of payments and transactions show a write.
   *
   * @default 2000
   */
  readonly readLag?: number;
  /**
   * `drf`: small integer ids, `count/next/previous/results`, amounts in cents. `fastapi`: ids from 2^53 on,
   * `items/total/page/pages/size`, amounts as strings.
   *
   * @default 'drf'
   */
  readonly listStyle?: 'drf' | 'fastapi';
  /**
   * The response to a second request with the same `Idempotency-Key`.
   *
   * @default 'ignored'
   */
  readonly idempotency?: 'replayed' | 'conflict' | 'ignored';
  /** Called at the start of each request, before the jobs that are due. */
  readonly onRequest?: (operation: string) => void;
}

export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly readLag: number;
  /** The tables, without read lag. */
  readonly ledger: Ledger;
  /** Every request that reached a route, oldest first. */
  readonly requests: { readonly operation: string; readonly idempotencyKey: string | undefined }[];
  readonly faults: Faults;
  stop(): Promise<void>;
}

class ApiError extends Error {
  readonly status: number;
  readonly body: { readonly type: string; readonly message: string; readonly errors?: readonly object[] };
  constructor(status: number, body: ApiError['body']) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

function invalid(field: string, message: string): ApiError {
  const errors = [{ field, message }];
  return new ApiError(422, { type: 'validation_error', message: 'Validation failed', errors });
}

function quote({ from_currency: from, to_currency: to, amount }: Sum): Priced {
  const rate = findRate(from, to);
  if (rate === undefined) {
    throw invalid(findRate(from, from) ? 'to_currency' : 'from_currency', 'Unsupported currency');
  }
  const sendCents = Math.round(amount * 100);
  if (Math.abs(amount * 100 - sendCents) > 1e-6) throw invalid('amount', 'At most 2 decimal places');
  return { sendCents, rate, ...price(sendCents, rate) };
}

function createPayment(ledger: Ledger, body: Instruction): PaymentRow {
  const quoted = quote(body);
  if (ledger.available(body.from_currency) < quoted.sendCents + quoted.feeCents) {
    throw new ApiError(422, { type: 'insufficient_funds', message: 'Insufficient funds' });
  }
  return ledger.insertPayment({
    ...quoted,
    fromCurrency: body.from_currency,
    toCurrency: body.to_currency,
    beneficiary: {
      name: body.beneficiary_name,
      bank: body.beneficiary_bank ?? null,
      account: body.beneficiary_account ?? null,
      country: body.beneficiary_country ?? null,
    },
    purpose: body.purpose ?? null,
  });
}

/** Creates a payment, or applies the policy to a repeated `Idempotency-Key`. Keys never expire. */
function createOnce(
  ledger: Ledger,
  body: Instruction,
  { key, policy }: { key: string | undefined; policy: string },
): PaymentRow {
  const earlier = key !== undefined && policy !== 'ignored' ? ledger.savedCreates.get(key) : undefined;
  if (earlier && (policy === 'conflict' || earlier.body !== JSON.stringify(body))) {
    throw new ApiError(409, { type: 'idempotency_conflict', message: 'Idempotency-Key was already used' });
  }
  const payment = earlier?.payment ?? createPayment(ledger, body);
  if (key !== undefined) ledger.savedCreates.set(key, { body: JSON.stringify(body), payment });
  return payment;
}

/** Adds the error bodies of the API. Unknown paths and invalid JSON have Fastify's error bodies. */
function addErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, _, reply) => {
    const [issue] = error.validation ?? [];
    const known = issue ? invalid(toField(issue), issue.message ?? 'is invalid') : error;
    if (!(known instanceof ApiError)) return reply.send(error);
    const head = { success: false, ...(known.status !== 401 && { mode: 'test' }) };
    return reply.code(known.status).send({ ...head, error: known.body });
  });
}

function toField({ instancePath, params }: FastifySchemaValidationError): string {
  return instancePath.slice(1) || String(params['missingProperty']);
}

function addAuthentication(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const key = headers.authorization?.replace(/^Bearer /i, '') ?? headers['x-api-key'];
    if (key === API_KEY) return;
    throw new ApiError(401, { type: 'authentication_error', message: 'Invalid API key' });
  });
}

function addRoutes(
  app: FastifyInstance,
  ledger: Ledger,
  { now, readLag, idempotency, listStyle }: typeof defaultOptions,
): void {
  app.post<{ Body: Sum }>('/api/v1/quotes', { schema: { body: quoteSchema } }, async ({ body }) =>
    toQuote(body, quote(body)),
  );

  app.post<{ Body: Instruction; Headers: { 'idempotency-key'?: string } }>(
    '/api/v1/payments',
    { schema: { body: paymentSchema } },
    async ({ body, headers }, reply) => {
      const payment = createOnce(ledger, body, { key: headers['idempotency-key'], policy: idempotency });
      reply.code(201);
      return toPayment(payment);
    },
  );

  app.get<{ Params: { id: string } }>('/api/v1/payments/:id', async ({ params }) => {
    const payment = ledger.payments.find((row) => row.id === params.id);
    const visible = payment?.history.findLast((change) => change.at <= now() - readLag);
    if (!payment || !visible) throw new ApiError(404, { type: 'not_found', message: 'Payment not found' });
    return toPayment(payment, visible.status);
  });

  app.get('/api/v1/balance', async () => {
    const currencies = [...new Set(ledger.entries.map((row) => row.currency))];
    return {
      balances: currencies.map((currency) => ({ currency, balance: ledger.balance(currency) / 100 })),
    };
  });

  app.get<{ Querystring: ListQuery }>(
    '/api/v1/transactions',
    { schema: { querystring: listSchema } },
    async (request) => {
      const { query } = request;
      const rows = ledger.entries
        .filter((row) => row.at <= now() - readLag && (query.type ?? row.type) === row.type)
        .filter(() => (query.status ?? 'posted') === 'posted')
        .toReversed();
      if (listStyle === 'fastapi') return toFastapiPage(rows, query);
      const page = toDrfPage(rows, query, new URL(request.url, `http://${request.host}`));
      if (!page) throw new ApiError(404, { type: 'not_found', message: 'Invalid page.' });
      return page;
    },
  );
}

/** Starts the service on a free port of the loopback interface. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const settings = { ...defaultOptions, ...options };
  const ledger = new Ledger(settings);
  const requests: Service['requests'][number][] = [];
  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async ({ method, routeOptions, headers }) => {
    const key = headers['idempotency-key'];
    const operation = `${method} ${routeOptions.url}`;
    requests.push({ operation, idempotencyKey: key && String(key) });
    options.onRequest?.(operation);
    ledger.runJobs();
  });
  addErrors(app);
  addAuthentication(app);
  const faults = addFaults(app);
  app.addHook('preSerialization', async (_, reply, data) =>
    reply.statusCode < 400 ? { success: true, mode: 'test', data } : data,
  );
  app.setReplySerializer(toJson);
  addRoutes(app, ledger, settings);
  const baseUrl = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const stop = async (): Promise<void> => {
    ledger.stop();
    await app.close();
  };
  return { baseUrl, apiKey: API_KEY, readLag: settings.readLag, ledger, requests, faults, stop };
}
