import { type Finding, found, other, unknown } from './finding.ts';
import { type Micro, writeMicro } from './micro.ts';
import type { Glance } from './watch.ts';

/** Holds what a wallet had before a payment, and what the payment may take from it: the fee comes on top, or does not. */
export type Purse = { readonly before: Micro; readonly sizes: readonly Micro[] };

const stages = ['pending', 'processing', 'completed'] as const;
const debitOf = { pending: 'create', processing: 'processing', completed: 'completed' } as const;

/**
 * Judges with which status a wallet was debited. It says so only of a wallet that moves once, by what the payment takes, and
 * together with a status: else somebody else moved it, or one of the two is late.
 */
export function judgeDebit(glances: readonly Glance[], { before, sizes }: Purse): Finding {
  const evidence = writeTrail(glances, before);
  const at = glances.findIndex(({ balance }) => balance !== before);
  const debited = glances[at];
  if (debited === undefined) return unknown('debitAt', `the wallet was not debited: ${evidence}`);
  const { status, balance } = debited;
  const isOurs =
    sizes.includes(before - balance) && glances.slice(at).every((one) => one.balance === balance);
  if (!isOurs && status !== 'failed')
    return unknown('debitAt', `the wallet moves for other reasons too: ${evidence}`);
  const walked = glances.map((one) => one.status).filter((one, index, all) => one !== all[index - 1]);
  if (isLate(glances, before) || new Set(walked).size < walked.length || status === 'failed')
    return unknown('debitAt', `the wallet and the status do not move together: ${evidence}`);
  return placeDebit(status, { walked, evidence });
}

/** Writes what a wallet held, and with which status. */
export function writeTrail(glances: readonly Glance[], before: Micro): string {
  const trail = glances.map(({ status, balance }) => `${status} ${writeMicro(balance)}`);
  return [`before ${writeMicro(before)}`, ...trail].join(', ');
}

/** Tells whether a wallet was first seen to move while its payment stayed as it was: one of the two is late then. */
export function isLate(glances: readonly Glance[], before: Micro): boolean {
  const at = glances.findIndex(({ balance }) => balance !== before);
  return at > 0 && glances[at - 1]?.status === glances[at]?.status;
}

type Walked = { readonly walked: readonly string[]; readonly evidence: string };

/** The debit came with the status that was seen, or with one before that nobody saw. */
function placeDebit(status: string, { walked, evidence }: Walked): Finding {
  const stage = stages.findIndex((one) => one === status);
  if (stage < 0) return other('debitAt', evidence);
  const earlier = new Set(walked.slice(0, walked.indexOf(status)));
  const last = stages.findLastIndex((one) => earlier.has(one));
  const among = stages.slice(last + 1, stage + 1).map((one) => debitOf[one]);
  const [value] = among;
  return among.length === 1 && value !== undefined
    ? found('debitAt', value, evidence)
    : unknown('debitAt', `debited between two looks: ${evidence}`, among);
}
