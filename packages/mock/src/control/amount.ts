import { AMOUNT_SCALE, isSupported, type Minor, parseDecimal, smallestStep } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** The largest amount that a double represents exactly to the cent. */
const MOST: Minor = 10n ** 15n - 1n;

/**
 * Parses an amount of 0 or more in a supported currency.
 *
 * @throws {SandboxError}
 */
export function readAmountOf(currency: Currency, amount: number | string, profile: Profile): Minor {
  const { minorUnits } = profile;
  if (typeof currency !== 'string' || !isSupported(currency, profile)) {
    throw new SandboxError('invalid_argument', `${JSON.stringify(currency)} is not a supported currency.`);
  }
  const isText = typeof amount === 'number' || typeof amount === 'string';
  const units = isText ? parseDecimal(String(amount), AMOUNT_SCALE) : undefined;
  const isInRange = units !== undefined && units >= 0n && units <= MOST;
  if (isInRange && units % smallestStep(currency, minorUnits) === 0n) return units;
  const decimals = smallestStep(currency, minorUnits) === 1n ? 'at most 2 decimals' : 'no decimals';
  const message = `${String(amount)} is not an amount of ${currency}. Use a number or text with ${decimals}, such as '1000'${units !== undefined && units > MOST ? ', up to 9999999999999.99' : ''}.`;
  throw new SandboxError('invalid_argument', message);
}
