import type { Mode } from '@service/contract';
import { ConfigurationError } from '../errors/local-errors.ts';

/** A test API key: `service_test_…`. */
export type TestKey = `service_test_${string}`;

/** A live API key: `service_live_…`. */
export type LiveKey = `service_live_${string}`;

/**
 * An API key, or a function that returns it. The function is called before each request, so that a rotated
 * key takes effect immediately.
 */
export type ApiKeySource = string | (() => string | Promise<string>);

/** The mode of an API key, from its type. A plain `string` can be of either mode. */
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
  if (typeof value !== 'string' || value === '') {
    throw new ConfigurationError(
      'The API key is missing. Pass apiKey, a string or a function that returns one, or set SERVICE_API_KEY.',
    );
  }
  const mode = /^service_(test|live)_[\x21-\x7e]+$/.exec(value)?.[1];
  if (mode === 'test' || mode === 'live') return { secret: value, mode };
  throw new ConfigurationError(
    'The API key must start with service_test_ or service_live_, followed by visible ASCII characters. Check that no space or line break was copied with it.',
  );
}
