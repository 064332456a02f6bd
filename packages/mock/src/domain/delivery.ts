import { toMilliseconds } from '@service/internal';
import type { deliveryFaultKinds } from './fault.ts';
import type { Status } from './status.ts';

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
      /**
       * Why there is no response. `address`: the host resolves to an address that is not allowed; `dropped`: an injected
       * fault.
       */
      readonly reason: 'timeout' | 'network' | 'address' | 'dropped';
      /** The failure of the network in words, such as `'connection refused'`, where the runtime names it. */
      readonly detail?: string;
    };

/** One attempt to deliver an event. */
export interface Attempt {
  /** Sandbox time of the attempt, in milliseconds since 1970. */
  readonly at: number;
  /** The URL of the endpoint at that time; `collect:` for collected events. */
  readonly url: string;
  /** The response of the receiver, or the reason why it has not responded. */
  readonly result: AttemptResult;
  /** Present for an attempt by `redeliver`, which uses no place in the schedule of the retries. */
  readonly isManual?: true;
}

/** The delivery of one event to the endpoint of its account and mode. */
export interface Delivery {
  /** The id (`dlv_test_…`), for `webhooks.redeliver`. */
  readonly id: string;
  /** The id of the payment (`pay_test_…`) whose status changed. */
  readonly payment_id: string;
  /** The payment status that the event reports. */
  readonly status: Status;
  /** The name of the event, such as `'payment.completed'`. */
  readonly event: `payment.${Status}`;
  /** The signed and sent text. It is the same for all attempts, unless the profile renews it. */
  readonly body: string;
  /**
   * `queued` before the first attempt, `retrying` before the next one; the other states end the schedule. `stopped`: after
   * a 410, or when the endpoint was removed.
   */
  readonly state: 'queued' | 'retrying' | 'acknowledged' | 'exhausted' | 'stopped';
  /** The attempts so far, oldest first. */
  readonly attempts: readonly Attempt[];
  /** The time of the next scheduled attempt, or null. */
  readonly next_at: number | null;
  /** The injected fault of its first attempt, or null. */
  readonly fault: (typeof deliveryFaultKinds)[number] | null;
}

/** The delays between a failed attempt and the next one, in milliseconds. */
export const retryDelays: readonly number[] = (['5s', '5m', '30m', '2h', '5h', '10h', '10h'] as const).map(
  (delay) => toMilliseconds(delay),
);
