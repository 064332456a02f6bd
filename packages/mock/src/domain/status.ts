import type { PaymentStatus } from '@service/contract';
import { statuses } from '@service/internal';

export { statuses };

/** A payment status: one of the contract, or the one that a profile adds. */
export type Status = (typeof statuses)[number] | PaymentStatus;
