/**
 * Speaks of transactions alone, in the smallest bundle: the rest of the client stays out of it.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createTransactions as assemble, type Transactions } from '../resources/transactions.ts';
import { assembleTransport } from '../transport/assemble.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Transactions } from '../resources/transactions.ts';

/**
 * Creates what `createClient(options).transactions` is.
 *
 * @throws ConfigurationError for options that are wrong, and for a key that must not be used here.
 */
export function createTransactions<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Transactions<ModeOf<Source>> {
  return assemble(assembleTransport(options));
}
