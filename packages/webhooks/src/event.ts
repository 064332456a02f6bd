/** The statuses of a payment, in order. */
export const PAYMENT_STATUSES: readonly PaymentStatus[] = ['pending', 'processing', 'completed', 'failed'];

/** The modes of an account. */
export const MODES: readonly unknown[] = ['test', 'live'] satisfies Mode[];

/**
 * A documented status. `completed` and `failed` are final, but a completed payment can fail if the bank
 * returns it.
 */
export type PaymentStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** The mode of an account. */
export type Mode = 'test' | 'live';

/** The name of a documented event: `payment.` and the new status. */
export type PaymentEventName = `payment.${PaymentStatus}`;

/** The names of the documented events. */
export const PAYMENT_EVENT_NAMES: readonly PaymentEventName[] = /* @__PURE__ */ PAYMENT_STATUSES.map(
  (status) => `payment.${status}` as const,
);

/** The payment of an event, with the field names of the wire. */
export interface PaymentEventData<Status extends PaymentStatus = PaymentStatus> {
  /** The id of the payment: `pay_test_…` or `pay_live_…`, depending on `mode`. */
  readonly id: string;
  /** The new status of the payment. */
  readonly status: Status;
  /** The currency of the debited wallet, an ISO 4217 code. */
  readonly from_currency: string;
  /** The currency that the beneficiary receives, an ISO 4217 code. */
  readonly to_currency: string;
  /** The sent amount, in `from_currency`: a JSON number or decimal text, as it was sent. */
  readonly send_amount: number | string;
  /** The amount that the beneficiary receives, in `to_currency`, as it was sent. */
  readonly receive_amount: number | string;
  /** The mode of the account: only `live` payments move money. */
  readonly mode: Mode;
}

/** A payment event. Narrows on `event`, and on `source`. Undocumented fields are kept. */
export type PaymentEvent = {
  [Status in PaymentStatus]: {
    /** Distinguishes documented events from unknown and unreadable ones. */
    readonly kind: 'payment';
    /** The name of the event: `payment.` and the new status. */
    readonly event: `payment.${Status}`;
    /** The payment after the change. */
    readonly data: PaymentEventData<Status>;
  } & (
    | {
        /** Distinguishes an event of a verified delivery from a payment that was read. */
        readonly source: 'webhook';
        /**
         * The time of the change as it was sent: ISO 8601 with `Z` or an offset, and optionally a fraction of a
         * second.
         */
        readonly created_at: string;
      }
    | {
        /** Distinguishes a payment of `handleRetrieved` from an event of a webhook. */
        readonly source: 'read';
        /** Absent: the time of the change is unknown. */
        readonly created_at?: undefined;
      }
  );
}[PaymentStatus];

/** An event with an undocumented name. Its fields are not checked. */
export interface UnknownEvent {
  /** Distinguishes an event with an undocumented name. */
  readonly kind: 'unknown';
  /** Where the event comes from: a verified delivery, or a payment that was read with an undocumented status. */
  readonly source: 'webhook' | 'read';
  /**
   * The name as it was sent, any text. The suffix exists only in the type: comparing `event` to a documented name
   * narrows to that event, and comparing it to a misspelled name is a type error. Assign it to a string to compare it
   * to other names.
   *
   * @example
   * const fallback = (event: WebhookEvent): void => {
   *   const name: string = event.event;
   * };
   */
  readonly event: `${string} (unknown event)`;
  /** The time of the change as it was sent. Not checked. */
  readonly created_at?: unknown;
  /** The content of the event as it was sent. Not checked. */
  readonly data?: unknown;
}

/** An event of a receiver: of a verified delivery, or of a payment that was read. Narrows on `source`. */
export type WebhookEvent = PaymentEvent | UnknownEvent;

/** An event of a verified delivery. */
export type DeliveredEvent = Exclude<WebhookEvent, { readonly source: 'read' }>;

/** The event with one name. */
export type EventOf<Name extends PaymentEventName> = Extract<PaymentEvent, { event: Name }>;

/**
 * Checks whether `next` comes before `previous` in the order of statuses: pending, processing, completed,
 * failed. An unknown status is never stale. A receiver does not use this order and dispatches stale events.
 */
export function isStale(previous: PaymentStatus | undefined, next: PaymentStatus): boolean {
  const rank = PAYMENT_STATUSES.indexOf(next);
  return rank >= 0 && rank < PAYMENT_STATUSES.findIndex((status) => status === previous);
}
