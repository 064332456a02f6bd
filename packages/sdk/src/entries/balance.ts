/**
 * A client for wallet balances only, for small bundles. Each entry point has its own copy of the error
 * classes, so check errors with `isServiceError` and the other guards instead of `instanceof`.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createBalances as createResource, type Balances } from '../resources/balance.ts';
import { createClientContext } from '../transport/client-context.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Balances } from '../resources/balance.ts';

/**
 * Creates a client for wallet balances only: equal to `createClient(options).balance`, in a smaller bundle.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const balance = createBalances({ apiKey, baseUrl });
 */
export function createBalances<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Balances<ModeOf<Source>> {
  return createResource(createClientContext(options));
}
