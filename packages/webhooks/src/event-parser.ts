import { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { Mode, WebhookEvent } from './event.ts';
import { isTimestamp } from './timestamp.ts';

type JsonObject = Record<string, unknown>;

// With ignoreBOM a byte order mark stays in the text, so that `JSON.parse` rejects it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isAmount = (value: unknown): boolean => (isText(value) ? DECIMAL.test(value) : Number.isFinite(value));

/**
 * Parses the bytes of a verified body. `assertReadable` checks the fields of the event.
 *
 * @throws {WebhookError} `invalid_utf8`, `invalid_json`, `invalid_event`
 */
export function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(decode(body));
  if (!isObject(event)) throw invalidEvent('the body');
  const name = event.event;
  if (!isText(name) || name === '') throw invalidEvent('event');
  // Overwrites a field with this name from the sender.
  event.kind = (PAYMENT_EVENT_NAMES as readonly string[]).includes(name) ? 'payment' : 'unknown';
  return event as unknown as WebhookEvent;
}

/** Checks whether an event is of the other mode. An unknown event may have no mode. */
export function isOfOtherMode({ data }: WebhookEvent, mode: Mode): boolean {
  return isObject(data) && data.mode === (mode === 'test' ? 'live' : 'test');
}

// The errors of the decoder and the parser are not kept as `cause`: their messages quote the body.
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

/**
 * Checks the fields of an event with a documented name. The message contains the field, never its value.
 *
 * @throws {WebhookError} `unreadable_event`
 */
export function assertReadable(event: WebhookEvent): void {
  const field = event.kind === 'payment' ? findInvalidField(event) : undefined;
  if (field === undefined) return;
  throw createFieldError('unreadable_event', `${field} of ${event.event}`);
}

function findInvalidField({ event, created_at, data }: JsonObject | WebhookEvent): string | undefined {
  if (!isText(created_at) || !isTimestamp(created_at)) return 'created_at (ISO 8601 with an offset)';
  if (!isObject(data)) return 'data';
  const { id, status, mode } = data;
  if (!isText(data.from_currency)) return 'data.from_currency';
  if (!isText(data.to_currency)) return 'data.to_currency';
  if (!isAmount(data.send_amount)) return 'data.send_amount';
  if (!isAmount(data.receive_amount)) return 'data.receive_amount';
  if (!isText(status) || event !== `payment.${status}`) return 'data.status (as in the event name)';
  if (mode !== 'test' && mode !== 'live') return 'data.mode';
  const prefix = mode === 'test' ? 'pay_test_' : 'pay_live_';
  return isText(id) && id.startsWith(prefix) && id.length > prefix.length
    ? undefined
    : 'data.id (pay_<data.mode>_…)';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Creates the error of a body that is not an event. The message contains the field, never its value. */
export function invalidEvent(field: string): WebhookError {
  return createFieldError('invalid_event', field);
}

function createFieldError(code: 'invalid_event' | 'unreadable_event', field: string): WebhookError {
  return new WebhookError(code, { message: `${code.replace('_', ' ')}: ${field} is not as documented` });
}
