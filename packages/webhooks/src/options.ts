import {
  callable,
  duration,
  isPromise,
  type Field,
  type Fields,
  type FieldsOf,
  isRecord,
  matching,
  milliseconds,
  nonEmptyText,
  parseObject,
  parseTimestamp,
  wholeNumber,
} from '@service/internal';
import { WebhookError } from './errors.ts';
import { MODES, PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, Mode, PaymentEventName, WebhookEvent } from './event.ts';
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

/** A warning about an option that is valid and probably a mistake, or about an event without a handler. */
export interface WebhookWarning {
  /** The kind of warning. */
  readonly code: 'secret_has_stray_characters' | 'failed_without_handler' | 'event_without_handler';
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
   * The signing secret, several during a rotation, or a synchronous function that returns them. Required. The
   * verifier calls the function at its first use and keeps the result; a promise is refused with
   * `unusable_secret`.
   *
   * @example () => process.env.SERVICE_WEBHOOK_SECRET
   */
  readonly secrets: Secrets | (() => Secrets);
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
   * Called at construction for each option that is probably wrong, and by a receiver once for each event name
   * without a handler.
   *
   * @default logs the code and the message in one line of `console.warn`
   */
  readonly onWarning?: ((warning: WebhookWarning) => unknown) | undefined;
}

/** A handler of one event. Its promise is awaited before the event is acknowledged. */
export type Handler<Event extends WebhookEvent = WebhookEvent> = (event: Event) => unknown;

/** Handlers by event name. */
export type Handlers = { readonly [Name in PaymentEventName]?: Handler<EventOf<Name>> };

/**
 * The signing secrets, or a function that returns them. It is called at the first request, and its result is
 * kept. If it fails, the receiver responds 500 and calls it again at the next request.
 */
export type SecretsSource = Secrets | (() => Secrets | Promise<Secrets>);

/** The options of `createAsyncVerifier`, and some of those of `createReceiver`. */
export interface AsyncVerifierOptions extends Omit<VerifierOptions, 'secrets'> {
  /**
   * The signing secret, several during a rotation, or a function that returns them. Required.
   *
   * @example () => process.env.SERVICE_WEBHOOK_SECRET
   */
  readonly secrets: SecretsSource;
}

/** The options of `createReceiver`. */
export interface ReceiverOptions extends AsyncVerifierOptions {
  /**
   * The handlers by event name. Required.
   *
   * @example { 'payment.completed': async (event) => {} }
   */
  readonly on: Handlers;
  /**
   * The handler of events without a handler in `on`, including events with an undocumented name. Without it such
   * an event is acknowledged and not recorded as handled, and `onWarning` gets its name once.
   *
   * @default none
   */
  readonly fallback?: Handler | undefined;
  /**
   * Called for each rejected or failed delivery, and for a payment that was read if its handler may run again.
   * Not awaited, and its errors are ignored.
   *
   * @default logs the code, the event name and the message in one line of `console.error`, and the stack of an
   * error that a handler threw
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

export function invalidOptions(message: string): WebhookError {
  return new WebhookError('invalid_options', { message });
}

/**
 * Checks the options of a function. Returns a copy without inherited properties.
 *
 * @throws {WebhookError} `invalid_options`, with all known names for an unknown one
 */
export function parseOptions<Options extends object>(
  name: string,
  options: Options,
  fields: FieldsOf<Options>,
): Options {
  return parseObject(options, { name, fields: fields as Fields, createError: invalidOptions }) as Options;
}

/** A value that is checked later. */
const anyValue = /* @__PURE__ */ matching<never>('', () => true);

const verifierFields: FieldsOf<AsyncVerifierOptions> = {
  secrets: anyValue,
  mode: /* @__PURE__ */ matching<Mode>("'test' or 'live'", (value) => MODES.includes(value)),
  maxEventAge: milliseconds,
  now: /* @__PURE__ */ callable(),
  onWarning: /* @__PURE__ */ callable(),
};

/**
 * Checks the options of a verifier, but not its secrets.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseVerifierOptions<Options extends AsyncVerifierOptions>(options: Options): Options {
  return parseOptions('The options', options, verifierFields as FieldsOf<Options>);
}

/** The assumed difference between the clocks of sender and receiver, in milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

/** White space and quotes around a secret, and characters inside it that come from editors and files. */
const STRAY_CHARACTERS = /^[ "'`]|[ "'`]$|[\t\r\n\p{Cf}\u2018-\u201F]|[^\P{Z} ]/u;

/** Writes a warning to the console. */
export function logWarning({ code, message }: WebhookWarning): void {
  // oxlint-disable-next-line no-console -- the default of `onWarning`
  console.warn(`Webhook ${code}: ${message}`);
}

/**
 * Parses the `secrets` option. Secrets without an id are `secret-1`, `secret-2`, …. Warns about stray characters.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function toSecretKeys(
  secrets: Secrets,
  onWarning: VerifierOptions['onWarning'] = logWarning,
): readonly SecretKey[] {
  // An empty list is an unusable secret. The copy of a list has no holes.
  const list: readonly unknown[] = Array.isArray(secrets) && secrets.length > 0 ? [...secrets] : [secrets];
  const keys = list.map(toSecretKey);
  for (const { id: secretId, bytes } of keys) {
    // As in a secret that was read from a file or pasted. A key of random bytes is not text.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (!STRAY_CHARACTERS.test(text) || text.includes('\uFFFD')) continue;
    const message = `The secret ${secretId} contains white space, quotes or invisible characters.`;
    onWarning({ code: 'secret_has_stray_characters', message, secretId });
  }
  return keys;
}

const pointInTime: Field<number> = {
  expected: 'a Date, milliseconds or a timestamp',
  parse: (date) => {
    const time: unknown =
      typeof date === 'string' ? parseTimestamp(date) : ((date as Partial<Date> | null)?.getTime?.() ?? date);
    return Number.isFinite(time) ? (time as number) : undefined;
  },
};

function toSecretKey(secret: unknown, index: number): SecretKey {
  const given = isRecord(secret) && 'value' in secret ? secret : { value: secret };
  const fields = { id: nonEmptyText, value: anyValue as Field, notAfter: pointInTime };
  const parsed = parseObject(given, { name: 'A secret', fields, createError: invalidOptions });
  const { id = `secret-${index + 1}`, value, notAfter = Infinity } = parsed;
  if (isPromise(value)) {
    // Its rejection must not end the process.
    value.catch(() => {});
    const message = 'The secret is a promise. Use a receiver or /edge.';
    throw new WebhookError('unusable_secret', { message });
  }
  return { id, bytes: toKeyBytes(value), notAfter };
}

/**
 * Parses receiver options.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverOptions {
  const given = parseOptions<ReceiverOptions>('The options of createReceiver', options, {
    ...verifierFields,
    on: {
      expected: "an object with handlers by event name: { 'payment.completed': async (event) => {} }",
      parse: (on) => (isRecord(on) ? parseHandlers(on) : undefined),
      isRequired: true,
    },
    fallback: callable(),
    onError: callable(),
    maxBodyBytes: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
    store: matching<DedupeStore>('a DedupeStore, for example memoryStore()', isRecord),
    name: nonEmptyText,
    maxHandlerTime: duration,
  });
  if (given.store) assertStore(given.store, given.maxEventAge);
  return given;
}

// The result is a copy: later changes of the object have no effect, and inherited properties are not handlers.
function parseHandlers(on: Handlers): Handlers {
  // An undefined handler is a mistake, and not an absent one.
  const toField = (name: string) => [name, { ...callable<Handler>(), isRequired: Object.hasOwn(on, name) }];
  return parseOptions('on', on, Object.fromEntries(PAYMENT_EVENT_NAMES.map(toField)) as FieldsOf<Handlers>);
}

function assertStore(store: DedupeStore, maxEventAge: number | undefined): void {
  const names = ['claim', 'confirm', 'release', 'wait', ...(store.renew === undefined ? [] : ['renew'])];
  for (const name of names)
    if (typeof store[name as 'claim'] !== 'function')
      throw invalidOptions(`\`store.${name}\` must be a function.`);
  if (maxEventAge === undefined) return;
  // After the ttl of the store, a replay of an event within maxEventAge would be handled again.
  const needed = maxEventAge + CLOCK_TOLERANCE;
  // Also rejects an unset ttl and NaN.
  if (typeof store.ttl === 'number' && store.ttl >= needed) return;
  throw invalidOptions(
    `The ttl of the store must be at least maxEventAge and a minute, ${needed} ms, not ${String(store.ttl)}.`,
  );
}
