/**
 * A client for payments only, for small bundles. Each entry point has its own copy of the error classes, so
 * check errors with `isServiceError` and the other guards instead of `instanceof`.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createPayments as createResource, type Payments } from '../resources/payments.ts';
import { createClientContext } from '../transport/client-context.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Payments } from '../resources/payments.ts';

/**
 * Creates a client for payments only: equal to `createClient(options).payments`, in a smaller bundle.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const payments = createPayments({ apiKey, baseUrl });
 */
export function createPayments<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Payments<ModeOf<Source>> {
  return createResource(createClientContext(options));
}
