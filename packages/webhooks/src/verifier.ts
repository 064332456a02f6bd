import { isPromise, isRecord, parseJson, parseTimestamp, settleWithin } from '@service/internal';
import type { MaybePromise } from '@service/internal';
import { WebhookError } from './errors.ts';
import type { VerificationCode } from './errors.ts';
import { MODES, PAYMENT_EVENT_NAMES } from './event.ts';
import type { DeliveredEvent, Mode, WebhookEvent } from './event.ts';
import { CLOCK_TOLERANCE, toSecretKeys } from './options.ts';
import type { AsyncVerifierOptions, SecretKey, Secrets, VerifierOptions } from './options.ts';
import { readSignature } from './signature.ts';
import type { RawBody, SignatureSource } from './signature.ts';

/** The result of `safeVerify`. Narrows on `ok`. */
export type VerificationResult =
  | {
      /** The request is genuine, and `event` is its event. */
      readonly ok: true;
      /** The parsed event. Branch on `kind`, then on `event`. */
      readonly event: DeliveredEvent;
      /** The id of the secret that matched the signature. */
      readonly secretId: string;
    }
  | {
      /** The verification failed. */
      readonly ok: false;
      /** The reason of the failure. */
      readonly code: VerificationCode;
    };

type VerifierSettings = Omit<VerifierOptions, 'secrets'>;

/** A verified event and the id of the secret that matched its signature. */
export type VerifiedEvent = Omit<Extract<VerificationResult, { readonly ok: true }>, 'ok'>;

/** The part of a verifier that differs between entry points. */
export interface Runtime<Match = MaybePromise<boolean>> {
  /**
   * Creates the function that computes the HMAC-SHA256 of a body and compares it with a signature of 64
   * characters in constant time.
   */
  readonly createMatcher: (
    key: Uint8Array<ArrayBuffer>,
  ) => (body: Uint8Array<ArrayBuffer>, signature: string) => Match;
  /**
   * Converts a raw body to bytes. Copies bytes that other code could change between the signature check and the
   * parsing of the event.
   */
  readonly toBody: (rawBody: RawBody) => Uint8Array<ArrayBuffer>;
}

/** Verifies a request with a stable body: at once if the runtime is synchronous. */
export type VerifyRequest<Result = MaybePromise<VerifiedEvent>> = (
  body: Uint8Array<ArrayBuffer>,
  source: SignatureSource,
) => Result;

/**
 * Creates the verification of an entry point.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function createVerifyRequest(
  runtime: Runtime,
  settings: VerifierSettings,
  secrets: Secrets,
): VerifyRequest {
  const keys = toSecretKeys(secrets, settings.onWarning);
  const matchers = keys.map(({ bytes }) => runtime.createMatcher(bytes));
  return (body, source) => {
    const signature = readSignature(source);
    // Compares all secrets: the duration must not reveal which one matched.
    const matching = matchers.map((matches) => matches(body, signature));
    const check = (results: readonly unknown[]): VerifiedEvent => {
      const matches = keys.filter((_, index) => results[index]);
      return checkEvent(body, matches, settings);
    };
    // There is at least one secret, and all matchers are of one runtime.
    return isPromise(matching[0]) ? Promise.all(matching as Promise<boolean>[]).then(check) : check(matching);
  };
}

/** Maximum time of a `secrets` function, in milliseconds. The timeout of the sender is 10 s. */
const SECRETS_TIMEOUT = 8_000;

const createTimeoutError = (): Error =>
  new Error(`The secrets function took longer than ${SECRETS_TIMEOUT} ms.`);

/** Calls a `secrets` function. */
async function callSecrets(secrets: () => MaybePromise<Secrets>): Promise<Secrets> {
  try {
    return await settleWithin(SECRETS_TIMEOUT, secrets(), createTimeoutError);
  } catch (cause) {
    throw new WebhookError('unusable_secret', { message: 'The secrets function failed.', cause });
  }
}

/**
 * Returns the function that loads the verification. It calls a `secrets` function at its first call, and again
 * only after a failure.
 */
export function createLoader(
  runtime: Runtime,
  { secrets, ...settings }: AsyncVerifierOptions,
): () => MaybePromise<VerifyRequest> {
  const create = (given: Secrets): VerifyRequest => createVerifyRequest(runtime, settings, given);
  let verify = typeof secrets === 'function' ? undefined : create(secrets);
  let loading: Promise<VerifyRequest> | undefined;
  const load = async (): Promise<VerifyRequest> =>
    (verify = create(await callSecrets(secrets as () => Secrets)));
  return () => verify ?? (loading ??= load().finally(() => (loading = undefined)));
}

/** Converts the error of a verification to its result. Throws any other error. */
export function toFailure(error: unknown): Extract<VerificationResult, { readonly ok: false }> {
  // With loaded secrets a verifier throws only verification codes.
  if (error instanceof WebhookError) return { ok: false, code: error.code as VerificationCode };
  throw error;
}

function checkEvent(
  body: Uint8Array,
  matches: readonly SecretKey[],
  settings: VerifierSettings,
): VerifiedEvent {
  const { mode, maxEventAge, now = Date.now } = settings;
  // The same secret may be listed twice, with different ends.
  const match = matches.find(({ notAfter }) => notAfter === Infinity || now() <= notAfter);
  if (!match) throw new WebhookError(matches.length > 0 ? 'secret_expired' : 'signature_mismatch');
  const event = parseEvent(body);
  // An unknown event may have no mode.
  if (mode && isRecord(event.data) && MODES.includes(event.data.mode) && event.data.mode !== mode)
    throw new WebhookError('mode_mismatch');
  const field = event.kind === 'payment' && findInvalidField(event);
  if (field) throw createFieldError('unreadable_event', `${field} of ${event.event}`);
  if (maxEventAge !== undefined) {
    const age = now() - parseTimestamp(event.created_at);
    if (age > maxEventAge + CLOCK_TOLERANCE) throw new WebhookError('stale_event');
    if (age < -CLOCK_TOLERANCE) throw new WebhookError('event_from_future');
    // Of an unknown event, or of a clock that fails.
    if (Number.isNaN(age)) throw createFieldError('invalid_event', 'created_at');
  }
  return { event, secretId: match.id };
}

// Without `ignoreBOM` it removes one byte order mark at the start (RFC 8259, section 8.1).
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the bytes of a verified body, without a byte order mark. The fields of the event are not checked.
 *
 * @throws {WebhookError} `invalid_utf8`, `invalid_json`, `invalid_event`
 */
function parseEvent(body: Uint8Array): DeliveredEvent {
  // An error of the decoder or parser is not kept as `cause`: its message quotes the body.
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw new WebhookError('invalid_utf8');
  }
  const event = parseJson(text);
  if (event === undefined) throw new WebhookError('invalid_json');
  if (!isRecord(event)) throw createFieldError('invalid_event', 'the body');
  const name = event.event;
  if (!isText(name)) throw createFieldError('invalid_event', 'event');
  // Overwrites fields with these names from the sender.
  event.source = 'webhook';
  event.kind = toKind(name);
  return event as unknown as DeliveredEvent;
}

/** Returns the kind of an event by its name. */
export function toKind(name: string): WebhookEvent['kind'] {
  return (PAYMENT_EVENT_NAMES as readonly string[]).includes(name) ? 'payment' : 'unknown';
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isAmount = (value: unknown): boolean => (isText(value) ? DECIMAL.test(value) : Number.isFinite(value));

type EventFields = { readonly [Name in 'event' | 'created_at' | 'data']?: unknown };

/** Returns the first field of a payment event that is not as documented. */
export function findInvalidField({ event, created_at, data }: EventFields): string | undefined {
  if (Number.isNaN(parseTimestamp(created_at))) return 'created_at (ISO 8601)';
  if (!isRecord(data)) return 'data';
  const { id, status, mode } = data;
  for (const name of ['from_currency', 'to_currency', 'send_amount', 'receive_amount'])
    if (!(name.endsWith('amount') ? isAmount : isText)(data[name])) return `data.${name}`;
  if (event !== `payment.${status as string}`) return 'data.status';
  if (!MODES.includes(mode)) return 'data.mode';
  const prefix = `pay_${mode as Mode}_`;
  return isText(id) && id.startsWith(prefix) && id !== prefix ? undefined : 'data.id';
}

/** Creates the error of a field. The message contains the field, never its value. */
function createFieldError(code: 'invalid_event' | 'unreadable_event', field: string): WebhookError {
  return new WebhookError(code, { message: `${code.replaceAll('_', ' ')}: ${field} is not as documented` });
}

// Databases limit the length of a key and reject control characters.
const PAYMENT_KEY = /^payment\.[^/\p{C}]{1,64}\/pay_(?:test|live)_./su;

/**
 * Returns the key of an event about the status of a payment, documented or not: the name of the event and the
 * id. Returns undefined for any other event.
 */
export function identifyPayment({ event, data }: { event: string; data?: unknown }): string | undefined {
  const { id, status } = isRecord(data) ? data : {};
  if (typeof id !== 'string' || typeof status !== 'string' || event !== `payment.${status}`) return undefined;
  const key = `${event}/${id}`;
  return PAYMENT_KEY.test(key) ? key : undefined;
}
