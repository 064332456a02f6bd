import { parseRecord } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import type { Intent, IntentState } from '@service/sdk/payer';

/** The state of a payment of a run: that of its intent, or `new` without one. */
export type RunState = IntentState | 'new';

/** All states, in the order of a report. */
export const runStates: readonly RunState[] = [
  'created',
  'rejected',
  'abandoned',
  'unknown',
  'sending',
  'planned',
  'new',
];

/** A payment of a run: a line of a file, an intent of a store, or both. */
export interface RunPayment {
  /** The line of the file. Undefined for an intent that was read without a file. */
  readonly line: number | undefined;
  readonly reference: string;
  readonly digest: string;
  /** The request, with the beneficiary, which is not printed. Empty if the store has none. */
  readonly body: PaymentInput;
  state: RunState;
  paymentId?: string | undefined;
  /** The last known status of the payment. */
  status?: string | undefined;
  reason?: string | undefined;
  /** The ids of payments that do not fit the record. */
  conflicts?: readonly string[] | undefined;
  version?: number | undefined;
  /** The time of the first request. */
  sentAt?: string | undefined;
  /** The end of the lease of the worker that is sending it, in milliseconds since 1970. */
  leaseEnd?: number | undefined;
  /** Whether the store failed to record the result, so that its intent is older. */
  isUnrecorded?: boolean | undefined;
}

/** Returns the request of an intent. */
export function readBody({ body = '' }: Intent): PaymentInput {
  return (parseRecord(body) ?? {}) as unknown as PaymentInput;
}

/** Sets the state of a payment to that of its intent. */
export function applyIntent(payment: RunPayment, intent: Intent): void {
  const { state, version, paymentId, conflicts, reason, sends, holder } = intent;
  payment.state = state;
  payment.version = version;
  payment.paymentId = paymentId;
  payment.conflicts = conflicts?.map((conflict) => conflict.paymentId);
  // The reason of this process has more details.
  payment.reason = state === 'created' ? undefined : (payment.reason ?? reason);
  [payment.sentAt] = sends;
  payment.leaseEnd = state === 'sending' && holder ? Date.parse(holder.until) : undefined;
}

/** Returns whether a payment has its result. */
export function isFinal({ state }: RunPayment): boolean {
  return state === 'created' || state === 'rejected' || state === 'abandoned';
}

/** Counts payments by state. */
export function countStates(payments: Iterable<RunPayment>): Readonly<Record<RunState, number>> {
  const counts = Object.fromEntries(runStates.map((state) => [state, 0])) as Record<RunState, number>;
  for (const { state } of payments) counts[state] += 1;
  return counts;
}
