import {
  abortSignal,
  type Field,
  boolean,
  callable,
  duration,
  fetchFunction,
  oneOf,
  wholeNumber,
} from '@service/internal';
import { ConfigurationError, createUsageError, parseUsage } from './errors.ts';
import { type ApiKey, isBrowserLike, parseKey, type Scope } from './key.ts';

/** A request in hooks and logs. */
export interface RequestFacts {
  /** The `operationId` of the API document, or `'api'` for a request of `createApi` from `@service/sdk/api`. */
  readonly operation:
    'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions' | 'api';
  /** The HTTP method. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** Number of the request within its call, from 1. */
  readonly attempt: number;
}

/** A problem that does not make a call fail. */
export interface Warning {
  /**
   * The kind of the warning.
   *
   * - `'inexact_money'`: a `number` cannot represent an amount exactly. Read it with `rawAmount`.
   * - `'other_amount'`: the service used another amount than the one that was sent.
   * - `'unreadable_row'`: rows of a page of transactions were omitted.
   * - `'store_failed'`: the intent store failed after a payment was created, so its record is missing.
   * - `'reference_conflict'`: the reference of a created payment may have a second payment.
   */
  readonly code: 'inexact_money' | 'other_amount' | 'unreadable_row' | 'store_failed' | 'reference_conflict';
  /** The problem and its remedy, in words. */
  readonly message: string;
}

/**
 * A function that sends a request, for example a fake in tests, a proxy or a connection pool. It is called
 * with a URL and options, like the global `fetch`.
 *
 * It must send each request exactly once, and so must a wrapper that replaces the global `fetch`: a POST that it
 * repeats can pay twice. If the second attempt of a custom `fetch` cannot connect, a payment that was created is
 * reported as `'not_sent'`. Some runtimes repeat requests by themselves: undici on 421, Deno and browsers on a reused
 * connection. The client prevents this only with the global `fetch` of Node and Deno.
 *
 * The body of its response is streamed if it is a web stream, and read with `text` otherwise. Its headers are read one by one.
 *
 * @example
 * const client = createClient({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) });
 */
export type Fetch = (
  url: string,
  init: {
    /** The HTTP method. */
    readonly method: string;
    /** The headers, with names in lower case. */
    readonly headers: Record<string, string>;
    /** The body as JSON; absent for a read. */
    readonly body?: string;
    /** Aborted when the call ends early. */
    readonly signal: AbortSignal;
    /** A followed redirect could expose the API key. */
    readonly redirect: 'manual';
    /** The cache mode, so that no cache answers reads. Absent in runtimes that do not accept it. */
    readonly cache?: 'no-store';
  },
) => Promise<Pick<Response, 'status' | 'text'> & Readonly<Record<'headers', Pick<Headers, 'get'>>>>;

/**
 * The API key, the address and the behavior of a client. All are optional if the environment has the key and
 * the address.
 *
 * @example
 * const client = createClient({ apiKey: 'service_test_…', baseUrl: 'http://localhost:4010/api/v1' });
 */
export interface ClientOptions {
  /**
   * The API key, or a function that returns it. The function is called before each request, so that a rotated
   * key takes effect immediately.
   *
   * @default the environment variable `SERVICE_API_KEY`
   * @example 'service_test_…'
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
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
   * Maximum time per call in milliseconds, all requests and waits included. Also of the pages of an iteration, without
   * the time between them, and of `reconcile`.
   *
   * @default no limit; 60_000 for `reconcile`
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
   * The time in milliseconds for which the service replays the response to a repeated key, and creates one payment, also
   * for concurrent requests. Within it, a create with an unknown outcome is sent again with the same key. State it for this
   * mode only: the test mode proves nothing about live. **If the service does not replay, this pays twice.**
   *
   * @default none: the client does not rely on keys
   * @example 86_400_000
   */
  readonly keyRetention?: number | undefined;
  /**
   * Called before each request, for example to set a `User-Agent`. Headers that it sets are sent, except those that the client sets itself.
   *
   * @default none
   * @example ({ headers }) => headers.set('x-trace', id)
   */
  readonly onRequest?:
    | ((
        request: RequestFacts & {
          /** The headers to send, without the API key. Add fields for a proxy or a trace. */
          readonly headers: Headers;
        },
      ) => unknown)
    | undefined;
  /**
   * Called after each response, when its body was received.
   *
   * @default none
   * @example ({ status, duration }) => metrics.record(status, duration)
   */
  readonly onResponse?:
    | ((
        response: RequestFacts & {
          /** The HTTP status. */
          readonly status: number;
          /** The headers as received. */
          readonly headers: Headers;
          /** The `X-Request-Id` of the response, for questions to the service. */
          readonly requestId: string | undefined;
          /** Time from the request to the end of the response body, in milliseconds. */
          readonly duration: number;
        },
      ) => unknown)
    | undefined;
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
   * @default emits a process warning
   * @example (warning) => log(warning.message)
   */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** The options of one call. */
export interface CallOptions {
  /**
   * Aborts the call immediately, also while it waits for a retry. An abort does not undo a request that was
   * sent.
   *
   * @default none
   * @example controller.signal
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum time per request in milliseconds, response body included.
   *
   * @default the `timeout` of the client
   * @example 5_000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum time of the call in milliseconds, all requests and waits included. Of a list, the time of each page.
   *
   * @default the `totalTimeout` of the client
   * @example 20_000
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Maximum number of retries, from 0 to 15. Only requests that are safe to repeat are retried.
   *
   * @default the `maxRetries` of the client
   * @example 0
   */
  readonly maxRetries?: number | undefined;
  /**
   * The `Idempotency-Key` of the request: 1 to 255 visible ASCII characters.
   *
   * @default none; for `payments.create` see `idempotencyKeys` of the client
   * @example 'order-42'
   */
  readonly idempotencyKey?: string | undefined;
}

type Limit = 'timeout' | 'totalTimeout' | 'maxRetries' | 'readLag' | 'keyRetention';
type Policy = 'baseUrl' | 'allowBrowser' | 'allowInsecureHttp' | 'idempotencyKeys';
type Resolved = { readonly [Name in Limit | Policy]-?: NonNullable<ClientOptions[Name]> };

/** The parsed options with their defaults. `keyRetention` is 0 unless the service replays keys. */
export interface Settings extends Resolved, Pick<ClientOptions, 'onRequest' | 'onResponse'> {
  readonly apiKey: ApiKey | (() => string | Promise<string>);
  /** Undefined for the global `fetch` at the time of each request. */
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Whether the body of a create is a stream: with the global `fetch` of Node and Deno. */
  readonly hasStreams: boolean;
  /** Whether the runtime accepts `cache: 'no-store'`. */
  readonly hasNoStore: boolean;
  /** The `readLag` of `reconcile`. */
  readonly searchLag: number;
  readonly warn: (warning: Warning) => void;
}

const clientFields = {
  apiKey: {
    expected: '',
    parse: (value: unknown): Settings['apiKey'] =>
      typeof value === 'function' ? (value as () => string) : parseKey(value),
  },
  baseUrl: { expected: '', parse: parseBaseUrl },
  fetch: fetchFunction<typeof globalThis.fetch>(),
  timeout: duration,
  totalTimeout: duration,
  maxRetries: wholeNumber(15),
  readLag: wholeNumber(2_147_483_647),
  idempotencyKeys: oneOf('send', 'omit'),
  keyRetention: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
  onRequest: callable<NonNullable<ClientOptions['onRequest']>>(),
  onResponse: callable<NonNullable<ClientOptions['onResponse']>>(),
  allowBrowser: boolean,
  allowInsecureHttp: boolean,
  onWarning: callable<Settings['warn']>(),
} as const satisfies Record<keyof ClientOptions, Field>;

/**
 * Parses the options of a client, with environment variables and defaults for absent ones.
 *
 * @throws {ConfigurationError} when an option is unknown, invalid or missing. The message does not contain
 * the API key.
 */
export function parseOptions(value: unknown = {}): Settings {
  const options = parseUsage('The options of a client', value, clientFields);
  const { fetch, onWarning = emitWarning } = options;
  const isBrowser = isBrowserLike();
  const given = omitUndefined(options) as Partial<Resolved>;
  const { idempotencyKeys = isBrowser ? 'omit' : 'send' } = given;
  if (given.keyRetention !== undefined && idempotencyKeys === 'omit')
    throw createUsageError("keyRetention needs idempotencyKeys: 'send'; in browsers the default is 'omit'.");
  return {
    ...options,
    ...defaults,
    ...given,
    idempotencyKeys,
    apiKey: options.apiKey ?? parseKey(readVariable('SERVICE_API_KEY')),
    baseUrl: options.baseUrl ?? parseBaseUrl(readVariable('SERVICE_BASE_URL')),
    // Browsers do not stream over HTTP/1.
    hasStreams: (fetch === undefined || fetch === globalThis.fetch) && repeatsByItself() && !isBrowser,
    hasNoStore: acceptsNoStore(),
    searchLag: options.readLag ?? 60_000,
    // Its errors must not make a payment that was created look like a failure.
    warn: (warning) => void (async () => onWarning(warning))().catch(() => {}),
  };
}

const defaults = {
  timeout: 30_000,
  totalTimeout: Infinity,
  maxRetries: 2,
  readLag: 10_000,
  keyRetention: 0,
  allowBrowser: false,
  allowInsecureHttp: false,
} as const;

/** Returns a copy without undefined options. */
export function omitUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}

/** An idempotency key or a reference. */
export const token: Field<string> = {
  expected: '1 to 255 visible ASCII characters',
  parse: (value) => (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : undefined),
};

const callFields = {
  signal: abortSignal,
  timeout: duration,
  totalTimeout: duration,
  maxRetries: wholeNumber(15),
  idempotencyKey: token,
} as const satisfies Record<keyof CallOptions, Field>;

/** The options of a call without any. Own properties, so that a polluted prototype changes nothing. */
export const noOptions: CallOptions = /* @__PURE__ */ parseCallOptions({});

/**
 * Parses the options of a call.
 *
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseCallOptions(value: unknown): CallOptions {
  return parseUsage('The options of a call', value, callFields);
}

/** The names of the headers that the client or the connection sets. */
export const reserved: RegExp =
  /^(authorization|x-api-key|idempotency-key|accept|content-(type|length)|host|expect|te|trailer|upgrade|connection|keep-alive|transfer-encoding|proxy-connection)$/;

/**
 * Parses the base URL and removes slashes at its end.
 *
 * @throws {ConfigurationError} when it is invalid. The message does not contain the URL, which may contain a
 * secret.
 */
function parseBaseUrl(value: unknown): string {
  const url = typeof value === 'string' ? tryTo(() => new URL(value)) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(url.href))
    throw new ConfigurationError(
      "baseUrl, or SERVICE_BASE_URL, must be an http or https URL with the version segment, such as 'https://…/api/v1', without user name, password, query and hash.",
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Returns the result of a step, or undefined if it throws. */
function tryTo<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

interface Process {
  readonly env?: Scope;
  readonly versions?: Scope;
  readonly emitWarning?: (message: string, options: object) => void;
}

/** Returns an environment variable, or undefined if it is absent or empty, or the runtime has none. */
export function readVariable(name: string): unknown {
  // Deno throws without permission to read the variable.
  return tryTo(() => (globalThis as { process?: Process }).process?.env?.[name]) || undefined;
}

/**
 * Returns true if `fetch` can replay a request whose body is not a stream: in Node on 421, in Deno on a
 * broken keep-alive connection. Not in Bun, although it imitates Node.
 */
function repeatsByItself(): boolean {
  const { undici, deno, bun } = (globalThis as { process?: Process }).process?.versions ?? {};
  return Boolean((undici ?? deno) && !bun);
}

/**
 * Returns true if the runtime accepts `cache: 'no-store'`. Older releases of workerd throw, and React Native
 * adds a query parameter.
 */
function acceptsNoStore(): boolean {
  const url = 'http://localhost/';
  return tryTo(() => new Request(url, { cache: 'no-store' }).url) === url;
}

/** Emits a process warning in Node, Deno and Bun. Does nothing in other runtimes. */
function emitWarning({ code, message }: Warning): void {
  const { process } = globalThis as { process?: Process };
  process?.emitWarning?.(message, { type: 'ServiceWarning', code });
}
