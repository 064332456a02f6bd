import type { Mode } from './payments.ts';

/** Course of a payment. */
export type Outcome = 'paid' | 'closed' | 'screened' | 'returned' | 'unavailable';

/** Beneficiary accounts with which callers try failures, in test mode only. */
const outcomes: ReadonlyMap<string, Outcome> = new Map([
  ['IE64TEST99990000000051', 'closed'],
  ['IE64TEST99990000000052', 'screened'],
  ['IE64TEST99990000000061', 'returned'],
  ['IE64TEST99990000000090', 'unavailable'],
]);

export function findTestOutcome(mode: Mode, account: string | null): Outcome {
  if (mode === 'live' || account === null) return 'paid';
  return outcomes.get(account.replaceAll(' ', '')) ?? 'paid';
}
