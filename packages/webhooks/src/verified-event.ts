import { isRecord, type JsonObject, parseJson, parseTimestamp } from '@service/internal';
import { WebhookError } from './errors.ts';
import type { VerificationCode } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { Mode, WebhookEvent } from './event.ts';
import { readHeader, type SignatureSource } from './signature.ts';

/** A verified event and the id of the secret that matched its signature. */
export interface VerifiedEvent {
  /** The parsed event. Branch on `kind`, then on `event`. */
  readonly event: WebhookEvent;
  /** The id of the secret that matched the signature. */
  readonly secretId: string;
}

/** The code of a failed verification. */
export interface VerificationFailure {
  /** Always `false`. */
  readonly ok: false;
  /** The reason of the failure. */
  readonly code: VerificationCode;
}

/** The result of `safeVerify`. Narrows on `ok`. */
export type VerificationResult =
  | ({
      /** The request is genuine, and `event` is its event. */
      readonly ok: true;
    } & VerifiedEvent)
  | VerificationFailure;

/** The secret that signed a body. */
export interface MatchingSecret {
  readonly id: string;
  /** The end of its use, in milliseconds since 1970, or `Infinity`. */
  readonly notAfter: number;
}

/** The options of a verifier that concern events, with defaults applied. */
export interface EventChecks {
  readonly mode: Mode | undefined;
  readonly maxEventAge: number | undefined;
  readonly clockTolerance: number;
  readonly now: () => number;
}

/**
 * Checks the matching secret, and parses and checks the event.
 *
 * @throws {WebhookError} a verification code
 */
export function parseVerifiedEvent(
  { body, source }: { readonly body: Uint8Array; readonly source: SignatureSource },
  match: MatchingSecret | undefined,
  checks: EventChecks,
): VerifiedEvent {
  try {
    return checkEvent(body, match, checks);
  } catch (error) {
    throw addContentEncoding(error, source);
  }
}

function checkEvent(body: Uint8Array, match: MatchingSecret | undefined, checks: EventChecks): VerifiedEvent {
  if (match === undefined) throw new WebhookError('signature_mismatch');
  if (!isUnexpired(match, checks)) throw new WebhookError('secret_expired');
  const event = parseEvent(body);
  const { mode } = checks;
  // An unknown event may have no mode.
  if (mode && isRecord(event.data) && event.data.mode === (mode === 'test' ? 'live' : 'test'))
    throw new WebhookError('mode_mismatch');
  assertReadable(event);
  assertEventAge(event, checks);
  return { event, secretId: match.id };
}

/** Returns the `Content-Encoding` of a request, or undefined without one. */
export function readContentEncoding(source: SignatureSource): string | undefined {
  const encoding = readHeader(source, 'content-encoding');
  // Not any text: the header of a forger must not write lines into a log.
  const isNamed = typeof encoding === 'string' && /^(?!identity$)[\w.+, -]{1,40}$/i.test(encoding);
  return isNamed ? encoding : undefined;
}

/** Adds the `Content-Encoding` of a request to an error. */
function addContentEncoding(error: unknown, source: SignatureSource): unknown {
  const encoding = readContentEncoding(source);
  if (!encoding || !(error instanceof WebhookError)) return error;
  const message = `${error.message} Content-Encoding is ${encoding}, but the service signs and sends plain JSON.`;
  return new WebhookError(error.code, { message });
}

/** Checks that a secret matched and has not expired. */
export function isUnexpired(match: MatchingSecret | undefined, { now }: EventChecks): boolean {
  return match !== undefined && (match.notAfter === Infinity || now() <= match.notAfter);
}

/** Converts a `WebhookError` to a result. Rethrows any other error. */
export function toFailure(error: unknown): VerificationFailure {
  // After construction a verifier throws only verification codes.
  if (error instanceof WebhookError) return { ok: false, code: error.code as VerificationCode };
  throw error;
}

// Without `ignoreBOM` it removes one byte order mark at the start (RFC 8259, section 8.1).
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the bytes of a verified body, without a byte order mark. The fields of the event are not checked.
 *
 * @throws {WebhookError} `invalid_utf8`, `invalid_json`, `invalid_event`
 */
export function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(decode(body));
  if (event === undefined) throw new WebhookError('invalid_json');
  if (!isRecord(event)) throw createFieldError('invalid_event', 'the body');
  const name = event.event;
  if (!isText(name) || name === '') throw createFieldError('invalid_event', 'event');
  // Overwrites a field with this name from the sender.
  event.kind = (PAYMENT_EVENT_NAMES as readonly string[]).includes(name) ? 'payment' : 'unknown';
  return event as unknown as WebhookEvent;
}

// The error of the decoder is not kept as `cause`: its message quotes the body.
function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new WebhookError('invalid_utf8');
  }
}

/**
 * Checks the fields of an event with a documented name. The message contains the field, never its value.
 *
 * @throws {WebhookError} `unreadable_event`
 */
function assertReadable(event: WebhookEvent): void {
  const field = event.kind === 'payment' && findInvalidField(event);
  if (field) throw createFieldError('unreadable_event', `${field} of ${event.event}`);
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isAmount = (value: unknown): boolean => (isText(value) ? DECIMAL.test(value) : Number.isFinite(value));

function findInvalidField({ event, created_at, data }: JsonObject | WebhookEvent): string | undefined {
  if (Number.isNaN(parseTimestamp(created_at))) return 'created_at (ISO 8601 with an offset)';
  if (!isRecord(data)) return 'data';
  const { id, status, mode } = data;
  if (!isText(data.from_currency)) return 'data.from_currency';
  if (!isText(data.to_currency)) return 'data.to_currency';
  if (!isAmount(data.send_amount)) return 'data.send_amount';
  if (!isAmount(data.receive_amount)) return 'data.receive_amount';
  if (event !== `payment.${String(status)}`) return 'data.status (as in the event name)';
  if (mode !== 'test' && mode !== 'live') return 'data.mode';
  const prefix = `pay_${mode}_`;
  return isText(id) && id.startsWith(prefix) && id !== prefix ? undefined : 'data.id (pay_<data.mode>_…)';
}

/**
 * Checks the age of an event.
 *
 * @throws {WebhookError} `stale_event`, `event_from_future`, or `invalid_event` without a readable
 * `created_at`
 */
function assertEventAge(
  { created_at }: WebhookEvent,
  { maxEventAge, clockTolerance, now }: EventChecks,
): void {
  if (maxEventAge === undefined) return;
  const time = now();
  // Not a `WebhookError`: a receiver responds 500, and the sender retries.
  if (!Number.isFinite(time)) throw new TypeError('now() must return milliseconds since 1970.');
  const age = time - parseTimestamp(created_at);
  if (Number.isNaN(age)) throw createFieldError('invalid_event', 'created_at');
  if (age > maxEventAge + clockTolerance) throw new WebhookError('stale_event');
  if (age < -clockTolerance) throw new WebhookError('event_from_future');
}

/** Creates the error of a field. The message contains the field, never its value. */
function createFieldError(code: 'invalid_event' | 'unreadable_event', field: string): WebhookError {
  return new WebhookError(code, { message: `${code.replaceAll('_', ' ')}: ${field} is not as documented` });
}
