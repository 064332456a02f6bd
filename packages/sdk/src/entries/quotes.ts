/**
 * A client for exchange quotes only, for small bundles. Each entry point has its own copy of the error
 * classes, so check errors with `isServiceError` and the other guards instead of `instanceof`.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createQuotes as createResource, type Quotes } from '../resources/quotes.ts';
import { createClientContext } from '../transport/client-context.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Quotes } from '../resources/quotes.ts';

/**
 * Creates a client for exchange quotes only: equal to `createClient(options).quotes`, in a smaller bundle.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const quotes = createQuotes({ apiKey, baseUrl });
 */
export function createQuotes<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Quotes<ModeOf<Source>> {
  return createResource(createClientContext(options));
}
