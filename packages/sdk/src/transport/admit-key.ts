import { isLoopback } from '../options/base-url.ts';
import { isBrowserLike } from '../options/environment.ts';
import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import { type ApiKey, parseKey } from '../options/key.ts';
import type { Settings } from '../options/options.ts';

/**
 * Asks for the key of a call, and checks it as a key that was given once is checked at the start.
 *
 * @throws ConfigurationError (`not_sent`)
 */
export async function askKey(settings: Settings): Promise<ApiKey> {
  const { apiKey } = settings;
  const key = typeof apiKey === 'function' ? parseKey(await askSource(apiKey)) : apiKey;
  admitKey(key, settings);
  return key;
}

/** Checks that a key may be used here: never a live key in a browser or over plain http (spec §5). @throws ConfigurationError */
export function admitKey({ mode }: ApiKey, { baseUrl, allowBrowser, allowInsecureHttp }: Settings): void {
  const isLive = mode === 'live';
  if (isBrowserLike() && (isLive || !allowBrowser)) {
    throw new ConfigurationError(
      `This looks like client-side code, where anybody can read the key. ${isLive ? 'Call the service from a server.' : 'For a test key, pass allowBrowser: true.'}`,
    );
  }
  if (baseUrl.startsWith('https:') || (!isLive && (allowInsecureHttp || isLoopback(baseUrl)))) return;
  throw new ConfigurationError(
    `Plain http would show the API key to the network. Use https${isLive ? '' : ', or pass allowInsecureHttp: true for a test key'}.`,
  );
}

async function askSource(source: () => unknown): Promise<unknown> {
  try {
    return await source();
  } catch (cause) {
    throw new ConfigurationError('The apiKey function failed.', { cause: redactCause(cause) });
  }
}
