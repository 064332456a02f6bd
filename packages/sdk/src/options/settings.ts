import { parseBaseUrl } from './base-url.ts';
import {
  type Field,
  boolean,
  callable,
  duration,
  fetchFunction,
  isRecord,
  oneOf,
  parseObject,
  wholeNumber,
} from '@service/internal';
import { acceptsNoStore, isBrowserLike, readVariable, repeatsByItself } from './environment.ts';
import { createUsageError } from '../errors/error-classes.ts';
import { type HeaderFields, parseHeaders } from './headers.ts';
import type { Hooks, RequestHook, ResponseHook, RetryHook } from './hooks.ts';
import { type ApiKey, parseKey } from './key.ts';
import { callLogger, createLog, emitWarning, levels, type Log, type Logger, type Warning } from './log.ts';
import type { AuthScheme, ClientOptions } from './options.ts';
import { assertValidationOptions, parseResponseSchemas, type ResponseSchemas } from './response-schema.ts';

/** The parsed options with their defaults. */
export interface Settings {
  readonly apiKey: ApiKey | (() => string | Promise<string>);
  readonly auth: AuthScheme;
  readonly baseUrl: string;
  /** Undefined for the global `fetch` at the time of each request. */
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Whether the body of a create is a stream: with the global `fetch` of Node and Deno. */
  readonly hasStreams: boolean;
  /** Whether the runtime accepts `cache: 'no-store'`. */
  readonly hasNoStore: boolean;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly readLag: number;
  /** The `readLag` of `reconcile`. */
  readonly searchLag: number;
  readonly idempotencyKeys: 'send' | 'omit';
  /** 0 unless the service replays keys. */
  readonly keyRetention: number;
  readonly maxDecimals: number;
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
const loggerRule: Field<Logger> = {
  expected: 'an object with the functions error, warn, info and debug, such as console',
  parse: (value) =>
    levels.every((level) => level === 'off' || isCallable(value, level)) ? (value as Logger) : undefined,
};
const fields = {
  apiKey: apiKeyRule,
  auth: oneOf('bearer', 'x-api-key'),
  baseUrl: { expected: '', parse: parseBaseUrl },
  fetch: fetchFunction<typeof globalThis.fetch>(),
  timeout: duration,
  totalTimeout: duration,
  maxRetries: wholeNumber(15),
  readLag: wholeNumber(2_147_483_647),
  idempotencyKeys: oneOf('send', 'omit'),
  keyRetention: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
  maxDecimals: wholeNumber(6),
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
  const { fetch, onRequest, onResponse, onRetry, onWarning, logger, logLevel } = options;
  const { responseValidation = 'off', responseSchemas = {} } = options;
  const isBrowser = isBrowserLike();
  const { idempotencyKeys = isBrowser ? 'omit' : 'send' } = options;
  assertValidationOptions(options);
  if (options.keyRetention !== undefined && idempotencyKeys === 'omit')
    throw createUsageError("keyRetention needs idempotencyKeys: 'send'; in browsers the default is 'omit'.");
  const log = createLog(logger, logLevel ?? 'off');
  // With `logger` or `logLevel`, warnings are in the log, and not process warnings.
  const listener = onWarning ?? ((logger ?? logLevel) ? undefined : emitWarning);
  return {
    ...defaults,
    ...omitUndefined(options),
    apiKey: options.apiKey ?? parseKey(readVariable('SERVICE_API_KEY')),
    baseUrl: options.baseUrl ?? parseBaseUrl(readVariable('SERVICE_BASE_URL')),
    fetch,
    // Browsers do not stream over HTTP/1.
    hasStreams: (fetch === undefined || fetch === globalThis.fetch) && repeatsByItself() && !isBrowser,
    hasNoStore: acceptsNoStore(),
    searchLag: options.readLag ?? 60_000,
    idempotencyKeys,
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

function isCallable(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
}
