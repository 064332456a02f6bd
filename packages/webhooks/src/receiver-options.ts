import {
  callable,
  type Field,
  isRecord,
  type MaybePromise,
  oneOf,
  parseField,
  pickKnown,
  type RequiredField,
  wholeNumber,
} from '@service/internal';
import type { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { invalidOptions, milliseconds, nonEmptyText, parseOptions } from './options.ts';
import { memoryStore } from './store/memory.ts';
import type { DedupeStore } from './store/store.ts';
import type { EventChecks } from './verified-event.ts';
import { applyDefaults, createEventFields } from './verifier-options.ts';
import type { Secrets, VerifierOptions } from './verifier-options.ts';

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
   * Maximum time for which a duplicate waits for the first delivery, in milliseconds. The timeout of the
   * sender is 10 000.
   *
   * @default 8_000
   */
  readonly acknowledgeTimeout?: number | undefined;
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

/** The options of a receiver, with defaults applied. */
export interface ReceiverSettings {
  readonly secrets: SecretsSource;
  /** The options of its verifiers, without defaults. */
  readonly verifierOptions: Omit<VerifierOptions, 'secrets'>;
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly fallback: AnyHandler;
  readonly onUnreadable: 'retry' | 'fallback';
  readonly onError: NonNullable<ReceiverOptions['onError']>;
  readonly maxBodyBytes: number;
  readonly store: DedupeStore;
  readonly name: string | undefined;
  readonly acknowledgeTimeout: number;
  readonly maxHandlerTime: number;
  readonly dedupeBy: 'payment' | 'body';
}

/**
 * Parses receiver options and applies defaults.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverSettings {
  const parsed = parseOptions('createReceiver', options, {
    // createVerifier checks the secrets.
    secrets: { expected: '', parse: (value): SecretsSource => value as SecretsSource },
    ...createEventFields(),
    on: handlersField,
    fallback: {
      ...callable<AnyHandler>(),
      expected: 'a function that handles each event without a handler in on',
      isRequired: true,
    },
    onError: callable<ReceiverSettings['onError']>(),
    maxBodyBytes: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
    store: storeField,
    name: nonEmptyText,
    acknowledgeTimeout: milliseconds(0),
    maxHandlerTime: milliseconds(1),
    dedupeBy: oneOf('payment', 'body'),
    onUnreadable: oneOf('retry', 'fallback'),
  });
  const { mode, maxEventAge, clockTolerance, now, onWarning, store = memoryStore() } = parsed;
  assertStore(store, applyDefaults(parsed));
  return {
    secrets: parsed.secrets,
    verifierOptions: { mode, maxEventAge, clockTolerance, now, onWarning },
    handlers: parseHandlers(parsed.on),
    fallback: parsed.fallback,
    onUnreadable: parsed.onUnreadable ?? 'retry',
    onError: parsed.onError ?? logError,
    maxBodyBytes: parsed.maxBodyBytes ?? 65_536,
    store,
    name: parsed.name,
    acknowledgeTimeout: parsed.acknowledgeTimeout ?? 8_000,
    maxHandlerTime: parsed.maxHandlerTime ?? 60_000,
    dedupeBy: parsed.dedupeBy ?? 'payment',
  };
}

const handlersField: RequiredField<Handlers> = {
  expected: "an object with handlers by event name: { 'payment.completed': async (event) => {} }",
  parse: (value) => (isRecord(value) ? value : undefined),
  isRequired: true,
};

const storeField: Field<DedupeStore> = {
  expected: 'a DedupeStore, for example memoryStore()',
  parse: (value) => (isRecord(value) ? (value as unknown as DedupeStore) : undefined),
};

function parseHandlers(on: Handlers): ReceiverSettings['handlers'] {
  const schema = {
    name: 'on',
    fields: Object.fromEntries(PAYMENT_EVENT_NAMES.map((name) => [name, callable<AnyHandler>()])),
    createError: (message: string) =>
      invalidOptions(`createReceiver: on: ${message} fallback handles all other events.`),
  };
  // A copy: later changes of the object have no effect, and inherited properties are not handlers.
  const handlers = Object.entries(pickKnown(on, schema));
  // Field by field: an undefined handler is a mistake, and not an absent one.
  return new Map(handlers.map(([name, handler]) => [name, parseField(name, handler, schema) as AnyHandler]));
}

function assertStore(store: DedupeStore, { maxEventAge, clockTolerance }: EventChecks): void {
  for (const name of ['claim', 'confirm', 'release', 'wait', 'renew'] as const) {
    const isOptional = name === 'renew' && store.renew === undefined;
    if (!isOptional && typeof store[name] !== 'function')
      throw invalidOptions(`createReceiver: store.${name} must be a function.`);
  }
  if (maxEventAge === undefined) return;
  // After the ttl of the store, a replay of an event within maxEventAge would be handled again.
  const needed = maxEventAge + clockTolerance;
  // Also rejects an unset ttl and NaN.
  if (typeof store.ttl === 'number' && store.ttl >= needed) return;
  throw invalidOptions(
    `The ttl of the store must be at least maxEventAge + clockTolerance, ${needed} ms, not ${String(store.ttl)}.`,
  );
}

/** Writes an error to the console in one line, without the body and without the message of the cause. */
function logError({ code, message, docs, cause }: WebhookError, event: WebhookEvent | undefined): void {
  // An undocumented name is text from the sender and may contain line breaks.
  const name = event?.kind === 'payment' ? ` for ${event.event}` : '';
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(`Webhook error ${code}${name}: ${message}${formatCause(cause)} (${docs})`);
}

/**
 * Formats the name and the code of a cause, for example `Error ECONNREFUSED`. Its message may quote the body.
 */
function formatCause(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const { name, code } = cause as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^\w{1,40}$/.test(word));
  return words.length === 0 ? '' : ` (cause: ${words.join(' ')})`;
}
