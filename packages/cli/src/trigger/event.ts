import { findRootCause } from '@service/internal';
import { createVerifier, isWebhookError, type Mode, type PaymentStatus, sign } from '@service/webhooks';
import { events, type EventParts, type WireEvent } from '@service/webhooks/testing';
import { UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import type { Environment } from '../session.ts';

/** Fields of the payment of an event, as written by the user. */
export type EventFields = Readonly<Record<string, string>>;

/** The options of an event. */
export interface EventOptions {
  /** The status of the event. An undocumented status gives an event that receivers do not know. */
  readonly status: string;
  readonly mode: Mode;
  readonly fields: EventFields;
  /** Time of the event in milliseconds since 1970, unless `fields` has `created_at`. */
  readonly now: number;
}

/** An event as it is sent. */
export interface EventBody {
  readonly event: string;
  readonly id: string;
  readonly body: string;
}

/** The fields that a user may set: those of the payment, and the time of the event. */
export const documentedFields: ReadonlySet<string> = new Set([
  'id',
  'from_currency',
  'to_currency',
  'send_amount',
  'receive_amount',
  'created_at',
]);

// Writes the digits of an amount unchanged. Node has rawJSON; the TypeScript types do not have it yet.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => number };

/**
 * Writes an event as the service does (docs/contract.md#webhooks). Without an id it gets a new one, so that
 * receivers do not treat it as a duplicate.
 *
 * @throws {UsageError} when a field makes the event invalid.
 */
export function writeEvent({ status, mode, fields, now }: EventOptions): EventBody {
  const { created_at = toTimestamp(now), ...given } = fields;
  const paymentFields = Object.entries(given).map(
    ([name, value]) => [name, parseField(name, value)] as const,
  );
  const data = { id: createId(mode), ...Object.fromEntries(paymentFields), mode } as EventParts['data'];
  const event = isDocumented(status)
    ? events[status]({ created_at, data })
    : withStatus(events.pending({ created_at, data }), status);
  const body = JSON.stringify(event);
  checkEvent(body);
  return { event: event.event, id: event.data.id, body };
}

/** Returns true if the service documents an event for the status. */
export function isDocumented(status: string): status is PaymentStatus {
  return Object.hasOwn(events, status);
}

function withStatus(
  event: WireEvent,
  status: string,
): { readonly event: string; readonly data: { id: string } } {
  return { ...event, event: `payment.${status}`, data: { ...event.data, status } as { id: string } };
}

function toTimestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}+00:00`;
}

function createId(mode: Mode): string {
  return `pay_${mode}_${crypto.randomUUID().replaceAll('-', '')}`;
}

/**
 * Parses an amount: digits become a number with exactly these digits, quoted digits become text
 * (docs/contract.md#profile-settings).
 */
function parseField(name: string, value: string): string | number {
  if (!name.endsWith('_amount')) return value;
  const [, text] = /^"(.*)"$/.exec(value) ?? [];
  return text ?? (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? rawJSON(value) : value);
}

/**
 * Verifies the event as a receiver would.
 *
 * @throws {UsageError} when the event is invalid.
 */
function checkEvent(body: string): void {
  const secret = crypto.randomUUID();
  try {
    createVerifier({ secrets: secret }).verify(body, sign(body, secret));
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    throw new UsageError(`--data makes the event invalid: ${error.message}.`);
  }
}

/** The kinds of forged events: a digit changed after signing, another secret, no signature. */
export const forgeries = ['tamper', 'wrong_secret', 'no_signature'] as const;

/** A kind of forged event. */
export type Forgery = (typeof forgeries)[number];

/** The headers and the body of a delivery. */
export interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Signs a body as the service does, or forges it.
 *
 * @throws {WebhookError} with the code `unusable_secret` when the secret cannot sign.
 */
export function signEvent(body: string, secret: string, forgery?: Forgery): SignedEvent {
  const headers = { 'content-type': 'application/json', 'user-agent': 'service-webhooks/1' };
  if (forgery === 'no_signature') return { headers, body };
  const key = forgery === 'wrong_secret' ? crypto.randomUUID() : secret;
  return {
    headers: { ...headers, 'x-service-signature': sign(body, key) },
    body: forgery === 'tamper' ? changeDigit(body) : body,
  };
}

/** Changes the last digit of a body: still a valid event, but another one. */
function changeDigit(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}

/** Maximum length of a response body that is read. */
const MAX_EXCERPT_BYTES = 2_048;

/** The result of one delivery. `failed` means that there was no response; `cause` is the reason. */
export interface PostResult {
  readonly outcome: 'acknowledged' | 'refused' | 'failed';
  readonly status: number | null;
  readonly duration_ms: number;
  /** The start of the response body. */
  readonly answer: string | null;
  readonly cause?: string;
}

/** The URL and the timeout of a delivery, in milliseconds. */
export interface Route {
  readonly url: string;
  readonly timeout: number;
}

/**
 * Posts a signed event once, as the service does: only status 200 acknowledges it, and redirects are not
 * followed. Never throws. A response counts once its status has arrived, even if its body does not.
 */
export async function post(
  event: SignedEvent,
  { url, timeout }: Route,
  { fetch = globalThis.fetch, signal }: Environment,
): Promise<PostResult> {
  const limit = AbortSignal.timeout(timeout);
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const ended = AbortSignal.any([signal, limit]);
    const response = await fetch(
      new Request(url, { method: 'POST', ...event, redirect: 'manual', signal: ended }),
    );
    const { status } = response;
    const duration_ms = since();
    const outcome = status === 200 ? 'acknowledged' : 'refused';
    // The status has arrived, so a body that breaks off is no failure.
    const { bytes } = await readBodyStart(response, MAX_EXCERPT_BYTES);
    return { outcome, status, duration_ms, answer: new TextDecoder().decode(bytes).trim() };
  } catch (error) {
    const cause = limit.aborted ? `timed out after ${timeout} ms` : (findRootCause(error) ?? 'interrupted');
    return { outcome: 'failed', status: null, duration_ms: since(), answer: null, cause };
  }
}
