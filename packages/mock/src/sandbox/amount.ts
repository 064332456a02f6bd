import { isSupported, type MinorUnits, smallestStep } from '../domain/currency.ts';
import { AMOUNT_SCALE, type Minor, parseDecimal } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import { SandboxError } from '../world/sandbox-error.ts';

/** Reads an amount of 0 or more in a known currency into minor units. Throws `SandboxError`. */
export function readAmountOf(currency: Currency, amount: number | string, minorUnits: MinorUnits): Minor {
  if (typeof currency !== 'string' || !isSupported(currency)) {
    throw new SandboxError('invalid_argument', `${JSON.stringify(currency)} is no currency of the sandbox.`);
  }
  const isText = typeof amount === 'number' || typeof amount === 'string';
  const units = isText ? parseDecimal(String(amount), AMOUNT_SCALE) : undefined;
  if (units !== undefined && units >= 0n && units % smallestStep(currency, minorUnits) === 0n) return units;
  const decimals = smallestStep(currency, minorUnits) === 1n ? 'at most 2 decimals' : 'no decimals';
  const message = `${String(amount)} is no amount of ${currency}; write a number or text with ${decimals}, such as '1000'.`;
  throw new SandboxError('invalid_argument', message);
}
