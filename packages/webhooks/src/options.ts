import { copyOwn, isRecord, parseTimestamp } from '@service/internal';
import { WebhookError } from './errors.ts';
import { MODES, PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, Mode, PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { toKeyBytes } from './signature.ts';
import type { Secret } from './signature.ts';
import type { DedupeStore } from './stores/store.ts';

/** A signing secret with an id and an optional end. */
export interface NamedSecret {
  /**
   * The id of the secret in results and warnings. Not confidential.
   *
   * @example '2026-01'
   */
  readonly id: string;
  /** The signing secret. `undefined`, an unset environment variable, throws `unusable_secret`. */
  readonly value: Secret | undefined;
  /**
   * The end of its use: later signatures are `secret_expired`. A Date, milliseconds since 1970, or a
   * timestamp with an offset.
   *
   * @default never
   * @example '2026-02-28T00:00:00Z'
   */
  readonly notAfter?: Date | number | string | undefined;
}

/**
 * The values of `secrets`. `undefined`, an unset environment variable, compiles and throws `unusable_secret`.
 */
export type Secrets = Secret | NamedSecret | readonly (Secret | NamedSecret)[] | undefined;

/** A warning about an option that is valid and probably a mistake. */
export interface WebhookWarning {
  /** The kind of mistake. */
  readonly code: 'secret_has_stray_characters' | 'max_event_age_below_retries';
  /** The probable mistake, without the secret. */
  readonly message: string;
  /** The id of the secret, for a warning about a secret. */
  readonly secretId?: string;
}

/** The options of `createVerifier`. */
export interface VerifierOptions {
  /**
   * Maximum age of an event by its signed `created_at`, in milliseconds. The sender retries for 27 hours and
   * `created_at` stays the same.
   *
   * @default unlimited
   * @example 3 * 86_400_000
   */
  readonly maxEventAge?: number | undefined;
  /**
   * The signing secret, or several during a rotation. Required.
   *
   * @example process.env.SERVICE_WEBHOOK_SECRET
   */
  readonly secrets: Secrets;
  /**
   * The mode of accepted events.
   *
   * @default both modes
   * @example 'live'
   */
  readonly mode?: Mode | undefined;
  /**
   * Returns the current time, in milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * Called at construction for each option that is probably wrong.
   *
   * @default emits a process warning, or calls `console.warn` in runtimes without process warnings
   */
  readonly onWarning?: ((warning: WebhookWarning) => unknown) | undefined;
}

/** A handler of one event. Its promise is awaited before the event is acknowledged. */
export type Handler<Event extends WebhookEvent = WebhookEvent> = (event: Event) => unknown;

/** Handlers by event name. */
export type Handlers = { readonly [Name in PaymentEventName]?: Handler<EventOf<Name>> };

/**
 * The signing secrets, or a function that returns them. The receiver calls the function at its first request
 * and keeps the result. If the function fails, the receiver responds 500 and calls it again at the next
 * request.
 */
export type SecretsSource = Secrets | (() => Secrets | Promise<Secrets>);

/** The options of `createReceiver`. */
export interface ReceiverOptions extends Omit<VerifierOptions, 'secrets'> {
  /**
   * The signing secret, several during a rotation, or a function that returns them. Required.
   *
   * @example () => process.env.SERVICE_WEBHOOK_SECRET
   */
  readonly secrets: SecretsSource;
  /**
   * The handlers by event name. Required.
   *
   * @example { 'payment.completed': async (event) => {} }
   */
  readonly on: Handlers;
  /** The handler of events without a handler in `on`, including events with an undocumented name. Required. */
  readonly fallback: Handler;
  /**
   * The handler of a correctly signed event with a documented name and fields that are not as documented. It
   * gets each body once. Without it the receiver responds 500, so that the sender retries.
   *
   * @default none
   */
  readonly onUnreadable?: ((event: UnreadableEvent) => unknown) | undefined;
  /**
   * Called for each rejected or failed delivery, and for a payment that was read if its handler may run again.
   * Not awaited, and its errors are ignored.
   *
   * @default logs the code, the event name and the message in one line of `console.error`
   */
  readonly onError?: ((error: WebhookError, event: WebhookEvent | undefined) => unknown) | undefined;
  /**
   * Maximum size of a body, in bytes.
   *
   * @default 65_536
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The store of handled events. Several processes need a store that they share.
   *
   * @default memoryStore()
   */
  readonly store?: DedupeStore | undefined;
  /**
   * The name of the receiver in its store. Required if several receivers share a store: without names, an
   * event that one of them has handled is a duplicate for the others, and their handlers do not run.
   *
   * @default none
   * @example 'billing'
   */
  readonly name?: string | undefined;
  /**
   * Maximum time for which the receiver renews the claim of a running handler, in milliseconds. A handler
   * that takes longer is not interrupted, but a redelivery may run it again, except with `memoryStore()`.
   *
   * @default 60_000
   */
  readonly maxHandlerTime?: number | undefined;
}

/** A secret as a key. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of its use, in milliseconds since 1970, or `Infinity`. */
  readonly notAfter: number;
}

/** The options of a verifier, with defaults applied. */
export interface VerifierSettings extends Pick<VerifierOptions, 'mode' | 'maxEventAge'> {
  readonly now: () => number;
  readonly secretKeys: readonly SecretKey[];
}

/** The checked options of a receiver. */
export interface ReceiverSettings extends ReceiverOptions {
  readonly handlers: ReadonlyMap<string, Handler>;
}

export function invalidOptions(message: string): WebhookError {
  return new WebhookError('invalid_options', { message });
}

/** The description of the valid values of an option, and their check. */
export type Check = readonly [expected: string, isValid: (value: unknown) => boolean];

/**
 * Checks the options of a function. Returns a copy without inherited properties.
 *
 * @throws {WebhookError} `invalid_options`, with all known names for an unknown one
 */
export function checkOptions<Options extends object>(
  caller: string,
  options: Options,
  checks: { readonly [Name in keyof Options]-?: Check },
): Options {
  const given = isRecord(options) ? copyOwn(options) : { [typeof options]: options };
  const names = Object.keys(checks).join(', ');
  for (const name of Object.keys(given))
    if (!Object.hasOwn(checks, name))
      throw invalidOptions(`${caller} accepts the options { ${names} }, not ${name}.`);
  for (const [name, [expected, isValid]] of Object.entries<Check>(checks))
    if (!isValid(given[name])) throw invalidOptions(`${caller}: ${name} must be ${expected}.`);
  return given as Options;
}

/** Creates the check of an option that may be absent. */
export function optional(expected: string, isValid: (value: unknown) => boolean): Check {
  return [expected, (value) => value === undefined || isValid(value)];
}

/** Creates the check of an optional whole number. */
export function wholeNumber(min: number): Check {
  const isValid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= min;
  return optional(`a whole number from ${min}`, isValid);
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** A value that is checked later. */
const anyValue: Check = ['', () => true];

const isOptionalFunction: Check = /* @__PURE__ */ optional('a function', isFunction);
const eventChecks: Record<keyof Omit<VerifierOptions, 'secrets'>, Check> = {
  mode: /* @__PURE__ */ optional("'test' or 'live'", (value) => MODES.includes(value as Mode)),
  maxEventAge: /* @__PURE__ */ wholeNumber(1),
  now: isOptionalFunction,
  onWarning: isOptionalFunction,
};

/**
 * Parses verifier options, and warns about those that are probably wrong.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 */
export function parseVerifierOptions(options: VerifierOptions): VerifierSettings {
  const given = checkOptions('createVerifier', options, { secrets: anyValue, ...eventChecks });
  return createSettings(given, given.secrets);
}

/** The assumed difference between the clocks of sender and receiver, in milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

/** The time for which the sender retries a delivery, rounded up to 28 h, in milliseconds. */
export const RETRY_PERIOD = 100_800_000;

/** White space and quotes around a secret, and characters inside it that come from editors and files. */
const STRAY_CHARACTERS = /^[ "'`]|[ "'`]$|[\t\r\n\p{Cf}\u2018-\u201F]|[^\P{Z} ]/u;

/**
 * Applies the defaults, parses the secrets, and warns about options that are probably wrong.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function createSettings(
  { mode, maxEventAge, now = Date.now, onWarning = emitWarning }: Omit<VerifierOptions, 'secrets'>,
  secrets: unknown,
): VerifierSettings {
  const secretKeys = toSecretKeys(secrets);
  for (const { id: secretId, bytes } of secretKeys) {
    // As in a secret that was read from a file or pasted. A key of random bytes is not text.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (!STRAY_CHARACTERS.test(text) || text.includes('\uFFFD')) continue;
    const message = `The secret ${secretId} contains white space, quotes or invisible characters.`;
    onWarning({ code: 'secret_has_stray_characters', message, secretId });
  }
  if (maxEventAge && maxEventAge < RETRY_PERIOD) {
    const message = 'maxEventAge is below 28 h, so late retries are dropped.';
    onWarning({ code: 'max_event_age_below_retries', message });
  }
  return { mode, maxEventAge, now, secretKeys };
}

interface Runtime {
  readonly process?: { readonly emitWarning?: (message: string, options: object) => void };
}

/** Emits a process warning, or writes to the console in runtimes without process warnings. */
function emitWarning({ code, message }: WebhookWarning): void {
  const runtime = (globalThis as Runtime).process;
  if (runtime?.emitWarning) runtime.emitWarning(message, { type: 'WebhookWarning', code });
  // oxlint-disable-next-line no-console -- the only output of other runtimes
  else console.warn(`${code}: ${message}`);
}

/**
 * Parses the `secrets` option. Secrets without an id are `secret-1`, `secret-2`, ….
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function toSecretKeys(secrets: unknown): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? [...(secrets as unknown[])] : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret');
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    throw invalidOptions('Two secrets have the same id.');
  return keys;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  const isNamed = isRecord(secret) && 'value' in secret;
  const given = isNamed ? (secret as unknown as NamedSecret) : { id: `secret-${index + 1}`, value: secret };
  const {
    id,
    value,
    notAfter = Infinity,
  } = checkOptions<NamedSecret>('A secret', given as NamedSecret, {
    id: ['a non-empty string', isText],
    value: anyValue,
    notAfter: optional('a Date, milliseconds, or like 2026-02-28T00:00:00Z', (date) =>
      Number.isFinite(toInstant(date)),
    ),
  });
  return { id, bytes: toKeyBytes(value), notAfter: toInstant(notAfter) };
}

function toInstant(value: unknown): number {
  if (typeof value === 'string') return parseTimestamp(value);
  return (value instanceof Date ? value.getTime() : value) as number;
}

/**
 * Parses receiver options.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverSettings {
  const given = checkOptions('createReceiver', options, {
    secrets: anyValue,
    ...eventChecks,
    on: ["an object with handlers by event name: { 'payment.completed': async (event) => {} }", isRecord],
    fallback: ['a function that handles each event without a handler in on', isFunction],
    onUnreadable: isOptionalFunction,
    onError: isOptionalFunction,
    maxBodyBytes: wholeNumber(1),
    store: optional('a DedupeStore, for example memoryStore()', isRecord),
    name: optional('a non-empty string', isText),
    // A timer with a longer delay would fire immediately.
    maxHandlerTime: optional(
      'a whole number from 1 to 2147483647, in milliseconds',
      (value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= 2_147_483_647,
    ),
  });
  if (given.store) assertStore(given.store, given.maxEventAge);
  return Object.assign(given, { handlers: parseHandlers(given.on) });
}

function parseHandlers(on: Handlers): ReceiverSettings['handlers'] {
  // An undefined handler is a mistake, and not an absent one.
  const toCheck = (name: string): [string, Check] => [
    name,
    ['a function', (value) => isFunction(value) || !Object.hasOwn(on, name)],
  ];
  const checks = Object.fromEntries(PAYMENT_EVENT_NAMES.map(toCheck));
  // A copy: later changes of the object have no effect, and inherited properties are not handlers.
  return new Map(Object.entries(checkOptions('createReceiver: on', on as Record<string, Handler>, checks)));
}

function assertStore(store: DedupeStore, maxEventAge: number | undefined): void {
  for (const name of ['claim', 'confirm', 'release', 'wait', 'renew'] as const) {
    const isOptional = name === 'renew' && store.renew === undefined;
    if (!isOptional && !isFunction(store[name]))
      throw invalidOptions(`createReceiver: store.${name} must be a function.`);
  }
  if (maxEventAge === undefined) return;
  // After the ttl of the store, a replay of an event within maxEventAge would be handled again.
  const needed = maxEventAge + CLOCK_TOLERANCE;
  // Also rejects an unset ttl and NaN.
  if (typeof store.ttl === 'number' && store.ttl >= needed) return;
  throw invalidOptions(
    `The ttl of the store must be at least maxEventAge and a minute, ${needed} ms, not ${String(store.ttl)}.`,
  );
}
