import { isSupported } from '../domain/currency.ts';
import { AMOUNT_SCALE, type Minor, parseDecimal } from '../domain/money.ts';
import type { Currency } from '@service/contract';
import { SandboxError } from '../world/sandbox-error.ts';

/** Reads an amount of 0 or more in a known currency into minor units. Throws `SandboxError`. */
export function readAmountOf(currency: Currency, amount: number | string): Minor {
  if (!isSupported(currency)) {
    throw new SandboxError('invalid_argument', `${JSON.stringify(currency)} is no currency of the sandbox.`);
  }
  const units = parseDecimal(String(amount), AMOUNT_SCALE);
  if (units !== undefined && units >= 0n) return units;
  const example = `${currency}: '1000.00'`;
  const message = `${JSON.stringify(amount)} is no amount; write a number of at most 2 decimals, such as ${example}.`;
  throw new SandboxError('invalid_argument', message);
}
