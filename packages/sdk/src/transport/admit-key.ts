import type { Mode } from '@service/contract';
import { isLoopback } from '../base-url.ts';
import { isBrowserLike } from '../environment.ts';
import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import { type ApiKey, parseKey } from '../key.ts';
import type { Settings } from '../options.ts';

/**
 * Asks for the key of a call, and checks it as a key that was given once is checked at the start.
 *
 * @throws ConfigurationError (`not_sent`)
 */
export async function askKey(settings: Settings): Promise<ApiKey> {
  return admitKey(await askSource(settings), settings);
}

/** Reads a key and checks that it may be used here: never a live key in a browser or over plain http (spec §5). */
export function admitKey(value: unknown, settings: Settings): ApiKey {
  const key = parseKey(value);
  checkBrowser(key.mode, settings.allowBrowser);
  checkEncryption(key.mode, settings);
  return key;
}

async function askSource({ apiKey }: Settings): Promise<unknown> {
  if (typeof apiKey === 'string') return apiKey;
  try {
    return await apiKey();
  } catch (cause) {
    throw new ConfigurationError('The apiKey function failed.', { cause: redactCause(cause) });
  }
}

function checkBrowser(mode: Mode, allowed: boolean): void {
  if (!isBrowserLike() || (mode === 'test' && allowed)) return;
  throw new ConfigurationError(
    mode === 'live'
      ? 'A live key must not be used in client-side code, where anybody can read it. Call the service from a server.'
      : 'This looks like client-side code, where anybody can read the key. For a test key, pass allowBrowser: true.',
  );
}

function checkEncryption(mode: Mode, { baseUrl, allowInsecureHttp }: Settings): void {
  if (baseUrl.startsWith('https:')) return;
  if (mode === 'live') throw new ConfigurationError('A live key needs an https baseUrl.');
  if (allowInsecureHttp || isLoopback(baseUrl)) return;
  throw new ConfigurationError(
    'Plain http would show the API key to the network. Use https, or pass allowInsecureHttp: true for a test key.',
  );
}
