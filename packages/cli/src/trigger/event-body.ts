import { createVerifier, isWebhookError, type Mode, type PaymentStatus, sign } from '@service/webhooks';
import { events, type EventParts } from '@service/webhooks/testing';
import { UsageError } from '../usage-error.ts';

/** Holds fields of the payment of an event, as they were written. */
export type EventFields = Readonly<Record<string, string>>;

/** Says which event to make. */
export type EventWish = {
  readonly status: PaymentStatus;
  readonly mode: Mode;
  readonly fields: EventFields;
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
export function writeEvent({ status, mode, fields }: EventWish): EventBody {
  const { created_at = now(), ...given } = fields;
  const figures = Object.entries(given).map(([name, value]) => [name, readFigure(name, value)] as const);
  const data = { id: drawId(mode), ...Object.fromEntries(figures), mode } as EventParts['data'];
  const event = events[status]({ created_at, data });
  const body = JSON.stringify(event);
  checkEvent(body);
  return { event: event.event, id: event.data.id, body };
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}+00:00`;
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
