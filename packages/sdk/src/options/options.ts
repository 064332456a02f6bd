import type { HeaderFields } from './headers.ts';
import type { RequestHook, ResponseHook, RetryHook } from './hooks.ts';
import type { ApiKeySource } from './key.ts';
import type { Logger, LogLevel, Warning } from './log.ts';
import type { ResponseSchemas } from './response-schema.ts';

/** The header of the API key: `Authorization: Bearer` or `X-API-Key`. */
export type AuthScheme = 'bearer' | 'x-api-key';

/** The request of a custom `fetch`, without its URL. */
export interface FetchInit {
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
}

/** The parts of a response that the client needs. Its body is streamed if it is a web stream. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, of which the client reads single values. */
  readonly headers: {
    /** Returns the value of a header, or null. */
    readonly get: (name: string) => string | null;
  };
  /** Reads the body. */
  readonly text: () => Promise<string>;
}

/**
 * A function that sends a request, for example a fake in tests, a proxy or a connection pool. It is called
 * with a URL and options, like the global `fetch`.
 *
 * It must send each request exactly once. A create that it sends twice can pay twice. If its second attempt
 * cannot connect, a payment that was created is reported as `'not_sent'`. Some runtimes repeat requests by
 * themselves: undici on 421, Deno and browsers on a reused connection. The client prevents this only with the
 * global `fetch` of Node and Deno.
 *
 * @example
 * const client = createClient({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) });
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

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
   * The time in milliseconds for which the service replays the response to a repeated key, and creates one payment, also
   * for concurrent requests. Within it, a create with an unknown outcome is sent again with the same key. State it for this
   * mode only: the test mode proves nothing about live. **If the service does not replay, this pays twice.**
   *
   * @default none: the client does not rely on keys
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
