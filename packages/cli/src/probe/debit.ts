import { type Finding, found, other, unknown } from './finding.ts';
import { type Micro, writeMicro } from './micro.ts';
import type { Observation } from './watch.ts';

/**
 * The balance of a wallet before a payment, and the possible debits of that payment: with the fee and without
 * it.
 */
export interface WalletReading {
  readonly before: Micro;
  readonly debits: readonly Micro[];
}

const stages = ['pending', 'processing', 'completed'] as const;
const debitOf = { pending: 'create', processing: 'processing', completed: 'completed' } as const;

/**
 * Determines the status at which the wallet was debited. The result is `found` only if the balance changed
 * once, by a possible debit, and together with the status. Otherwise other payments changed the balance, or
 * one of the two reads lagged.
 */
export function evaluateDebit(
  observations: readonly Observation[],
  { before, debits }: WalletReading,
): Finding {
  const evidence = formatBalances(observations, before);
  const at = observations.findIndex(({ balance }) => balance !== before);
  const debited = observations[at];
  if (debited === undefined) return unknown('debitAt', `the wallet was not debited: ${evidence}`);
  const { status, balance } = debited;
  const isOwnDebit =
    debits.includes(before - balance) && observations.slice(at).every((one) => one.balance === balance);
  if (!isOwnDebit && status !== 'failed')
    return unknown('debitAt', `the wallet balance changed for other reasons: ${evidence}`);
  const statuses = observations.map((one) => one.status).filter((one, index, all) => one !== all[index - 1]);
  if (isLate(observations, before) || new Set(statuses).size < statuses.length || status === 'failed')
    return unknown('debitAt', `the balance and the status did not change together: ${evidence}`);
  return mapDebit(status, { statuses, evidence });
}

/** Formats the observed statuses and balances. */
export function formatBalances(observations: readonly Observation[], before: Micro): string {
  const parts = observations.map(({ status, balance }) => `${status} ${writeMicro(balance)}`);
  return [`before ${writeMicro(before)}`, ...parts].join(', ');
}

/**
 * Returns true if the first balance change was observed without a status change: one of the two reads lags.
 */
export function isLate(observations: readonly Observation[], before: Micro): boolean {
  const at = observations.findIndex(({ balance }) => balance !== before);
  return at > 0 && observations[at - 1]?.status === observations[at]?.status;
}

interface StatusTrail {
  readonly statuses: readonly string[];
  readonly evidence: string;
}

/**
 * Maps the status of the debit to a value. The debit may also belong to an earlier status that was not
 * observed.
 */
function mapDebit(status: string, { statuses, evidence }: StatusTrail): Finding {
  const stage = stages.findIndex((one) => one === status);
  if (stage < 0) return other('debitAt', evidence);
  const earlier = new Set(statuses.slice(0, statuses.indexOf(status)));
  const last = stages.findLastIndex((one) => earlier.has(one));
  const among = stages.slice(last + 1, stage + 1).map((one) => debitOf[one]);
  const [value] = among;
  return among.length === 1 && value !== undefined
    ? found('debitAt', value, evidence)
    : unknown('debitAt', `debited between two reads: ${evidence}`, among);
}
