import { assertKeyAllowed } from '../options/key.ts';
import { parseOptions, type Settings } from '../options/settings.ts';
import type { KnownAmounts } from '../values/payment.ts';
import type { Clock } from './clock.ts';

/** The parts that all requests of a client share. */
export interface ClientContext {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly amounts: KnownAmounts;
}

/**
 * Creates the context of a client.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 */
export function createClientContext(options: unknown, clock: Clock): ClientContext {
  const settings = parseOptions(options);
  if (typeof settings.apiKey !== 'function') assertKeyAllowed(settings.apiKey, settings);
  return { settings, clock, amounts: { payments: new Map(), unit: undefined } };
}
