import { isRecord } from '@service/internal';
import { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { PaymentEventData, UnknownEvent, WebhookEvent } from './event.ts';
import { findInvalidField } from './verifier.ts';

/** A payment as the client of `@service/sdk` returns it. Its other fields reach the handlers too. */
export interface RetrievedPayment extends Omit<PaymentEventData, 'status' | 'mode'> {
  /** The status of the payment, documented or not. */
  readonly status: string;
  /** The time of creation: ISO 8601 with `Z` or an offset. */
  readonly created_at: string;
  /** A field of events only: a webhook body is not a payment. */
  readonly event?: undefined;
  /** A field of events and of undecoded responses only. */
  readonly data?: undefined;
}

/**
 * The result of `handleRetrieved`: `handled` now, `duplicate` of an earlier event or read, `in_progress` in
 * another call, of the `other_mode`, or `too_old` for the memory of the store, so that no handler ran.
 */
export type RetrievedResult = 'handled' | 'duplicate' | 'in_progress' | 'other_mode' | 'too_old';

type ReadEvent =
  Extract<WebhookEvent, { source: 'read' }> | (UnknownEvent & { readonly data: PaymentEventData });

/**
 * Creates the event of a payment that was read. Nothing is verified.
 *
 * @throws {WebhookError} `invalid_event`, `unreadable_event`
 */
export function createReadEvent(payment: RetrievedPayment): ReadEvent {
  if (!isRecord(payment) || 'event' in payment || 'data' in payment) {
    const message =
      'handleRetrieved takes a payment, without event and data. Pass webhooks to the receiver, which verifies them.';
    throw new WebhookError('invalid_event', { message });
  }
  const [, mode = 'test'] = /^pay_(test|live)_/.exec(payment.id) ?? [];
  const event = { event: `payment.${payment.status}`, data: { ...payment, mode } };
  const isKeyed = identifyPayment(event) !== undefined;
  const field =
    findInvalidField({ ...event, created_at: payment.created_at }) ?? (isKeyed ? '' : 'data.status');
  if (field) {
    const message = `handleRetrieved: ${field.replace('data.', '')} of the payment is not as documented. Pass a payment of payments.retrieve.`;
    throw new WebhookError('unreadable_event', { message });
  }
  const isDocumented = (PAYMENT_EVENT_NAMES as readonly string[]).includes(event.event);
  return { kind: isDocumented ? 'payment' : 'unknown', source: 'read', ...event } as unknown as ReadEvent;
}

/**
 * Returns the name and the payment of an event about the status of a payment, documented or not. Returns
 * undefined for any other event.
 */
export function identifyPayment({
  event,
  data,
}: Pick<WebhookEvent, 'data'> & { event: string }): string | undefined {
  const { id, status } = isRecord(data) ? data : {};
  // A key has a limited length and no control characters: databases reject others.
  const isStatus =
    typeof status === 'string' && /^\P{C}{1,64}$/u.test(status) && event === `payment.${status}`;
  return isStatus && typeof id === 'string' && /^pay_(?:test|live)_./s.test(id)
    ? `${event}/${id}`
    : undefined;
}
