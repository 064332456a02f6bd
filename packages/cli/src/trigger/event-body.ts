import { createVerifier, isWebhookError, type Mode, type PaymentStatus, sign } from '@service/webhooks';
import { events, type EventParts, type WireEvent } from '@service/webhooks/testing';
import { UsageError } from '../usage-error.ts';

/** Holds fields of the payment of an event, as they were written. */
export type EventFields = Readonly<Record<string, string>>;

/** Says which event to make. */
export type EventWish = {
  /** Names the status; one that no document names makes an event that nobody knows (contract.md 8). */
  readonly status: string;
  readonly mode: Mode;
  readonly fields: EventFields;
  /** Says when the event is, in milliseconds since 1970, where no field does. */
  readonly now: number;
};

/** Holds an event as it is sent. */
export type EventBody = { readonly event: string; readonly id: string; readonly body: string };

/** Holds the fields that can be given: those of the payment, and when the event was (spec §6). */
export const documentedFields: ReadonlySet<string> = new Set([
  'id',
  'from_currency',
  'to_currency',
  'send_amount',
  'receive_amount',
  'created_at',
]);

// Figures go out digit by digit as they were written; Node has had this for longer than the types.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => number };

/**
 * Writes an event of a payment as the service does (spec §6): of now, and with an id of its own where none is given, so that no
 * receiver takes it for one that it knows.
 *
 * @throws UsageError when a field makes it no event.
 */
export function writeEvent({ status, mode, fields, now }: EventWish): EventBody {
  const { created_at = toTimestamp(now), ...given } = fields;
  const figures = Object.entries(given).map(([name, value]) => [name, readFigure(name, value)] as const);
  const data = { id: drawId(mode), ...Object.fromEntries(figures), mode } as EventParts['data'];
  const event = isDocumented(status)
    ? events[status]({ created_at, data })
    : rename(events.pending({ created_at, data }), status);
  const body = JSON.stringify(event);
  checkEvent(body);
  return { event: event.event, id: event.data.id, body };
}

/** Tells whether the service documents an event of a status (spec §6). */
export function isDocumented(status: string): status is PaymentStatus {
  return Object.hasOwn(events, status);
}

function rename(event: WireEvent, status: string): { readonly event: string; readonly data: { id: string } } {
  return { ...event, event: `payment.${status}`, data: { ...event.data, status } as { id: string } };
}

function toTimestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}+00:00`;
}

function drawId(mode: Mode): string {
  return `pay_${mode}_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** Reads an amount as a number of just these digits, or, in quotes, as text (contract.md 8). */
function readFigure(name: string, value: string): string | number {
  if (!name.endsWith('_amount')) return value;
  const [, text] = /^"(.*)"$/.exec(value) ?? [];
  return text ?? (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? rawJSON(value) : value);
}

/** Has a verifier of the house read the event. */
function checkEvent(body: string): void {
  const secret = crypto.randomUUID();
  try {
    createVerifier({ secrets: secret }).verify(body, sign(body, secret));
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    throw new UsageError(`--data makes no event that a receiver could read: ${error.message}.`);
  }
}
