import type { PaymentStatus } from '@service/contract';
import { statuses } from '@service/internal';

export { statuses };

/** A payment status: one of the contract, or one that a profile adds. */
export type Status = PaymentStatus | (string & {});

/** The transitions between payment statuses. */
export const transitions = ['process', 'review', 'complete', 'fail', 'return'] as const;

/** A transition between payment statuses. */
export type Transition = (typeof transitions)[number];
