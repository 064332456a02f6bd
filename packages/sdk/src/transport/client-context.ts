import { parseOptions } from '../options/options.ts';
import { assertKeyAllowed } from './resolve-key.ts';
import { type Clock, systemClock } from './clock.ts';
import type { ClientContext } from './attempt.ts';
import { createKnownPayments } from './known-payments.ts';

/**
 * Creates the context of a client.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 */
export function createClientContext(options: unknown, clock: Clock = systemClock): ClientContext {
  const settings = parseOptions(options);
  if (typeof settings.apiKey !== 'function') assertKeyAllowed(settings.apiKey, settings);
  return { settings, clock, known: createKnownPayments(clock) };
}
