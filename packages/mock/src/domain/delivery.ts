import type { DeliveryFaultKind } from './delivery-fault.ts';
import type { EventName, PaymentEvent } from './event.ts';
import type { Instant } from './timestamp.ts';
import type { Profile } from './profile.ts';
import type { Status } from './status.ts';

/** Lists why no receiver answered an attempt; `address`: its host leads where nothing is delivered, `dropped`: on purpose. */
export const failureReasons = ['timeout', 'network', 'address', 'dropped'] as const;

/** Names why no receiver answered an attempt. */
export type FailureReason = (typeof failureReasons)[number];

/** Says how a receiver answered, or why it did not. */
export type AttemptResult =
  | { readonly outcome: 'acknowledged' | 'refused'; readonly httpStatus: number }
  | { readonly outcome: 'failed'; readonly reason: FailureReason };

/** Records one try to deliver an event. */
export interface Attempt {
  readonly at: Instant;
  readonly url: string;
  readonly result: AttemptResult;
}

/** Lists where a delivery stands; `stopped` by a 410 or because there is no endpoint any more. */
export const deliveryStates = ['queued', 'retrying', 'acknowledged', 'exhausted', 'stopped'] as const;

/** Names where a delivery stands. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Holds what became of an event on its way to the endpoint of its books. */
export interface Delivery {
  readonly id: string;
  readonly payment_id: string;
  readonly status: Status;
  readonly event: EventName;
  /** The text that is signed and sent, the same over all attempts unless a profile writes it anew. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, or null. */
  readonly next_at: Instant | null;
  /** What went wrong with its first attempt on purpose, or null. */
  readonly fault: DeliveryFaultKind | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Lists how long after an attempt that failed the next one follows (contract.md 5). */
export const retryDelays: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Opens the delivery of an event; its first attempt is due at once. */
export function openDelivery(id: string, { payment_id, status }: PaymentEvent, body: string): Delivery {
  const event = `payment.${status}` as const;
  return { id, payment_id, status, event, body, state: 'queued', attempts: [], next_at: null, fault: null };
}

/** Puts the first attempt at a delivery off to a time. */
export function postponeDelivery(delivery: Delivery, next_at: Instant): Delivery {
  return { ...delivery, next_at };
}

/** Records an attempt and decides what follows: nothing after a 200 or a 410, else the next attempt while there is one. */
export function recordAttempt(
  delivery: Delivery,
  attempt: Attempt,
  { retrySchedule }: Pick<Profile, 'retrySchedule'>,
): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const settled = finalState(attempt.result);
  if (settled !== undefined) return { ...delivery, attempts, state: settled, next_at: null };
  // An attempt by hand after the schedule has ended starts no new one.
  if (delivery.state !== 'queued' && delivery.state !== 'retrying') return { ...delivery, attempts };
  const delay = retrySchedule === 'none' ? undefined : retryDelays[attempts.length - 1];
  return delay === undefined
    ? { ...delivery, attempts, state: 'exhausted', next_at: null }
    : { ...delivery, attempts, state: 'retrying', next_at: attempt.at + delay };
}

/** Gives a delivery up, because there is no endpoint to deliver to. */
export function stopDelivery(delivery: Delivery): Delivery {
  return { ...delivery, state: 'stopped', next_at: null };
}

function finalState(result: AttemptResult): DeliveryState | undefined {
  if (result.outcome === 'acknowledged') return 'acknowledged';
  return result.outcome === 'refused' && result.httpStatus === 410 ? 'stopped' : undefined;
}
