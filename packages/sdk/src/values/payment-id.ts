import type { Mode } from '@service/contract';

/** Returns the mode that a payment id names; undefined for what is no payment id (spec §2). */
export function modeOfPaymentId(id: unknown): Mode | undefined {
  const mode = typeof id === 'string' ? /^pay_(test|live)_[\w-]+$/.exec(id)?.[1] : undefined;
  return mode === 'test' || mode === 'live' ? mode : undefined;
}
