/**
 * A client for the transaction history only, for small bundles. Each entry point has its own copy of the
 * error classes, so check errors with `isServiceError` and the other guards instead of `instanceof`.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createTransactions as createResource, type Transactions } from '../resources/transactions.ts';
import { createClientContext } from '../transport/client-context.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Transactions } from '../resources/transactions.ts';

/**
 * Creates a client for the transaction history only: equal to `createClient(options).transactions`, in a
 * smaller bundle.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const transactions = createTransactions({ apiKey, baseUrl });
 */
export function createTransactions<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Transactions<ModeOf<Source>> {
  return createResource(createClientContext(options));
}
