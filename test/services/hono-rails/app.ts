import { Hono, type Context } from 'hono';
import { ApiError, errorKinds } from './errors.ts';
import { IdempotencyStore } from './idempotency.ts';
import { transactionStatuses, transactionTypes } from './ledger.ts';
import {
  addStandardHeaders,
  authenticate,
  limitRate,
  readBody,
  requireAccount,
  type AppEnvironment,
} from './middleware.ts';
import { formatPayment, type Account, type NewPayment } from './payments.ts';
import { destinationCurrencies, formatQuote, priceTransfer, sourceCurrencies } from './pricing.ts';
import { Validator } from './validation.ts';

type AppContext = Context<AppEnvironment>;

export interface AppOptions {
  readonly accounts: ReadonlyMap<string, Account>;
  /** Factor by which every duration is shorter. */
  readonly speed: number;
}

const BASE_PATH = '/api/v1';

export function createApp({ accounts, speed }: AppOptions): Hono<AppEnvironment> {
  const app = new Hono<AppEnvironment>({ strict: false });
  app.use(addStandardHeaders);
  app.use(`${BASE_PATH}/*`, authenticate(accounts), limitRate(speed));
  addRoutes(app);
  app.notFound((context) => {
    const { method, path } = context.req;
    return respondWithError(context, new ApiError(errorKinds.notFound, `Unknown route: ${method} ${path}`));
  });
  app.onError((error, context) => {
    if (error instanceof ApiError) return respondWithError(context, error);
    process.stderr.write(`${error.stack}\n`);
    return respondWithError(context, new ApiError(errorKinds.internal, 'An unexpected error occurred.'));
  });
  return app;
}

function addRoutes(app: Hono<AppEnvironment>): void {
  app.post(`${BASE_PATH}/quotes`, createQuote);
  app.post(`${BASE_PATH}/payments`, createPaymentHandler());
  app.get(`${BASE_PATH}/payments/:id`, (context) => {
    return respond(context, formatPayment(requireAccount(context).getPayment(context.req.param('id'))));
  });
  app.get(`${BASE_PATH}/balance`, (context) => {
    return respond(context, { balances: requireAccount(context).ledger.balances });
  });
  app.get(`${BASE_PATH}/transactions`, listTransactions);
  const methods = { quotes: 'POST', payments: 'POST', 'payments/:id': 'GET, HEAD', balance: 'GET, HEAD' };
  for (const [path, allow] of Object.entries({ ...methods, transactions: 'GET, HEAD' })) {
    app.all(`${BASE_PATH}/${path}`, (context) => {
      const message = `Method ${context.req.method} is not allowed. Allowed: ${allow}.`;
      throw new ApiError(errorKinds.methodNotAllowed, message, { headers: { Allow: allow } });
    });
  }
}

async function createQuote(context: AppContext): Promise<Response> {
  const { fields } = await readBody(context);
  const validator = new Validator(fields);
  const from = validator.currency('from_currency', sourceCurrencies);
  const to = validator.currency('to_currency', destinationCurrencies);
  const amount = validator.amount('amount', 0.01);
  validator.finish();
  return respond(context, formatQuote(priceTransfer(from, to, amount)));
}

function createPaymentHandler(): (context: AppContext) => Promise<Response> {
  const stores = new WeakMap<Account, IdempotencyStore<Record<string, unknown>>>();
  return async (context) => {
    const account = requireAccount(context);
    const { text, fields } = await readBody(context);
    const store = stores.get(account) ?? new IdempotencyStore();
    stores.set(account, store);
    const key = context.req.header('Idempotency-Key');
    const replay = key ? store.find(key, text) : undefined;
    if (replay) context.header('Idempotency-Replayed', 'true');
    const data = replay ?? formatPayment(account.createPayment(validatePayment(fields)));
    if (key && !replay) store.save(key, text, data);
    context.header('Location', `${BASE_PATH}/payments/${String(data['id'])}`);
    context.status(201);
    return respond(context, data);
  };
}

function validatePayment(fields: Record<string, unknown>): NewPayment {
  const validator = new Validator(fields);
  const from = validator.currency('from_currency', sourceCurrencies);
  const to = validator.currency('to_currency', destinationCurrencies);
  const amount = validator.amount('amount', 1);
  const beneficiary = {
    name: validator.text('beneficiary_name', { isRequired: true, minimum: 2, maximum: 140 }) ?? '',
    bank: validator.text('beneficiary_bank', { maximum: 140 }),
    account: validator.text('beneficiary_account', { maximum: 40 }),
    country: validator.text('beneficiary_country', { maximum: 60 }),
  };
  const purpose = validator.text('purpose', { maximum: 255 });
  validator.finish();
  return { price: priceTransfer(from, to, amount), beneficiary, purpose };
}

function listTransactions(context: AppContext): Response {
  const validator = new Validator(context.req.query());
  const page = validator.integer('page', { minimum: 1, default: 1 });
  const perPage = validator.integer('per_page', { minimum: 1, maximum: 100, default: 20 });
  const status = validator.option('status', transactionStatuses);
  const type = validator.option('type', transactionTypes);
  validator.finish();
  const rows = requireAccount(context).ledger.list({ status, type });
  const totalPages = Math.ceil(rows.length / perPage);
  return respond(context, {
    transactions: rows.slice((page - 1) * perPage, page * perPage),
    meta: {
      current_page: page,
      next_page: page < totalPages ? page + 1 : null,
      prev_page: page > 1 ? page - 1 : null,
      per_page: perPage,
      total_pages: totalPages,
      total_count: rows.length,
    },
  });
}

function respond(context: AppContext, data: Record<string, unknown>): Response {
  return context.json({ success: true, mode: requireAccount(context).mode, data });
}

function respondWithError(
  context: AppContext,
  { status, type, message, details, headers }: ApiError,
): Response {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const mode = context.get('account')?.mode;
  const error = { type, message, ...(details && { details }) };
  return context.json({ success: false, ...(mode && { mode }), error }, status);
}
