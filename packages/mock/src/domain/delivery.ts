import { toMilliseconds } from '@service/internal';
import type { DeliveryFaultKind } from './fault.ts';
import type { EventName, Status } from './payment.ts';
import type { Instant } from './json.ts';
import type { Profile } from './profile.ts';

/**
 * The reason for an attempt without a response. `address`: the host resolves to an address that is not allowed;
 * `dropped`: an injected fault.
 */
export type FailureReason = 'timeout' | 'network' | 'address' | 'dropped';

/** The result of an attempt: the HTTP status of the receiver, or the reason for a missing response. */
export type AttemptResult =
  | {
      /** Whether the status acknowledges the event. */
      readonly outcome: 'acknowledged' | 'refused';
      /** The HTTP status of the receiver. */
      readonly httpStatus: number;
    }
  | {
      /** No response. */
      readonly outcome: 'failed';
      /** Why there is no response. */
      readonly reason: FailureReason;
      /** The failure of the network in words, such as `'connection refused'`, where the runtime names it. */
      readonly detail?: string;
    };

/** One attempt to deliver an event. */
export interface Attempt {
  /** Sandbox time of the attempt, in milliseconds since 1970. */
  readonly at: Instant;
  /** The URL of the endpoint at that time; `collect:` for collected events. */
  readonly url: string;
  /** The response of the receiver, or the reason why it has not responded. */
  readonly result: AttemptResult;
  /** Present for an attempt by `redeliver`, which uses no place in the schedule of the retries. */
  readonly isManual?: true;
}

/** Where a delivery is in its schedule of attempts. `stopped`: after a 410, or when the endpoint was removed. */
export type DeliveryState = 'queued' | 'retrying' | 'acknowledged' | 'exhausted' | 'stopped';

/** The delivery of one event to the endpoint of its account and mode. */
export interface Delivery {
  /** The id (`dlv_test_…`), for `webhooks.redeliver`. */
  readonly id: string;
  /** The id of the payment (`pay_test_…`) whose status changed. */
  readonly payment_id: string;
  /** The payment status that the event reports. */
  readonly status: Status;
  /** The name of the event, such as `'payment.completed'`. */
  readonly event: EventName;
  /** The signed and sent text. It is the same for all attempts, unless the profile renews it. */
  readonly body: string;
  /** `queued` before the first attempt, `retrying` before the next one; the other states end the schedule. */
  readonly state: DeliveryState;
  /** The attempts so far, oldest first. */
  readonly attempts: readonly Attempt[];
  /** The time of the next scheduled attempt, or null. */
  readonly next_at: Instant | null;
  /** The injected fault of its first attempt, or null. */
  readonly fault: DeliveryFaultKind | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays between a failed attempt and the next one, in milliseconds. */
export const retryDelays: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Records an attempt and schedules the next one, unless the result is final or the schedule has ended. */
export function recordAttempt(
  delivery: Delivery,
  attempt: Attempt,
  { retrySchedule }: Pick<Profile, 'retrySchedule'>,
): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const settled = finalState(attempt.result);
  if (settled !== undefined) return { ...delivery, attempts, state: settled, next_at: null };
  const isScheduled = delivery.state === 'queued' || delivery.state === 'retrying';
  if (attempt.isManual || !isScheduled) return { ...delivery, attempts };
  const scheduled = attempts.filter(({ isManual }) => !isManual).length;
  const delay = retrySchedule[scheduled - 1];
  return delay === undefined
    ? { ...delivery, attempts, state: 'exhausted', next_at: null }
    : { ...delivery, attempts, state: 'retrying', next_at: attempt.at + toMilliseconds(delay) };
}

/** Stops a delivery that has no endpoint. */
export function stopDelivery(delivery: Delivery): Delivery {
  return { ...delivery, state: 'stopped', next_at: null };
}

function finalState(result: AttemptResult): DeliveryState | undefined {
  if (result.outcome === 'acknowledged') return 'acknowledged';
  return result.outcome === 'refused' && result.httpStatus === 410 ? 'stopped' : undefined;
}
