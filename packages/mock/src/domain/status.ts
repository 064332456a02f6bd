import type { PaymentStatus } from '@service/contract';

/** Lists every status that a payment of the sandbox can take, in the order in which it can; `under_review` is invented (contract.md 8). */
export const statuses = ['pending', 'processing', 'under_review', 'completed', 'failed'] as const;

/** Names a status of a payment: those of the contract, and the one that a profile can invent. */
export type Status = (typeof statuses)[number] | PaymentStatus;

/** Tells whether a payment can still fail or complete from a status. */
export function isOpen(status: Status): boolean {
  return status !== 'completed' && status !== 'failed';
}
