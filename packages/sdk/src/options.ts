import { parseBaseUrl } from './base-url.ts';
import { readVariable } from './environment.ts';
import { ConfigurationError } from './errors/local-errors.ts';
import { type HeaderFields, parseHeaders } from './headers.ts';
import { copyOwn, isRecord } from './json.ts';
import { type ApiKey, type ApiKeySource, parseKey } from './key.ts';
import { describeUnknown } from './nearest.ts';
import { emitWarning, type Warning } from './warnings.ts';

/** Names the header that carries the key: `Authorization: Bearer` or `X-API-Key` (spec §5). */
export type AuthScheme = 'bearer' | 'x-api-key';

/**
 * Carries a request; the place for a fake in tests, a proxy or a pool of connections. It must send the request once: a
 * create that it sends again can pay twice, and a second try that fails to connect makes a payment that was made look
 * `not_sent`. Some runtimes send again on their own: undici on 421 and browsers on a connection that they use again. On
 * Node the client hands over a body that can be read once, so that undici cannot, unless your function copies it.
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
  return {
    apiKey: typeof apiKey === 'function' ? (apiKey as () => string) : parseKey(apiKey),
    auth: parseAuth(options.auth ?? 'bearer'),
    baseUrl: parseBaseUrl(baseUrl),
    fetch: parseFetch(options.fetch),
    timeout: parseTimeout('timeout', options.timeout ?? 30_000),
    headers: parseHeaders(options.headers),
    allowBrowser: parseFlag('allowBrowser', options.allowBrowser),
    allowInsecureHttp: parseFlag('allowInsecureHttp', options.allowInsecureHttp),
    warn: (parseFunction('onWarning', options.onWarning) as Settings['warn'] | undefined) ?? emitWarning,
  };
}

/** Copies an object of options. @throws ConfigurationError for a name that is not among the known ones. */
export function pickKnown(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (value === undefined) return copyOwn({});
  if (!isRecord(value)) throw new ConfigurationError('The options must be an object.');
  const stranger = Object.keys(value).find((name) => !names.includes(name));
  if (stranger !== undefined) throw new ConfigurationError(`Option ${describeUnknown(stranger, names)}`);
  return copyOwn(value);
}

/** Checks a span in milliseconds. @throws ConfigurationError when no timer can measure it. */
export function parseTimeout(name: string, value: unknown): number {
  // A timer set for longer than a signed 32-bit number of milliseconds goes off at once.
  if (typeof value === 'number' && value > 0 && value <= 2_147_483_647) return value;
  throw new ConfigurationError(
    `${name} must be a number of milliseconds, more than 0 and at most 2147483647.`,
  );
}

function parseAuth(value: unknown): AuthScheme {
  if (value === 'bearer' || value === 'x-api-key') return value;
  throw new ConfigurationError("auth must be 'bearer' or 'x-api-key'.");
}

function parseFlag(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new ConfigurationError(`${name} must be true or false.`);
}

function parseFunction(name: string, value: unknown): ((value: never) => unknown) | undefined {
  if (value === undefined || typeof value === 'function') return value as (() => unknown) | undefined;
  throw new ConfigurationError(`${name} must be a function.`);
}

function parseFetch(value: unknown): Fetch {
  if (typeof value === 'function') return value as Fetch;
  if (value !== undefined) throw new ConfigurationError('fetch must be a function that takes a Request.');
  return (request) => globalThis.fetch(request);
}
