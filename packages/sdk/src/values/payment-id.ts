import type { Mode } from '@service/contract';

/**
 * Returns the mode of a payment id, or undefined for a value that is not a payment id
 * (docs/contract.md#payments).
 */
export function modeOfPaymentId(id: unknown): Mode | undefined {
  const mode = typeof id === 'string' ? /^pay_(test|live)_[\w-]+$/.exec(id)?.[1] : undefined;
  return mode === 'test' || mode === 'live' ? mode : undefined;
}
