/**
 * Speaks of payments alone, in the smallest bundle: the rest of the client stays out of it.
 *
 * @module
 */
import type { ApiKeySource, ModeOf } from '../options/key.ts';
import type { ClientOptions } from '../options/options.ts';
import { createPayments as assemble, type Payments } from '../resources/payments.ts';
import { assembleTransport } from '../transport/assemble.ts';

export type { ClientOptions } from '../options/options.ts';
export type { Payments } from '../resources/payments.ts';

/**
 * Creates what `createClient(options).payments` is.
 *
 * @throws ConfigurationError for options that are wrong, and for a key that must not be used here.
 */
export function createPayments<const Source extends ApiKeySource = string>(
  options?: ClientOptions<Source>,
): Payments<ModeOf<Source>> {
  return assemble(assembleTransport(options));
}
