import type { PaymentStatus } from '@service/contract';

/**
 * The payment statuses of the sandbox in order. `under_review` exists only with the setting `unknownStatus:
 * 'invented'`.
 */
export const statuses = ['pending', 'processing', 'under_review', 'completed', 'failed'] as const;

/** A payment status: one of the contract, or the one that a profile adds. */
export type Status = (typeof statuses)[number] | PaymentStatus;
