import type { Mode } from '@service/contract';
import { ConfigurationError } from '../errors/local-errors.ts';

/** Has the form of a test key (spec §5). */
export type TestKey = `service_test_${string}`;

/** Has the form of a live key (spec §5). */
export type LiveKey = `service_live_${string}`;

/** Gives an API key: the key itself, or a function that is asked before each call, so that a new key takes effect. */
export type ApiKeySource = string | (() => string | Promise<string>);

/** Tells the mode of a key from its type; a plain `string` may be of either mode. */
export type ModeOf<Source> = Source extends (...input: never) => infer Key
  ? ModeOfKey<Awaited<Key>>
  : ModeOfKey<Source>;

type ModeOfKey<Key> = Key extends 'service_test_' | 'service_live_'
  ? never
  : Key extends TestKey
    ? 'test'
    : Key extends LiveKey
      ? 'live'
      : Mode;

/** Holds a key that was checked, and its mode. */
export type ApiKey = { readonly secret: string; readonly mode: Mode };

/**
 * Reads an API key.
 *
 * @throws ConfigurationError that never shows the key.
 */
export function parseKey(value: unknown): ApiKey {
  if (typeof value !== 'string' || value === '') {
    throw new ConfigurationError(
      'An API key is needed: pass `apiKey`, a string or a function that returns one, or set SERVICE_API_KEY.',
    );
  }
  const mode = /^service_(test|live)_[\x21-\x7e]+$/.exec(value)?.[1];
  if (mode === 'test' || mode === 'live') return { secret: value, mode };
  throw new ConfigurationError(
    'The API key must be service_test_ or service_live_ and more visible ASCII characters. Was a line break or a space copied with it?',
  );
}
