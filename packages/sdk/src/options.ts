import { parseBaseUrl } from './base-url.ts';
import { readVariable } from './environment.ts';
import { ConfigurationError } from './errors/local-errors.ts';
import { type HeaderFields, parseHeaders } from './headers.ts';
import { type ApiKey, type ApiKeySource, parseKey } from './key.ts';
import type { DuplicateGuard } from './duplicate-guard.ts';
import type { Hooks, RequestHook, ResponseHook, RetryHook } from './hooks.ts';
import { createLog, levels, type Log, type Logger, type LogLevel } from './log.ts';
import { parseChoice, parseCount, parseTimeout, pickKnown } from './parse.ts';
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
   * Says whether the service honours `Idempotency-Key`, so that a create may be sent again with the same key although it may
   * have been carried out. Where it does not, that pays twice. Default: `'none'`. Example: `'assume'`.
   */
  readonly idempotency?: 'none' | 'assume' | undefined;
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
  readonly fetch: Fetch;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly idempotency: 'none' | 'assume';
  readonly maxDecimals: number;
  readonly duplicateGuard: DuplicateGuard | undefined;
  readonly hooks: Hooks;
  readonly log: Log;
  readonly headers: HeaderFields;
  readonly allowBrowser: boolean;
  readonly allowInsecureHttp: boolean;
  readonly warn: (warning: Warning) => void;
};

const optionNames = {
  apiKey: true,
  auth: true,
  baseUrl: true,
  fetch: true,
  timeout: true,
  totalTimeout: true,
  maxRetries: true,
  idempotency: true,
  maxDecimals: true,
  duplicateGuard: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
  logger: true,
  logLevel: true,
  headers: true,
  allowBrowser: true,
  allowInsecureHttp: true,
  onWarning: true,
} as const satisfies Record<keyof ClientOptions, true>;

/**
 * Checks the options of a client and fills in the environment and the defaults.
 *
 * @throws ConfigurationError that teaches and never shows the key.
 */
export function parseOptions(value: unknown): Settings {
  const options = pickKnown(value, Object.keys(optionNames));
  const { apiKey = readVariable('SERVICE_API_KEY'), baseUrl = readVariable('SERVICE_BASE_URL') } = options;
  const log = createLog(
    options.logger as Logger | undefined,
    parseChoice('logLevel', options.logLevel ?? 'off', levels),
  );
  return {
    apiKey: typeof apiKey === 'function' ? (apiKey as () => string) : parseKey(apiKey),
    auth: parseChoice('auth', options.auth ?? 'bearer', ['bearer', 'x-api-key']),
    baseUrl: parseBaseUrl(baseUrl),
    fetch: parseFetch(options.fetch),
    timeout: parseTimeout('timeout', options.timeout ?? 30_000),
    totalTimeout:
      options.totalTimeout === undefined ? Infinity : parseTimeout('totalTimeout', options.totalTimeout),
    maxRetries: parseCount('maxRetries', options.maxRetries ?? 2),
    idempotency: parseChoice('idempotency', options.idempotency ?? 'none', ['none', 'assume']),
    maxDecimals: parseCount('maxDecimals', options.maxDecimals ?? 2, 6),
    duplicateGuard: parseGuard(options.duplicateGuard),
    hooks: parseHooks(options),
    log,
    headers: parseHeaders(options.headers),
    allowBrowser: parseFlag('allowBrowser', options.allowBrowser),
    allowInsecureHttp: parseFlag('allowInsecureHttp', options.allowInsecureHttp),
    warn: toWarn(options, log),
  };
}

function parseGuard(value: unknown): DuplicateGuard | undefined {
  const guard = value as DuplicateGuard | undefined;
  if (guard === undefined || typeof guard?.protect === 'function') return guard;
  throw new ConfigurationError('duplicateGuard must be what createDuplicateGuard(store) returns.');
}

function parseHooks(options: Record<string, unknown>): Hooks {
  for (const name of ['onRequest', 'onResponse', 'onRetry', 'onWarning']) {
    if (options[name] === undefined || typeof options[name] === 'function') continue;
    throw new ConfigurationError(`${name} must be a function.`);
  }
  return options;
}

/** A warning goes to whoever was named to hear it; where nobody was, to the process. */
function toWarn({ onWarning, logger, logLevel }: Record<string, unknown>, log: Log): Settings['warn'] {
  return (warning) => {
    log('warn', () => [warning.message, { code: warning.code }]);
    if (onWarning !== undefined) (onWarning as Settings['warn'])(warning);
    else if (logger === undefined && logLevel === undefined) emitWarning(warning);
  };
}

function parseFlag(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new ConfigurationError(`${name} must be true or false.`);
}

function parseFetch(value: unknown): Fetch {
  if (typeof value === 'function') return value as Fetch;
  if (value !== undefined) throw new ConfigurationError('fetch must be a function that takes a Request.');
  return (request) => globalThis.fetch(request);
}
