// Uses the whole public API of @service/sdk. Compiled with every supported version of TypeScript.
import * as sdk from '@service/sdk';
import { createBalances } from '@service/sdk/balance';
import { createPayments } from '@service/sdk/payments';
import { type Api, createApi } from '@service/sdk/api';
import {
  createPostgresStore,
  type PostgresConnection,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
  postgresIntentMigration,
} from '@service/sdk/intents/postgres';
import {
  createRedisStore,
  type RedisConnection,
  type RedisIntentStoreOptions,
} from '@service/sdk/intents/redis';
import { createQuotes } from '@service/sdk/quotes';
import { createTransactions } from '@service/sdk/transactions';
import * as intents from '@service/sdk/intents';
import { createFileStore, type FileStore, type FileStoreOptions } from '@service/sdk/intents/file';
import { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from '@service/sdk/intents/sqlite';

const baseUrl = 'https://api.example.test/api/v1';

export const fetchOnce: sdk.Fetch = async (url, init: sdk.FetchInit): Promise<sdk.FetchResponse> =>
  new Response(`${init.method} ${url}`);
export const onRequest: sdk.RequestHook = ({ operation, method, url, attempt, headers }) => {
  const facts: sdk.RequestFacts = { operation, method, url, attempt };
  headers.set('x-attempt', String(facts.attempt));
};
export const onResponse: sdk.ResponseHook = async ({ status, duration, requestId, headers }) => {
  const parts: readonly [number, number, string | undefined, string | null] = [
    status,
    duration,
    requestId,
    headers.get('date'),
  ];
  return parts.length;
};
export const onRetry: sdk.RetryHook = ({ error, delay, operation }) => {
  const sent: sdk.Operation = operation;
  return `${sent} ${error.name} ${delay.toFixed(0)}`;
};
export const hooks: sdk.Hooks = { onRequest, onResponse, onRetry };
export const logger: sdk.Logger = {
  error: (message, fields) => [message, fields],
  warn: () => {},
  info: () => {},
  debug: () => {},
};
export const logLevel: sdk.LogLevel = 'info';
export const headers: sdk.HeaderFields = { 'User-Agent': 'shop/1.0' };
export const auth: sdk.AuthScheme = 'x-api-key';
export const store: sdk.IntentStore = sdk.createMemoryStore();
export const files: sdk.IntentStore = {
  fingerprintKey: undefined,
  read: async (reference): Promise<sdk.Intent | undefined> =>
    reference === ''
      ? undefined
      : { reference, version: 1, state: 'created', digest: 'd', key: 'k', sends: [], paymentId: undefined },
  swap: async (next, write: sdk.IntentWrite): Promise<sdk.SwapResult> =>
    next.version > write.fromVersion && write.writeId ? 'done' : 'lost',
  list: async function* (filter: sdk.IntentFilter): AsyncGenerator<sdk.Intent> {
    const states: readonly sdk.IntentState[] = filter.states ?? [];
    const intent = states.length > 0 ? await files.read('') : undefined;
    if (intent !== undefined) yield intent;
  },
};
const bodyEncryption: intents.BodyEncryption = { encrypt: (body) => body, decrypt: async (body) => body };
export const payerOptions: intents.PayerOptions = {
  store,
  account: 'acme-eur',
  serviceIdempotency: 'replayed',
  keyRetention: 86_400_000,
  concurrency: 8,
  encryption: bodyEncryption,
};
export async function payAll(client: sdk.Client, body: sdk.PaymentInput): Promise<intents.IntentSummary> {
  const fileOptions: FileStoreOptions = { fingerprintKey: undefined };
  const file: FileStore = await createFileStore('payments.intents', fileOptions);
  const sqliteOptions: SqliteStoreOptions = { busyTimeout: 1_000 };
  const sqlite: SqliteStore = createSqliteStore('payments.db', sqliteOptions);
  const payer: intents.Payer = intents.createPayer(client, { ...payerOptions, store: file });
  const planned: intents.Intent = await payer.plan('order-42', body);
  for await (const update of payer.run({ signal: AbortSignal.timeout(1_000) })) {
    const { conflict }: intents.IntentUpdate = update;
    const known: intents.IntentConflict | undefined = conflict;
    if (known === undefined) continue;
    const decision: intents.IntentDecision = {
      version: planned.version,
      by: 'Ada',
      because: 'checked',
      paymentId: known.paymentId,
    };
    const audit: intents.IntentAudit | undefined = (await payer.resolve('order-42', decision)).audit;
    const account: intents.StoreAccount | undefined = await sqlite.bindAccount?.({
      mode: 'test',
      baseUrl,
      label: audit?.by ?? '',
    });
    const state: intents.IntentState = planned.state;
    const filter: intents.IntentFilter = { states: [state], hasConflicts: true };
    const write: intents.IntentWrite = { fromVersion: 0, writeId: account?.label ?? '' };
    const swapped: intents.SwapResult = await sqlite.swap(planned, write);
    const other: intents.IntentStore = swapped === 'done' ? sqlite : intents.createMemoryStore();
    for await (const { reference } of other.list(filter)) await payer.prepare(reference, body);
  }
  const limits: intents.ReconcileAllOptions = { timeLimit: 1_000, progress: new Map() };
  const found: intents.ReconcileAllResult = await intents.reconcileAll(client, [], limits);
  return found.isComplete ? payer.summary() : Promise.reject(new Error('incomplete'));
}
const pool: PostgresConnection = {
  query: async (text: string, values: string[]) => ({ rows: [text, ...values] }),
};
const postgresOptions: PostgresIntentStoreOptions = { table: 'payment_intents', fingerprintKey: undefined };
export const postgres: Promise<PostgresIntentStore> = createPostgresStore(pool, postgresOptions);
export const planned = async (intent: sdk.Intent): Promise<sdk.Intent> =>
  (await postgres).planIn(pool, intent);
export const migration: string = postgresIntentMigration();
const redisOptions: RedisIntentStoreOptions = { prefix: 'payments:', allowDataLoss: true };
const redisClient: RedisConnection = { sendCommand: async (words: string[]) => words };
export const redis: Promise<sdk.IntentStore> = createRedisStore(redisClient, redisOptions);
export const duplicateGuard: sdk.DuplicateGuard = sdk.createDuplicateGuard(files);
export const bound: Promise<sdk.BindResult> = duplicateGuard.resolve('order-42', 'pay_test_1');
export const codeOf = ({ code }: sdk.Warning): sdk.WarningCode => code;

const issue: sdk.SchemaIssue = { message: 'unexpected value', path: ['data', { key: 0 }] };
export const schema: sdk.StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'mine',
    validate: async (value): Promise<sdk.SchemaResult> => (value === null ? { issues: [issue] } : {}),
  },
};
export const responseSchemas: sdk.ResponseSchemas = { createPayment: schema, getBalance: undefined };

export const options: sdk.ClientOptions = {
  apiKey: async () => 'service_test_1',
  auth,
  baseUrl,
  fetch: fetchOnce,
  timeout: 5_000,
  totalTimeout: 20_000,
  maxRetries: 0,
  idempotencyKeys: 'send',
  serviceIdempotency: 'replayed',
  keyRetention: 86_400_000,
  maxDecimals: 3,
  readLag: 30_000,
  transactionReader: { templates: ['pagination'] } satisfies sdk.TransactionReader,
  duplicateGuard,
  ...hooks,
  responseValidation: 'warn',
  responseSchemas,
  logger,
  logLevel,
  headers,
  allowBrowser: true,
  allowInsecureHttp: false,
  onWarning: ({ code, message }: sdk.Warning) => void [code, message],
};
// Options accept undefined with `exactOptionalPropertyTypes`.
export const withUndefined = (apiKey: string | undefined): sdk.Client =>
  sdk.createClient({ apiKey, baseUrl: undefined, timeout: undefined, onRetry: undefined });

export const testing: sdk.Client<'test'> = sdk.createClient({ apiKey: 'service_test_1', baseUrl });
export const live: sdk.Client<'live'> = sdk.createClient({
  apiKey: async () => 'service_live_1' as const,
  baseUrl,
});
export const either: sdk.Client = sdk.createClient();
// @ts-expect-error a client of test mode is not a client of live mode
export const wrongMode: sdk.Client<'live'> = testing;
// @ts-expect-error the option is baseUrl
export const misspelled = sdk.createClient({ apiKey: 'service_test_1', baseURL: baseUrl });
export const modes: readonly [sdk.ModeOf<sdk.TestKey>, sdk.ModeOf<sdk.LiveKey>, sdk.Mode] = [
  'test',
  'live',
  'test',
];
export const source: sdk.ApiKeySource = (): string => 'service_test_1';

export const subpaths = {
  quotes: createQuotes({ apiKey: 'service_test_1' }) satisfies sdk.Quotes<'test'>,
  payments: createPayments({ apiKey: 'service_live_1' }) satisfies sdk.Payments<'live'>,
  balance: createBalances() satisfies sdk.Balances,
  transactions: createTransactions(options) satisfies sdk.Transactions,
};

const signal: AbortSignal = new AbortController().signal;
const call: sdk.CallOptions = {
  signal,
  timeout: 1_000,
  totalTimeout: 2_000,
  maxRetries: 1,
  headers,
  idempotencyKey: 'order-42',
  reference: 'order-42',
};

export async function quote(amount: sdk.AmountInput): Promise<number> {
  const input: sdk.QuoteInput = { from_currency: 'USD', to_currency: 'EUR', amount };
  const pending: sdk.Call<sdk.Quote, 'test'> = testing.quotes.create(input, call);
  const result: sdk.CallResult<sdk.Quote, 'test'> = await pending.withResponse();
  const { data, response, requestId, mode, attempts, warnings } = result;
  const facts: readonly (string | number | undefined)[] = [requestId, mode, attempts, response.status];
  return data.receive_amount + data.fee + data.rate + data.send_amount + facts.length + warnings.length;
}

const input: sdk.PaymentInput = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_bank: undefined,
  beneficiary_account: 'DE89370400440532013000',
  beneficiary_country: null,
  purpose: 'INV-2026-0042',
};

export async function pay(): Promise<string | null | undefined> {
  const payment: sdk.Payment = await live.payments.create(input, call);
  // @ts-expect-error the field is beneficiary_account
  void live.payments.create({ ...input, beneficary_account: 'DE89370400440532013000' });
  // @ts-expect-error beneficiary_name is required
  void live.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
  const same = await live.payments.retrieve(payment.id);
  const status: sdk.PaymentStatus = same.status;
  const beneficiary: sdk.Beneficiary = same.beneficiary;
  const account: string | null = beneficiary.account;
  const field: sdk.MoneyField<sdk.Payment> = 'receive_amount';
  // @ts-expect-error a status is not an amount
  void sdk.rawAmount(payment, 'status');
  return sdk.rawAmount(payment, field) ?? `${status} ${account}`;
}

export async function wait(id: string): Promise<sdk.PaymentStatus> {
  const until: sdk.WaitGoal = 'processing';
  const waiting: sdk.WaitOptions = {
    until,
    timeout: 60_000,
    signal,
    onStatus: ({ status }) => status,
    pollInterval: 100,
  };
  const update: sdk.PaymentUpdate = { data: { id } };
  either.payments.handleEvent(update);
  return (await either.payments.waitFor(id, waiting)).status;
}

export async function list(): Promise<number> {
  const query: sdk.TransactionQuery = { page: 1, per_page: 100, status: 'failed', type: 'a new type' };
  const transactions: sdk.TransactionList<'test'> = testing.transactions.list(query, call);
  const first: sdk.TransactionPage = await transactions;
  const pagination: sdk.Pagination = first.pagination;
  let total = pagination.current_page + (pagination.total ?? 0);
  for await (const row of transactions) {
    const read: sdk.Transaction = row;
    const [status, type]: [sdk.TransactionStatus, sdk.TransactionType] = [read.status, read.type];
    total += read.amount + status.length + type.length + (read.reference?.length ?? 0);
  }
  const pages: sdk.Pages<sdk.TransactionPage, sdk.Transaction> = transactions;
  for await (const page of pages.pages()) total += page.transactions.length;
  const balance: sdk.Balance = await testing.balance.retrieve();
  return balance.balances.reduce((sum: number, wallet: sdk.Wallet) => sum + wallet.balance, total);
}

export function readPage(text: string): string {
  const response: sdk.TransactionPageSource = { text, headers: new Headers(), mode: 'test', page: 1 };
  const page: sdk.TransactionPageReading | sdk.UnreadablePage = sdk.readTransactionPage(response);
  if ('problem' in page) return page.problem;
  const reading: sdk.TransactionReading = page;
  const next: sdk.PageQuery | undefined = page.next;
  const ids = reading.rows.map((row: sdk.TransactionRow) => [row.transaction.id, ...row.paymentIds].join());
  const left = reading.unreadable.map(({ path, reason }: sdk.UnreadableRow) => `${path} ${reason}`);
  return [reading.arrayPath, reading.isGuessed, ...ids, ...left, ...Object.keys(next ?? {})].join();
}

export async function direct(client: sdk.Client): Promise<string | undefined> {
  const api: Api = createApi(client);
  const { data, error, response } = await api.GET('/payments/{payment_id}', {
    params: { path: { payment_id: 'pay_test_1' } },
  });
  // @ts-expect-error the path is unknown
  void api.GET('/keys');
  return data?.data.id ?? error?.error.message ?? response.statusText;
}

export async function reconcile(error: unknown): Promise<string> {
  if (!sdk.isPaymentOutcomeUnknownError(error)) throw error;
  const settings: sdk.ReconcileOptions = { signal, clockSkew: 60_000, exclude: [] };
  const beneficiary: sdk.SentBeneficiary | undefined = error.getBeneficiary();
  const intent: sdk.PaymentIntent = {
    purpose: error.purpose,
    from_currency: error.from_currency,
    to_currency: error.to_currency,
    amount: error.amount,
    since: new Date(error.sentAt),
    beneficiary_name: beneficiary?.name,
  };
  await either.payments.reconcile(intent);
  const reconciliation: sdk.Reconciliation = await either.payments.reconcile(error, settings);
  const evidence: sdk.Evidence | undefined =
    'evidence' in reconciliation ? reconciliation.evidence : undefined;
  if (reconciliation.result === 'found') return `${reconciliation.payment.id} by ${evidence}`;
  if (reconciliation.result === 'ambiguous') return reconciliation.payments.map(({ id }) => id).join();
  const open: 'not_found_yet' | 'cannot_tell' = reconciliation.result;
  return open;
}

/** Narrows an error with each guard, and reads the fields of its class. */
export function explain(error: unknown): string {
  if (sdk.isPaymentOutcomeUnknownError(error)) {
    const trace: sdk.PaymentTrace = error;
    const phase: sdk.UnknownPhase = trace.phase;
    return `${phase} ${error.paymentId} ${error.idempotencyKey} ${error.reference} ${error.failedAt}`;
  }
  if (sdk.isIdempotencyError(error)) {
    const earlier: sdk.EarlierCreate = error;
    return `${earlier.reference} ${earlier.sentAt} ${earlier.paymentId}`;
  }
  if (sdk.isWaitTimeoutError(error)) return error.last?.status ?? 'no status';
  if (sdk.isRateLimitError(error) || sdk.isServerError(error)) return `${error.retryAfter}`;
  if (sdk.isServiceError(error)) {
    const outcome: sdk.Outcome | undefined = error.outcome;
    const facts: sdk.ErrorFacts = error;
    const mode: sdk.Mode | undefined = error.mode;
    const fields: readonly sdk.FieldError[] | undefined = error.fields;
    return `${outcome} ${error.type} ${error.status} ${mode} ${error.requestId} ${error.attempts} ${fields?.length} ${String(facts.raw)}`;
  }
  return 'not an error of the client';
}

/** Each error class with its guard. */
export const kinds: readonly (readonly [
  name: string,
  new (...facts: never) => sdk.ServiceError,
  (error: unknown) => boolean,
])[] = [
  ['AbortError', sdk.AbortError, sdk.isAbortError],
  ['AuthenticationError', sdk.AuthenticationError, sdk.isAuthenticationError],
  ['ConfigurationError', sdk.ConfigurationError, sdk.isConfigurationError],
  ['ConnectionError', sdk.ConnectionError, sdk.isConnectionError],
  ['IdempotencyError', sdk.IdempotencyError, sdk.isIdempotencyError],
  ['InsufficientFundsError', sdk.InsufficientFundsError, sdk.isInsufficientFundsError],
  ['ModeMismatchError', sdk.ModeMismatchError, sdk.isModeMismatchError],
  ['NotFoundError', sdk.NotFoundError, sdk.isNotFoundError],
  ['PaymentOutcomeUnknownError', sdk.PaymentOutcomeUnknownError, sdk.isPaymentOutcomeUnknownError],
  ['PermissionError', sdk.PermissionError, sdk.isPermissionError],
  ['RateLimitError', sdk.RateLimitError, sdk.isRateLimitError],
  ['ServerError', sdk.ServerError, sdk.isServerError],
  ['ServiceError', sdk.ServiceError, sdk.isServiceError],
  ['TimeoutError', sdk.TimeoutError, sdk.isTimeoutError],
  ['UnreadableResponseError', sdk.UnreadableResponseError, sdk.isUnreadableResponseError],
  ['ValidationError', sdk.ValidationError, sdk.isValidationError],
  ['WaitTimeoutError', sdk.WaitTimeoutError, sdk.isWaitTimeoutError],
];
export const isMissing: sdk.ErrorGuard<sdk.NotFoundError> = sdk.isNotFoundError;
