import type { Mode } from '@service/contract';
import { isLoopback } from '@service/internal';
import { callUser, ConfigurationError } from './errors.ts';
import type { Settings } from './options.ts';

/** A valid API key and its mode. */
export interface ApiKey {
  readonly secret: string;
  readonly mode: Mode;
}

/**
 * Parses an API key.
 *
 * @throws {ConfigurationError} when it is missing or invalid. The message does not contain the key.
 */
export function parseKey(value: unknown): ApiKey {
  if (typeof value !== 'string' || value === '')
    throw new ConfigurationError(
      'The API key is missing. Pass apiKey, or set SERVICE_API_KEY. `service-cli dev -- COMMAND` sets one for tests.',
    );
  const mode = /^service_(test|live)_[\x21-\x7e]+$/.exec(value)?.[1] as Mode | undefined;
  if (mode) return { secret: value, mode };
  throw new ConfigurationError(
    'The API key must start with service_test_ or service_live_ and have only visible ASCII characters.',
  );
}

/** The settings that permit a test key in a browser and over plain http. */
type KeyPolicy = Pick<Settings, 'baseUrl' | 'allowBrowser' | 'allowInsecureHttp'>;

/**
 * Returns the API key for a request from the function of the caller, checked like a fixed key.
 *
 * @throws {ConfigurationError} when the function throws, or its key is invalid or must not be used here.
 */
export async function resolveKey(source: () => unknown, policy: KeyPolicy): Promise<ApiKey> {
  const key = parseKey(await callUser('The apiKey function', source));
  assertKeyAllowed(key, policy);
  return key;
}

/**
 * Checks that an API key may be used in this environment: a live key neither in a browser nor over plain http to
 * another machine
 * (docs/contract.md#authentication).
 *
 * @throws {ConfigurationError} when the key must not be used.
 */
export function assertKeyAllowed({ mode }: ApiKey, policy: KeyPolicy): void {
  const isLive = mode === 'live';
  if (isBrowserLike() && (isLive || !policy.allowBrowser))
    throw new ConfigurationError(
      `API keys must not be in client-side code, where users can read them. ${isLive ? 'Call the service from a server.' : 'For a test key, pass allowBrowser: true.'}`,
    );
  // Requests to a loopback address do not leave the machine.
  const isLocal = isLoopback(new URL(policy.baseUrl).hostname);
  if (policy.baseUrl.startsWith('https:') || isLocal || (policy.allowInsecureHttp && !isLive)) return;
  throw new ConfigurationError(
    `Plain http exposes the API key to the network. Use https${isLive ? '' : ', or pass allowInsecureHttp: true for a test key'}.`,
  );
}

/** The names of a runtime, of which each can be absent. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * Returns true if users can read the code: in a page, in a worker of a browser and in React Native
 * (docs/contract.md#authentication).
 */
export function isBrowserLike(): boolean {
  const { window, document, navigator, importScripts, Deno, WorkerGlobalScope } = globalThis as Scope;
  const { product, userAgent } = (navigator ?? {}) as Scope;
  if ((window && document) || product === 'ReactNative') return true;
  // These run on servers, and have the same globals as a browser worker.
  if (userAgent === 'Cloudflare-Workers' || Deno) return false;
  const isWorker = typeof WorkerGlobalScope === 'function' && globalThis instanceof WorkerGlobalScope;
  return isWorker || typeof importScripts === 'function';
}
