/** Lists the statuses of a payment (spec §3). */
export const PAYMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;

/** Lists the two environments of an account (spec §1). */
export const MODES = ['test', 'live'] as const;

/** Names a status of a payment. */
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Names an environment. */
export type Mode = (typeof MODES)[number];

/** Names an event that this package knows: `payment.` and the new status (spec §6). */
export type PaymentEventName = `payment.${PaymentStatus}`;

/** Lists the events that this package knows. */
export const PAYMENT_EVENT_NAMES: readonly PaymentEventName[] = PAYMENT_STATUSES.map(
  (status) => `payment.${status}` as const,
);

/** Holds an amount as it was sent: a JSON number, or its decimal text (contract.md 8). */
export type WireAmount = number | string;

/** Holds the payment that an event is about, in the words of the wire (spec §6). */
export interface PaymentEventData<Status extends PaymentStatus = PaymentStatus> {
  /** Starts with `pay_test_` or `pay_live_`, in agreement with `mode`. */
  readonly id: string;
  readonly status: Status;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly send_amount: WireAmount;
  readonly receive_amount: WireAmount;
  readonly mode: Mode;
}

/** Holds an event whose name is known; fields that this package does not know are kept. */
export interface PaymentEventOf<Status extends PaymentStatus> {
  readonly kind: 'payment';
  readonly event: `payment.${Status}`;
  /** Is ISO 8601 with `+00:00`, `+0000` or `Z`, perhaps with a fraction of a second; kept as sent (contract.md 8). */
  readonly created_at: string;
  readonly data: PaymentEventData<Status>;
}

/** Holds any known event; narrows on `event`. */
export type PaymentEvent = { [Status in PaymentStatus]: PaymentEventOf<Status> }[PaymentStatus];

/**
 * Names an event that this package does not know. Any text: the suffix stands in the type alone, so that comparing
 * `event` to a known name rules the unknown out, and a misspelt one does not compile. To compare it to a name of your
 * own, take it as text: `const name: string = event.event`.
 */
export type UnknownEventName = `${string} (unknown event)`;

/** Holds a genuine event of a name that this package does not know; its fields are as they were sent. */
export interface UnknownEvent {
  readonly kind: 'unknown';
  readonly event: UnknownEventName;
  readonly created_at?: unknown;
  readonly data?: unknown;
}

/** Holds any verified event. */
export type WebhookEvent = PaymentEvent | UnknownEvent;

/** A correctly signed event with a documented name and fields that are not as documented. */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
  readonly event: PaymentEventName;
  /** Example: `unreadable event: data.mode of payment.completed is not as documented`. */
  readonly reason: string;
  /** The body as it was signed. */
  readonly body: Uint8Array;
}

/** Narrows {@link WebhookEvent} to the event of one name. */
export type EventOf<Name extends PaymentEventName> = Extract<PaymentEvent, { event: Name }>;
