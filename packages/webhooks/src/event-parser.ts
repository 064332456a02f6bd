import { WebhookError } from './errors.ts';
import { MODES, PAYMENT_EVENT_NAMES, PAYMENT_STATUSES } from './event.ts';
import type { Mode, PaymentEventData, WebhookEvent } from './event.ts';
import { isTimestamp } from './timestamp.ts';

type JsonObject = Readonly<Record<string, unknown>>;
type Rule = readonly [holds: (value: unknown) => boolean, requirement: string];

// The byte order mark is left in the text, where JSON refuses it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isOneOf = (list: readonly string[]) => (value: unknown) => isText(value) && list.includes(value);
const isAmount = (value: unknown): boolean => (isText(value) ? DECIMAL.test(value) : Number.isFinite(value));

const TEXT: Rule = [isText, 'a string'];
const AMOUNT: Rule = [isAmount, 'a finite number or a plain decimal string'];
const CREATED_AT: Rule = [
  (value) => isText(value) && isTimestamp(value),
  'an ISO 8601 timestamp with an offset',
];

const DATA_RULES: Record<keyof PaymentEventData, Rule> = {
  id: TEXT,
  status: [isOneOf(PAYMENT_STATUSES), `one of ${PAYMENT_STATUSES.join(', ')}`],
  from_currency: TEXT,
  to_currency: TEXT,
  send_amount: AMOUNT,
  receive_amount: AMOUNT,
  mode: [isOneOf(MODES), 'test or live'],
};

const DATA_RULE_LIST = /* @__PURE__ */ Object.entries(DATA_RULES);

/** Parses the bytes of a verified body. Throws `invalid_utf8`, `invalid_json` or `invalid_event`. */
export function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(decode(body));
  if (!isObject(event)) throw invalidEvent('the body is not a JSON object');
  if (!isText(event.event) || event.event === '') throw invalidEvent('event is not a name');
  const isKnown = isOneOf(PAYMENT_EVENT_NAMES)(event.event);
  if (isKnown) assertPaymentEvent(event);
  // The object is this function's own; a field of that name is overwritten.
  return Object.assign(event, { kind: isKnown ? 'payment' : 'unknown' }) as unknown as WebhookEvent;
}

/** Tells the mode of an event; an unknown event may have none. */
export function modeOf({ data }: WebhookEvent): Mode | undefined {
  const mode = isObject(data) ? data.mode : undefined;
  return MODES.find((known) => known === mode);
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

function assertPaymentEvent({ event, created_at, data }: JsonObject): void {
  assertRule('created_at', created_at, CREATED_AT);
  if (!isObject(data)) throw invalidEvent('data is not an object');
  for (const [field, rule] of DATA_RULE_LIST) {
    if (!rule[0](data[field])) throw invalidEvent(`data.${field} is not ${rule[1]}`);
  }
  if (event !== `payment.${String(data.status)}`) throw invalidEvent('event and data.status disagree');
  const prefix = `pay_${String(data.mode)}_`;
  if (!isText(data.id) || !data.id.startsWith(prefix) || data.id.length === prefix.length) {
    throw invalidEvent('data.id is not of the form pay_<mode>_<unique> or disagrees with data.mode');
  }
}

function assertRule(field: string, value: unknown, [holds, requirement]: Rule): void {
  if (!holds(value)) throw invalidEvent(`${field} is not ${requirement}`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Creates the error of a shape that is not an event's; the reason names a field, never its value. */
export function invalidEvent(reason: string): WebhookError {
  const error = new WebhookError('invalid_event');
  error.message += `: ${reason}.`;
  return error;
}
