import { parseOptions } from '../options/options.ts';
import { admitKey } from './admit-key.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Transport } from './attempt.ts';
import { createKnownPayments } from './known-payments.ts';

/** Makes what the requests of a client go through. @throws ConfigurationError for options that are wrong */
export function assembleTransport(options: unknown, clock: Clock = systemClock): Transport {
  const settings = parseOptions(options);
  if (typeof settings.apiKey !== 'function') admitKey(settings.apiKey, settings);
  return { settings, clock, known: createKnownPayments(clock) };
}
