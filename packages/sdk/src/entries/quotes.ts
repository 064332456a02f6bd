/**
 * Speaks of quotes alone, in the smallest bundle: the rest of the client stays out of it.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createQuotes as assemble, type Quotes } from '../resources/quotes.ts';
import { assembleTransport } from '../transport/assemble.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Quotes } from '../resources/quotes.ts';

/**
 * Creates what `createClient(options).quotes` is.
 *
 * @throws ConfigurationError for options that are wrong, and for a key that must not be used here.
 */
export function createQuotes<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Quotes<ModeOf<Source>> {
  return assemble(assembleTransport(options));
}
