import { parseBaseUrl } from './base-url.ts';
import { callable, checkAll, choice, count, flag, type Rule, span } from './check.ts';
import type { DuplicateGuard } from '../intents/guard-types.ts';
import { isBrowserLike, readVariable } from './environment.ts';
import { misuse } from '../errors/refuse.ts';
import { type HeaderFields, parseHeaders } from './headers.ts';
import type { Hooks, RequestHook, ResponseHook, RetryHook } from './hooks.ts';
import { isRecord } from '../values/json.ts';
import { type ApiKey, type ApiKeySource, parseKey } from './key.ts';
import { createLog, type Log, type Logger, type LogLevel, levels, tell } from './log.ts';
import type { ResponseSchemas, StandardSchema } from './response-schema.ts';
import { emitWarning, type Warning } from './warnings.ts';

/** Names the header that carries the key: `Authorization: Bearer` or `X-API-Key` (spec §5). */
export type AuthScheme = 'bearer' | 'x-api-key';

/**
 * Carries a request; the place for a fake in tests, a proxy or a pool of connections. It must send the request once: a
 * create that it sends again can pay twice, and a second try that fails to connect makes a payment that was made look
 * `not_sent`. Some runtimes send again on their own: undici on 421, Deno and browsers on a connection that they use again. On
 * Node and Deno the client hands over the body of a create as one that can be read once, unless your function copies it.
 */
export type Fetch = (request: Request) => Promise<Response>;

/** Lists what a client can be told. */
export type ClientOptions<Source extends ApiKeySource = ApiKeySource> = {
  /** Gives the key, or a function asked before each call. Default: the variable SERVICE_API_KEY. Example: `'service_test_…'`. */
  readonly apiKey?: Source | undefined;
  /** Names the header for the key. Default: `'bearer'`. Example: `'x-api-key'`. */
  readonly auth?: AuthScheme | undefined;
  /** Gives the address, version segment included. Default: the variable SERVICE_BASE_URL. Example: `'http://localhost:4010/api/v1'`. */
  readonly baseUrl?: string | undefined;
  /** Carries the requests. Default: the global `fetch`, looked up at each call. Example: `mock.fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Limits each request in milliseconds, its body included. Default: 30000. Example: `5_000`. */
  readonly timeout?: number | undefined;
  /** Limits each call in milliseconds, over all requests and waits. Default: none. Example: `45_000`. */
  readonly totalTimeout?: number | undefined;
  /** Says how often a request may be sent again where that is safe, 0 to 15. Default: 2. Example: `0`. */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum time in milliseconds by which reads lag behind creates. Within it, `retrieve` and `waitFor` send a request again
   * that got a 404 for a payment which this client created. `0` turns this off. `@default` 10000
   */
  readonly readLag?: number | undefined;
  /**
   * Whether every create carries an `Idempotency-Key`: a UUID, unless the call names its own. It protects from gateways that
   * repeat requests, where the service honors keys. `@default` 'send', in browsers 'omit' @example 'omit'
   */
  readonly idempotencyKeys?: 'send' | 'omit' | undefined;
  /**
   * How the service answers a repeated key: with the first response, with 409 or 422, or as if there were no key. With
   * `'replayed'`, a create whose outcome is unknown is sent again under its key, which pays twice if the service does not replay.
   * `@default` 'unknown': nothing relies on keys @example 'replayed'
   */
  readonly serviceIdempotency?: 'unknown' | 'replayed' | 'conflict' | 'ignored' | undefined;
  /**
   * How long the service keeps keys, in milliseconds. Required with `serviceIdempotency: 'replayed'`: an older create is not sent
   * again. @example 86_400_000
   */
  readonly keyRetention?: number | undefined;
  /** Says how many decimals an amount to send may have, 0 to 6. Default: 2. Example: `3`. */
  readonly maxDecimals?: number | undefined;
  /** Keeps a create from being made twice under one `reference`. Default: none. Example: `createDuplicateGuard(store)`. */
  readonly duplicateGuard?: DuplicateGuard | undefined;
  /** Is told of each request before it leaves, and may add headers. Default: none. Example: `({ headers }) => headers.set('x-trace', id)`. */
  readonly onRequest?: RequestHook | undefined;
  /** Is told of each answer. Default: none. Example: `({ status, duration }) => metrics.record(status, duration)`. */
  readonly onResponse?: ResponseHook | undefined;
  /** Is told before a request is sent again. Default: none. Example: `({ error }) => metrics.count(error.name)`. */
  readonly onRetry?: RetryHook | undefined;
  /** Takes the lines of the log. Default: `console`. Example: `pino()`. */
  readonly logger?: Logger | undefined;
  /**
   * Says what becomes of an answer of success that `responseSchemas` refuse: nothing is checked, a warning is told, or the call
   * fails with an UnreadableResponseError, a create as one whose payment may exist. Default: `'off'`. Example: `'warn'`.
   */
  readonly responseValidation?: 'off' | 'warn' | 'throw' | undefined;
  /** Gives schemas of the answers by operation, from zod or another maker of Standard Schemas. Default: none. Example: `{ getBalance: BalanceEnvelope }`. */
  readonly responseSchemas?: ResponseSchemas | undefined;
  /** Says how much is logged; keys, names and accounts never are. Default: `'off'`. Example: `'info'`. */
  readonly logLevel?: LogLevel | undefined;
  /** Adds headers to each request. Default: none. Example: `{ 'User-Agent': 'shop/1.0' }`. */
  readonly headers?: HeaderFields | undefined;
  /** Allows a test key in a browser; a live key never. Default: `false`. Example: `true`. */
  readonly allowBrowser?: boolean | undefined;
  /** Allows a test key over plain http to another machine; a live key never. Default: `false`. Example: `true`. */
  readonly allowInsecureHttp?: boolean | undefined;
  /** Is told what the caller should know although a call went well. Default: a warning of the process. Example: `(w) => log(w.message)`. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
};

/** Holds the options with their defaults, checked. */
export type Settings = {
  readonly apiKey: ApiKey | (() => string | Promise<string>);
  readonly auth: AuthScheme;
  readonly baseUrl: string;
  /** Makes what carries a request: whole to the function of the caller, in parts to the global one, which would copy it. */
  readonly toSend: (url: string, init: RequestInit) => () => Promise<Response>;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly readLag: number;
  readonly idempotencyKeys: 'send' | 'omit';
  readonly serviceIdempotency: 'unknown' | 'replayed' | 'conflict' | 'ignored';
  /** 0 unless the service replays keys. */
  readonly keyRetention: number;
  readonly maxDecimals: number;
  readonly duplicateGuard: DuplicateGuard | undefined;
  readonly responseValidation: 'off' | 'warn' | 'throw';
  /** Is empty where nothing is to be checked. */
  readonly responseSchemas: ResponseSchemas;
  readonly hooks: Hooks;
  readonly log: Log;
  readonly headers: HeaderFields;
  readonly allowBrowser: boolean;
  readonly allowInsecureHttp: boolean;
  readonly warn: (warning: Warning) => void;
};

const apiKeyRule: Rule<Settings['apiKey']> = [
  '',
  (value) => (typeof value === 'function' ? (value as () => string) : parseKey(value)),
];
const guardRule: Rule<DuplicateGuard> = [
  'what createDuplicateGuard(store) returns',
  (value) => ((value as DuplicateGuard | null)?.protect ? (value as DuplicateGuard) : undefined),
];
const loggerRule: Rule<Logger> = [
  'an object with the functions error, warn, info and debug, as console has them',
  (value) =>
    levels.every((level) => level === 'off' || isCallable(value, level)) ? (value as Logger) : undefined,
];
const rules = {
  apiKey: apiKeyRule,
  auth: choice('bearer', 'x-api-key'),
  baseUrl: ['', parseBaseUrl],
  fetch: callable<Fetch>(),
  timeout: span,
  totalTimeout: span,
  maxRetries: count(15),
  readLag: count(2_147_483_647),
  idempotencyKeys: choice('send', 'omit'),
  serviceIdempotency: choice('unknown', 'replayed', 'conflict', 'ignored'),
  keyRetention: count(Number.MAX_SAFE_INTEGER, 1),
  maxDecimals: count(6),
  duplicateGuard: guardRule,
  onRequest: callable<RequestHook>(),
  onResponse: callable<ResponseHook>(),
  onRetry: callable<RetryHook>(),
  logger: loggerRule,
  logLevel: choice(...levels),
  responseValidation: choice('off', 'warn', 'throw'),
  responseSchemas: ['', parseSchemas],
  headers: ['', parseHeaders],
  allowBrowser: flag,
  allowInsecureHttp: flag,
  onWarning: callable<Settings['warn']>(),
} as const satisfies Record<keyof ClientOptions, Rule>;

/**
 * Checks the options of a client and fills in the environment and the defaults.
 *
 * @throws ConfigurationError that teaches and never shows the key.
 */
export function parseOptions(value: unknown = {}): Settings {
  const options = checkAll(value, { what: 'The options of a client', rules, refuse: misuse });
  const { fetch, onRequest, onResponse, onRetry, onWarning, logger, logLevel } = options;
  const { responseValidation = 'off', responseSchemas = {} } = options;
  checkValidation(options);
  const { idempotencyKeys = isBrowserLike() ? 'omit' : 'send', serviceIdempotency = 'unknown' } = options;
  checkIdempotency({ ...options, idempotencyKeys });
  const log = createLog(logger, logLevel ?? 'off');
  // A warning goes to whoever was named to hear it; where nobody was, to the process.
  const hear = onWarning ?? ((logger ?? logLevel) ? undefined : emitWarning);
  return {
    apiKey: options.apiKey ?? parseKey(readVariable('SERVICE_API_KEY')),
    auth: options.auth ?? 'bearer',
    baseUrl: options.baseUrl ?? parseBaseUrl(readVariable('SERVICE_BASE_URL')),
    toSend: toSendBy(fetch),
    timeout: options.timeout ?? 30_000,
    totalTimeout: options.totalTimeout ?? Infinity,
    maxRetries: options.maxRetries ?? 2,
    readLag: options.readLag ?? 10_000,
    idempotencyKeys,
    serviceIdempotency,
    keyRetention: options.keyRetention ?? 0,
    maxDecimals: options.maxDecimals ?? 2,
    duplicateGuard: options.duplicateGuard,
    responseValidation,
    responseSchemas: responseValidation === 'off' ? {} : responseSchemas,
    hooks: { onRequest, onResponse, onRetry },
    log,
    headers: options.headers ?? {},
    allowBrowser: options.allowBrowser ?? false,
    allowInsecureHttp: options.allowInsecureHttp ?? false,
    warn: (warning) => {
      log('warn', () => [warning.message, { code: warning.code }]);
      tell(() => hear?.(warning));
    },
  };
}

/** Refuses to rely on keys that are not sent, or that the service may have forgotten. */
function checkIdempotency(
  options: Pick<ClientOptions, 'idempotencyKeys' | 'serviceIdempotency' | 'keyRetention'>,
): void {
  const { idempotencyKeys, serviceIdempotency, keyRetention } = options;
  if (serviceIdempotency !== 'replayed') {
    if (keyRetention === undefined) return;
    throw misuse("keyRetention has no effect without serviceIdempotency: 'replayed'.");
  }
  if (idempotencyKeys === 'omit') {
    throw misuse(
      "serviceIdempotency: 'replayed' needs idempotencyKeys: 'send'; in browsers the default is 'omit'.",
    );
  }
  if (keyRetention === undefined) {
    throw misuse(
      "serviceIdempotency: 'replayed' needs keyRetention: how long the service keeps idempotency keys, in milliseconds.",
    );
  }
}

/** Refuses what looks as if answers were checked, and checks none. */
function checkValidation(options: Pick<ClientOptions, 'responseValidation' | 'responseSchemas'>): void {
  const { responseValidation, responseSchemas } = options;
  const isChecking = responseValidation === 'warn' || responseValidation === 'throw';
  if (isChecking && !Object.values(responseSchemas ?? {}).some(Boolean)) {
    throw misuse('responseValidation needs responseSchemas: a Standard Schema for each operation to check.');
  }
  if (responseSchemas && responseValidation === undefined) {
    throw misuse(
      "responseSchemas need responseValidation: 'warn' or 'throw', or 'off' to keep them for later.",
    );
  }
}

const schemaRule: Rule<StandardSchema> = [
  'a Standard Schema, as zod and others make',
  (value) =>
    (value as StandardSchema | null)?.['~standard']?.validate ? (value as StandardSchema) : undefined,
];
const schemaRules = {
  createQuote: schemaRule,
  createPayment: schemaRule,
  getPayment: schemaRule,
  getBalance: schemaRule,
  listTransactions: schemaRule,
} as const satisfies Record<keyof ResponseSchemas, Rule>;

function isCallable(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
}

function parseSchemas(value: unknown): ResponseSchemas {
  return checkAll(value, {
    what: 'This',
    rules: schemaRules,
    refuse: (message) => misuse(`responseSchemas: ${message}`),
  });
}

function toSendBy(fetch: Fetch | undefined): Settings['toSend'] {
  // What nobody named is looked up at each call.
  if (!fetch) return (url, init) => () => globalThis.fetch(url, init);
  const native = globalThis.fetch;
  if (fetch === native) return (url, init) => () => native(url, init);
  return (url, init) => {
    const request = new Request(url, init);
    return () => fetch(request);
  };
}
