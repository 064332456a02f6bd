import { copyOwn, isRecord, parseTimestamp } from '@service/internal';
import type { MaybePromise } from '@service/internal';
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

/** The code of a {@link WebhookWarning}. */
export type WebhookWarningCode = 'secret_has_stray_characters' | 'max_event_age_below_retries';

/** A warning about an option that is valid and probably a mistake. */
export interface WebhookWarning {
  /** The kind of mistake. */
  readonly code: WebhookWarningCode;
  /** The probable mistake, without the secret. */
  readonly message: string;
  /** The id of the secret, for a warning about a secret. */
  readonly secretId?: string;
}

/** A function that receives warnings. */
export type WarningListener = (warning: WebhookWarning) => unknown;

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
  readonly onWarning?: WarningListener | undefined;
}

/** A handler of one event. Its promise is awaited before the event is acknowledged. */
export type Handler<Event extends WebhookEvent | UnreadableEvent = WebhookEvent> = (event: Event) => unknown;

/** Handlers by event name. */
export type Handlers = { readonly [Name in PaymentEventName]?: Handler<EventOf<Name>> };

/**
 * The signing secrets, or a function that returns them. The receiver calls the function at its first request
 * and keeps the result. If the function fails, the receiver responds 500 and calls it again at the next
 * request.
 */
export type SecretsSource = Secrets | (() => MaybePromise<Secrets>);

/** The options of `createReceiver`. */
export type ReceiverOptions = CommonReceiverOptions & FallbackOptions;

/** The handler of events without a handler in `on`, and the policy for unreadable events. */
export type FallbackOptions =
  | {
      /**
       * The handler of events without a handler in `on`, including events with an undocumented name.
       * Required.
       */
      readonly fallback: Handler;
      /**
       * The policy for a correctly signed event with a documented name and fields that are not as documented:
       * `retry` responds 500, so that the sender retries; `fallback` passes it to `fallback` once, as an
       * {@link UnreadableEvent}.
       *
       * @default 'retry'
       */
      readonly onUnreadable?: 'retry' | undefined;
    }
  | {
      /** The handler of events without a handler in `on`, including unreadable ones. Required. */
      readonly fallback: Handler<WebhookEvent | UnreadableEvent>;
      /** Passes a correctly signed event with undocumented fields to `fallback`, instead of responding 500. */
      readonly onUnreadable: 'fallback';
    };

/** All options of a receiver except {@link FallbackOptions}. */
export interface CommonReceiverOptions extends Omit<VerifierOptions, 'secrets'> {
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
  /**
   * Called for each rejected or failed delivery. Not awaited, and its errors are ignored.
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
   * that takes longer is not interrupted, but a redelivery may run it again.
   *
   * @default 60_000
   */
  readonly maxHandlerTime?: number | undefined;
  /**
   * The key that identifies duplicates: payment and status, or the SHA-256 of the body. With `'body'`, a
   * redelivery with a new `created_at` is a new event.
   *
   * @default 'payment'
   */
  readonly dedupeBy?: 'payment' | 'body' | undefined;
}

/** A handler of any event. */
export type AnyHandler = Handler<WebhookEvent | UnreadableEvent>;

/** The options that concern events, with defaults applied. */
export interface EventSettings {
  readonly mode: Mode | undefined;
  readonly maxEventAge: number | undefined;
  readonly now: () => number;
  readonly onWarning: WarningListener;
}

/** A secret as a key. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of its use, in milliseconds since 1970, or `Infinity`. */
  readonly notAfter: number;
}

/** The options of a verifier, with defaults applied. */
export interface VerifierSettings extends EventSettings {
  readonly secretKeys: readonly SecretKey[];
}

/** The options of a receiver after their check. */
interface GivenReceiverOptions extends CommonReceiverOptions {
  readonly fallback: AnyHandler;
  readonly onUnreadable?: 'retry' | 'fallback' | undefined;
}

/** The options of a receiver, with the defaults that concern events. */
export interface ReceiverSettings extends Omit<GivenReceiverOptions, keyof EventSettings>, EventSettings {
  readonly handlers: ReadonlyMap<string, AnyHandler>;
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
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
  const names = Object.keys(checks).join(', ');
  if (unknown.length > 0)
    throw invalidOptions(`${caller} accepts the options { ${names} }, not ${unknown.join(', ')}.`);
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
  return optional(
    `a whole number from ${min}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= min,
  );
}

/** Creates the check of an optional time. A timer of more than 2^31 - 1 ms would fire immediately. */
function milliseconds(min: number): Check {
  const [expected, isValid] = wholeNumber(min);
  return [
    `${expected} to 2147483647, in milliseconds`,
    (value) => isValid(value) && !(Number(value) > 2_147_483_647),
  ];
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** A value that is checked later. */
const anyValue: Check = ['', () => true];

function createEventChecks(): Record<keyof Omit<VerifierOptions, 'secrets'>, Check> {
  return {
    mode: optional("'test' or 'live'", (value) => MODES.includes(value as Mode)),
    maxEventAge: wholeNumber(1),
    now: optional('a function', isFunction),
    onWarning: optional('a function', isFunction),
  };
}

/**
 * Parses verifier options, and warns about those that are probably wrong.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 */
export function parseVerifierOptions(options: VerifierOptions): VerifierSettings {
  const checks = { secrets: anyValue, ...createEventChecks() };
  const given = checkOptions('createVerifier', options, checks);
  return addSecrets(applyDefaults(given), given.secrets);
}

function applyDefaults(parsed: Omit<VerifierOptions, 'secrets'>): EventSettings {
  const { mode, maxEventAge, now = Date.now, onWarning = emitWarning } = parsed;
  return { mode, maxEventAge, now, onWarning };
}

/** The assumed difference between the clocks of sender and receiver, in milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

/** The time for which the sender retries a delivery, rounded up to 28 h, in milliseconds. */
export const RETRY_PERIOD = 100_800_000;

/** White space and quotes around a secret, and characters inside it that come from editors and files. */
const STRAY_CHARACTERS = /^[ "'`]|[ "'`]$|[\t\r\n\p{Cf}\u2018-\u201F]|[^\P{Z} ]/u;

/**
 * Parses the secrets, and warns about options that are probably wrong.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function addSecrets(settings: EventSettings, secrets: unknown): VerifierSettings {
  const { maxEventAge, onWarning } = settings;
  const secretKeys = toSecretKeys(secrets);
  for (const { id: secretId, bytes } of secretKeys) {
    // As in a secret that was read from a file or pasted. A key of random bytes is not text.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (!STRAY_CHARACTERS.test(text) || text.includes('\uFFFD')) continue;
    const message = `The secret ${secretId} has white space, a line break, quotes or invisible characters, which are part of the key.`;
    onWarning({ code: 'secret_has_stray_characters', message, secretId });
  }
  if (maxEventAge && maxEventAge < RETRY_PERIOD) {
    const message = 'maxEventAge is below 28 h: late retries, which keep their created_at, are dropped.';
    onWarning({ code: 'max_event_age_below_retries', message });
  }
  return { ...settings, secretKeys };
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

/** Maximum number of secrets. Each request is hashed once per secret. */
const MAX_SECRETS = 5;

/**
 * Parses the `secrets` option. Secrets without an id are `secret-1`, `secret-2`, ….
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function toSecretKeys(secrets: unknown): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? Array.from(secrets) : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret');
  if (list.length > MAX_SECRETS)
    throw invalidOptions(`secrets must contain at most ${MAX_SECRETS} secrets, not ${list.length}.`);
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    throw invalidOptions('Two secrets have the same id.');
  return keys;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  const isInstant = (value: unknown): boolean => Number.isFinite(toInstant(value));
  const isNamed = isRecord(secret) && 'value' in secret;
  const given = isNamed ? (secret as unknown as NamedSecret) : { id: `secret-${index + 1}`, value: secret };
  const {
    id,
    value,
    notAfter = Infinity,
  } = checkOptions<NamedSecret>('A secret', given as NamedSecret, {
    id: ['a non-empty string', isText],
    value: anyValue,
    notAfter: optional('a Date, milliseconds, or like 2026-02-28T00:00:00Z', isInstant),
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
  const given = checkOptions('createReceiver', options as GivenReceiverOptions, {
    secrets: anyValue,
    ...createEventChecks(),
    on: ["an object with handlers by event name: { 'payment.completed': async (event) => {} }", isRecord],
    fallback: ['a function that handles each event without a handler in on', isFunction],
    onError: optional('a function', isFunction),
    maxBodyBytes: wholeNumber(1),
    store: optional('a DedupeStore, for example memoryStore()', isRecord),
    name: optional('a non-empty string', isText),
    maxHandlerTime: milliseconds(1),
    dedupeBy: optional("'payment' or 'body'", (value) => value === 'payment' || value === 'body'),
    onUnreadable: optional("'retry' or 'fallback'", (value) => value === 'retry' || value === 'fallback'),
  });
  const settings = applyDefaults(given);
  if (given.store) assertStore(given.store, settings);
  return Object.assign(given, settings, { handlers: parseHandlers(given.on) });
}

function parseHandlers(on: Handlers): ReceiverSettings['handlers'] {
  // An undefined handler is a mistake, and not an absent one.
  const toCheck = (name: string): Check => [
    'a function',
    (value) => isFunction(value) || !Object.hasOwn(on, name),
  ];
  const checks = Object.fromEntries(PAYMENT_EVENT_NAMES.map((name) => [name, toCheck(name)]));
  // A copy: later changes of the object have no effect, and inherited properties are not handlers.
  return new Map(
    Object.entries(checkOptions('createReceiver: on', on as Record<string, AnyHandler>, checks)),
  );
}

function assertStore(store: DedupeStore, { maxEventAge }: EventSettings): void {
  for (const name of ['claim', 'confirm', 'release', 'wait', 'renew'] as const) {
    const isOptional = name === 'renew' && store.renew === undefined;
    if (!isOptional && typeof store[name] !== 'function')
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
