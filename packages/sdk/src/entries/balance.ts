/**
 * Speaks of balance alone, in the smallest bundle: the rest of the client stays out of it.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createBalances as assemble, type Balances } from '../resources/balance.ts';
import { assembleTransport } from '../transport/assemble.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Balances } from '../resources/balance.ts';

/**
 * Creates what `createClient(options).balance` is.
 *
 * @throws ConfigurationError for options that are wrong, and for a key that must not be used here.
 */
export function createBalances<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Balances<ModeOf<Source>> {
  return assemble(assembleTransport(options));
}
