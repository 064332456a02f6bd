import { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES, PAYMENT_STATUSES } from './event.ts';
import type { Mode, PaymentStatus, WebhookEvent } from './event.ts';
import { isTimestamp } from './timestamp.ts';

type JsonObject = Record<string, unknown>;

// The byte order mark is left in the text, where JSON refuses it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const ID_PREFIX_LENGTH = 9;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isAmount = (value: unknown): boolean => (isText(value) ? DECIMAL.test(value) : Number.isFinite(value));

/** Parses the bytes of a verified body. Throws `invalid_utf8`, `invalid_json` or `invalid_event`. */
export function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(decode(body));
  check(isObject(event), 'the body');
  const name = event.event;
  check(isText(name) && name !== '', 'event');
  const index = (PAYMENT_EVENT_NAMES as readonly string[]).indexOf(name);
  if (index >= 0) assertPaymentEvent(event, PAYMENT_STATUSES[index]);
  // The object is this function's own; a field of that name is overwritten.
  event.kind = index < 0 ? 'unknown' : 'payment';
  return event as unknown as WebhookEvent;
}

/** Tells whether an event is of the other mode; an unknown event may have none. */
export function isOfOtherMode({ data }: WebhookEvent, mode: Mode): boolean {
  return isObject(data) && data.mode === (mode === 'test' ? 'live' : 'test');
}

// Neither decoder nor parser errors become a cause: their messages quote the body.
function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new WebhookError('invalid_utf8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookError('invalid_json');
  }
}

function assertPaymentEvent({ created_at, data }: JsonObject, expected: PaymentStatus | undefined): void {
  check(isText(created_at) && isTimestamp(created_at), 'created_at (ISO 8601 with an offset)');
  check(isObject(data), 'data');
  const { id, status, mode, from_currency, to_currency, send_amount, receive_amount } = data;
  check(isText(from_currency), 'data.from_currency');
  check(isText(to_currency), 'data.to_currency');
  check(isAmount(send_amount), 'data.send_amount');
  check(isAmount(receive_amount), 'data.receive_amount');
  check(status === expected, 'data.status, by the name of the event');
  check(mode === 'test' || mode === 'live', 'data.mode');
  check(
    isText(id) && id.startsWith(mode === 'test' ? 'pay_test_' : 'pay_live_') && id.length > ID_PREFIX_LENGTH,
    'data.id, by data.mode',
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function check(holds: boolean, field: string): asserts holds {
  if (!holds) throw invalidEvent(field);
}

/** Creates the error of a shape that is not an event's; it names the field, never its value. */
export function invalidEvent(field: string): WebhookError {
  return new WebhookError('invalid_event', { message: `invalid event: ${field} is not as documented` });
}
