import { isRecord } from '@service/internal';
import { WebhookError } from './errors.ts';
import type { PaymentEventData, WebhookEvent } from './event.ts';
import { findInvalidField, identifyPayment, toKind } from './verifier.ts';

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
 * another call, of the `other_mode`, `too_old` for the memory of the store, or `no_handler` for an event that has none.
 * Only with `handled` a handler ran.
 */
export type RetrievedResult =
  'handled' | 'duplicate' | 'in_progress' | 'other_mode' | 'too_old' | 'no_handler';

type ReadEvent = WebhookEvent & { readonly data: PaymentEventData };

/**
 * Creates the event of a payment that was read. Nothing is verified.
 *
 * @throws {WebhookError} `invalid_event`, `unreadable_event`
 */
export function createReadEvent(payment: RetrievedPayment): ReadEvent {
  if (!isRecord(payment) || 'event' in payment || 'data' in payment)
    throw new WebhookError('invalid_event', { message: NOT_A_PAYMENT });
  const [, mode = 'test'] = /^pay_(test|live)_/.exec(payment.id) ?? [];
  const event = { event: `payment.${payment.status}`, data: { ...payment, mode } };
  const invalid = findInvalidField({ ...event, created_at: payment.created_at });
  const field = invalid ?? (identifyPayment(event) ? undefined : 'data.status');
  if (field === undefined)
    return { kind: toKind(event.event), source: 'read', ...event } as unknown as ReadEvent;
  const problem = `handleRetrieved: ${field.replace('data.', '')} of the payment is not as documented.`;
  throw new WebhookError('unreadable_event', { message: `${problem} Pass a payment of payments.retrieve.` });
}

const NOT_A_PAYMENT =
  'handleRetrieved takes a payment, without event and data. Pass webhooks to the receiver, which verifies them.';
