import { type PaymentStatus, paymentStatuses } from '@service/contract';

/** The documented payment statuses, in order. */
export const statuses: readonly PaymentStatus[] = paymentStatuses;

/** A payment status: one of the contract, or one that a profile adds. */
export type Status = PaymentStatus | (string & {});

/** The transitions between payment statuses. */
export const transitions = ['process', 'review', 'complete', 'fail', 'return'] as const;

/** A transition between payment statuses. */
export type Transition = (typeof transitions)[number];
