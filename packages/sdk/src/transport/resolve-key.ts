import { isLoopback } from '../options/base-url.ts';
import { isBrowserLike } from '../options/environment.ts';
import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import { type ApiKey, parseKey } from '../options/key.ts';
import type { Settings } from '../options/options.ts';

/**
 * Returns the API key for a request. A key from a function is checked in the same way as a fixed key.
 *
 * @throws {ConfigurationError} when the function throws, or its key is invalid or must not be used here.
 */
export async function resolveKey(settings: Settings): Promise<ApiKey> {
  const { apiKey } = settings;
  const key = typeof apiKey === 'function' ? parseKey(await callKeySource(apiKey)) : apiKey;
  assertKeyAllowed(key, settings);
  return key;
}

/**
 * Checks that an API key may be used in this environment: a live key neither in a browser nor over plain http
 * (docs/contract.md#authentication).
 *
 * @throws {ConfigurationError} when the key must not be used.
 */
export function assertKeyAllowed(
  { mode }: ApiKey,
  { baseUrl, allowBrowser, allowInsecureHttp }: Settings,
): void {
  const isLive = mode === 'live';
  if (isBrowserLike() && (isLive || !allowBrowser)) {
    throw new ConfigurationError(
      `API keys must not be in client-side code, where users can read them. ${isLive ? 'Call the service from a server.' : 'For a test key, pass allowBrowser: true.'}`,
    );
  }
  if (baseUrl.startsWith('https:') || (!isLive && (allowInsecureHttp || isLoopback(baseUrl)))) return;
  throw new ConfigurationError(
    `Plain http exposes the API key to the network. Use https${isLive ? '' : ', or pass allowInsecureHttp: true for a test key'}.`,
  );
}

async function callKeySource(source: () => unknown): Promise<unknown> {
  try {
    return await source();
  } catch (cause) {
    throw new ConfigurationError('The apiKey function failed.', { cause: redactCause(cause) });
  }
}
