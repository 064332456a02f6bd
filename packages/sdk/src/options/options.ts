import { parseBaseUrl } from './base-url.ts';
import {
  type Field,
  boolean,
  callable,
  duration,
  isRecord,
  oneOf,
  parseObject,
  wholeNumber,
} from '@service/internal';
import { findGuardOperations } from '../intents/guard-operations.ts';
import type { DuplicateGuard, GuardOperations } from '../intents/guard-types.ts';
import { isBrowserLike, readVariable, repeatsByItself } from './environment.ts';
import { createUsageError } from '../errors/error-classes.ts';
import { type HeaderFields, parseHeaders } from './headers.ts';
import type { Hooks, RequestHook, ResponseHook, RetryHook } from './hooks.ts';
import { type ApiKey, type ApiKeySource, parseKey } from './key.ts';
import {
  callLogger,
  createLog,
  emitWarning,
  levels,
  type Log,
  type Logger,
  type LogLevel,
  type Warning,
} from './log.ts';
import {
  findFormat,
  type TransactionFormat,
  type TransactionReader,
} from '../resources/transaction-format.ts';
import { assertValidationOptions, parseResponseSchemas, type ResponseSchemas } from './response-schema.ts';

/** The header of the API key: `Authorization: Bearer` or `X-API-Key`. */
export type AuthScheme = 'bearer' | 'x-api-key';

/**
 * A function that sends a request, for example a fake in tests, a proxy or a connection pool.
 *
 * It must send each request exactly once. A create that it sends twice can pay twice. If its second attempt
 * cannot connect, a payment that was created is reported as `'not_sent'`. Some runtimes repeat requests by
 * themselves: undici on 421, Deno and browsers on a reused connection. In Node and Deno, the client prevents
 * this for creates with a body that can be read only once, so the function must not copy the body.
 */
export type Fetch = (request: Request) => Promise<Response>;

/**
 * The API key, the address and the behavior of a client. All are optional if the environment has the key and
 * the address.
 *
 * @example
 * const client = createClient({ apiKey: 'service_test_…', baseUrl: 'http://localhost:4010/api/v1' });
 */
export interface ClientOptions<Source extends ApiKeySource = ApiKeySource> {
  /**
   * The API key, or a function that returns it. The function is called before each request, so that a rotated
   * key takes effect immediately.
   *
   * @default the environment variable `SERVICE_API_KEY`
   * @example 'service_test_…'
   */
  readonly apiKey?: Source | undefined;
  /**
   * The header of the API key.
   *
   * @default 'bearer'
   * @example 'x-api-key'
   */
  readonly auth?: AuthScheme | undefined;
  /**
   * The base URL of the service, including the version segment.
   *
   * @default the environment variable `SERVICE_BASE_URL`
   * @example 'http://localhost:4010/api/v1'
   */
  readonly baseUrl?: string | undefined;
  /**
   * The function that sends requests. See {@link Fetch} for its requirements.
   *
   * @default the global `fetch`, looked up at each call
   * @example mock.fetch
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Maximum time per request in milliseconds, response body included.
   *
   * @default 30_000
   * @example 5_000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum time per call in milliseconds, all requests and waits included.
   *
   * @default no limit
   * @example 45_000
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Maximum number of retries per call, from 0 to 15. Only requests that are safe to repeat are retried.
   *
   * @default 2
   * @example 0
   */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum time in milliseconds by which reads lag behind creates. During this time, `waitFor`
   * retries after a 404, and so does `retrieve` for a payment that this client created. `reconcile` does not
   * report `not_found_yet` before this time has passed since the create failed. `0` turns this off.
   *
   * @default 10_000; 60_000 for `reconcile`, which does not wait
   * @example 0
   */
  readonly readLag?: number | undefined;
  /**
   * Whether every create has an `Idempotency-Key`: a UUID, unless the call has an `idempotencyKey`. If the
   * service honors keys, this prevents second payments by gateways that repeat requests.
   *
   * @default 'send'; in browsers 'omit'
   * @example 'omit'
   */
  readonly idempotencyKeys?: 'send' | 'omit' | undefined;
  /**
   * The behavior of the service for a repeated key: it replays the first response, responds 409 or 422, or
   * ignores the key. With `'replayed'`, a create with an unknown outcome is retried with the same key. **If
   * the service does not replay, this pays twice.**
   *
   * @default 'unknown': the client does not rely on keys
   * @example 'replayed'
   */
  readonly serviceIdempotency?: 'unknown' | 'replayed' | 'conflict' | 'ignored' | undefined;
  /**
   * The time for which the service keeps keys, in milliseconds. An older create is not retried. Required with
   * `serviceIdempotency: 'replayed'`.
   *
   * @default none
   * @example 86_400_000
   */
  readonly keyRetention?: number | undefined;
  /**
   * Maximum number of decimals of an amount, from 0 to 6. An amount with more decimals is rejected before it
   * is sent.
   *
   * @default 2
   * @example 3
   */
  readonly maxDecimals?: number | undefined;
  /**
   * The duplicate guard. It prevents a second payment with the same `reference`.
   *
   * @default none
   * @example createDuplicateGuard(store)
   */
  readonly duplicateGuard?: DuplicateGuard | undefined;
  /**
   * The reader of transactions, for a service whose rows or pages have other forms than common frameworks.
   *
   * @default none: pages and rows of common forms are read
   * @example createTransactionReader(profile)
   */
  readonly transactionReader?: TransactionReader | undefined;
  /**
   * Called before each request. It can add headers.
   *
   * @default none
   * @example ({ headers }) => headers.set('x-trace', id)
   */
  readonly onRequest?: RequestHook | undefined;
  /**
   * Called after each response.
   *
   * @default none
   * @example ({ status, duration }) => metrics.record(status, duration)
   */
  readonly onResponse?: ResponseHook | undefined;
  /**
   * Called before each retry.
   *
   * @default none
   * @example ({ error }) => metrics.count(error.name)
   */
  readonly onRetry?: RetryHook | undefined;
  /**
   * The target of log lines.
   *
   * @default console
   */
  readonly logger?: Logger | undefined;
  /**
   * The handling of successful responses that do not match `responseSchemas`: no validation, a warning, or an
   * `UnreadableResponseError`. For a create, the error is a `PaymentOutcomeUnknownError`, because the payment
   * may exist.
   *
   * @default 'off'
   * @example 'warn'
   */
  readonly responseValidation?: 'off' | 'warn' | 'throw' | undefined;
  /**
   * Schemas of successful responses by operation, from zod or another library with Standard Schemas.
   *
   * @default none
   * @example { getBalance: balanceSchema }
   */
  readonly responseSchemas?: ResponseSchemas | undefined;
  /**
   * The amount of log output. API keys, names and account numbers are never logged.
   *
   * @default 'off'
   * @example 'info'
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Extra headers of each request.
   *
   * @default none
   * @example { 'User-Agent': 'shop/1.0' }
   */
  readonly headers?: HeaderFields | undefined;
  /**
   * Whether a test key may be used in a browser. A live key is never allowed there.
   *
   * @default false
   * @example true
   */
  readonly allowBrowser?: boolean | undefined;
  /**
   * Whether a test key may be sent over plain http to another machine. A live key is never sent over plain
   * http to another machine.
   *
   * @default false
   * @example true
   */
  readonly allowInsecureHttp?: boolean | undefined;
  /**
   * Called for a problem that does not make a call fail.
   *
   * @default emits a process warning, unless `logger` or `logLevel` is set
   * @example (warning) => log(warning.message)
   */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** The parsed options with their defaults. */
export interface Settings {
  readonly apiKey: ApiKey | (() => string | Promise<string>);
  readonly auth: AuthScheme;
  readonly baseUrl: string;
  /** Undefined for the global `fetch` at the time of each request. */
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Whether `fetch` gets a `Request`. The global one does not, because it would copy it. */
  readonly needsRequest: boolean;
  /** Whether the runtime replays requests whose body is not a stream. */
  readonly canReplay: boolean;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly readLag: number;
  /** The `readLag` of `reconcile`. */
  readonly searchLag: number;
  readonly idempotencyKeys: 'send' | 'omit';
  readonly serviceIdempotency: 'unknown' | 'replayed' | 'conflict' | 'ignored';
  /** 0 unless the service replays keys. */
  readonly keyRetention: number;
  readonly maxDecimals: number;
  readonly duplicateGuard: GuardOperations | undefined;
  readonly transactionFormat: TransactionFormat | undefined;
  readonly responseValidation: 'off' | 'warn' | 'throw';
  /** Empty if `responseValidation` is `'off'`. */
  readonly responseSchemas: ResponseSchemas;
  readonly hooks: Hooks;
  readonly log: Log;
  readonly headers: HeaderFields;
  readonly allowBrowser: boolean;
  readonly allowInsecureHttp: boolean;
  readonly warn: (warning: Warning) => void;
}

const apiKeyRule: Field<Settings['apiKey']> = {
  expected: '',
  parse: (value) => (typeof value === 'function' ? (value as () => string) : parseKey(value)),
};
const guardRule: Field<GuardOperations> = {
  expected: 'the result of createDuplicateGuard(store)',
  parse: findGuardOperations,
};
const readerRule: Field<TransactionFormat> = {
  expected: 'the result of createTransactionReader(profile)',
  parse: findFormat,
};
const loggerRule: Field<Logger> = {
  expected: 'an object with the functions error, warn, info and debug, such as console',
  parse: (value) =>
    levels.every((level) => level === 'off' || isCallable(value, level)) ? (value as Logger) : undefined,
};
const fields = {
  apiKey: apiKeyRule,
  auth: oneOf('bearer', 'x-api-key'),
  baseUrl: { expected: '', parse: parseBaseUrl },
  fetch: callable<Fetch>(),
  timeout: duration,
  totalTimeout: duration,
  maxRetries: wholeNumber(15),
  readLag: wholeNumber(2_147_483_647),
  idempotencyKeys: oneOf('send', 'omit'),
  serviceIdempotency: oneOf('unknown', 'replayed', 'conflict', 'ignored'),
  keyRetention: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
  maxDecimals: wholeNumber(6),
  duplicateGuard: guardRule,
  transactionReader: readerRule,
  onRequest: callable<RequestHook>(),
  onResponse: callable<ResponseHook>(),
  onRetry: callable<RetryHook>(),
  logger: loggerRule,
  logLevel: oneOf(...levels),
  responseValidation: oneOf('off', 'warn', 'throw'),
  responseSchemas: { expected: '', parse: parseResponseSchemas },
  headers: { expected: '', parse: parseHeaders },
  allowBrowser: boolean,
  allowInsecureHttp: boolean,
  onWarning: callable<Settings['warn']>(),
} as const satisfies Record<keyof ClientOptions, Field>;

const defaults = {
  auth: 'bearer',
  timeout: 30_000,
  totalTimeout: Infinity,
  maxRetries: 2,
  readLag: 10_000,
  serviceIdempotency: 'unknown',
  keyRetention: 0,
  maxDecimals: 2,
  responseValidation: 'off',
  headers: {},
  allowBrowser: false,
  allowInsecureHttp: false,
} as const satisfies Partial<Settings>;

/**
 * Parses the options of a client, with environment variables and defaults for absent ones.
 *
 * @throws {ConfigurationError} when an option is unknown, invalid or missing. The message does not contain
 * the API key.
 */
export function parseOptions(value: unknown = {}): Settings {
  const options = parseObject(value, {
    name: 'The options of a client',
    fields,
    createError: createUsageError,
  });
  const { fetch, duplicateGuard, onRequest, onResponse, onRetry, onWarning, logger, logLevel } = options;
  const { responseValidation = 'off', responseSchemas = {} } = options;
  const isBrowser = isBrowserLike();
  const { idempotencyKeys = isBrowser ? 'omit' : 'send' } = options;
  assertValidationOptions(options);
  checkIdempotency({ ...options, idempotencyKeys });
  const log = createLog(logger, logLevel ?? 'off');
  // With `logger` or `logLevel`, warnings are in the log, and not process warnings.
  const listener = onWarning ?? ((logger ?? logLevel) ? undefined : emitWarning);
  return {
    ...defaults,
    ...omitUndefined(options),
    apiKey: options.apiKey ?? parseKey(readVariable('SERVICE_API_KEY')),
    baseUrl: options.baseUrl ?? parseBaseUrl(readVariable('SERVICE_BASE_URL')),
    fetch: fetch as Settings['fetch'],
    needsRequest: fetch !== undefined && fetch !== globalThis.fetch,
    // Browsers do not stream over HTTP/1.
    canReplay: repeatsByItself() && !isBrowser,
    searchLag: options.readLag ?? 60_000,
    idempotencyKeys,
    duplicateGuard,
    transactionFormat: options.transactionReader,
    responseSchemas: responseValidation === 'off' ? {} : responseSchemas,
    hooks: { onRequest, onResponse, onRetry },
    log,
    warn: (warning) => {
      log('warn', () => [warning.message, { code: warning.code }]);
      callLogger(() => listener?.(warning));
    },
  };
}

/** The options that are present. */
export type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns a copy without undefined options. */
export function omitUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/**
 * Checks the options for idempotency keys.
 *
 * @throws {ConfigurationError} when the client would rely on keys that are not sent, or whose retention is
 * unknown.
 */
function checkIdempotency(
  options: Pick<ClientOptions, 'idempotencyKeys' | 'serviceIdempotency' | 'keyRetention'>,
): void {
  const { idempotencyKeys, serviceIdempotency, keyRetention } = options;
  if (serviceIdempotency !== 'replayed') {
    if (keyRetention === undefined) return;
    throw createUsageError("keyRetention has no effect without serviceIdempotency: 'replayed'.");
  }
  if (idempotencyKeys === 'omit') {
    throw createUsageError(
      "serviceIdempotency: 'replayed' needs idempotencyKeys: 'send'; in browsers the default is 'omit'.",
    );
  }
  if (keyRetention === undefined) {
    throw createUsageError(
      "serviceIdempotency: 'replayed' needs keyRetention, the time for which the service keeps idempotency keys, in milliseconds.",
    );
  }
}

function isCallable(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
}
