import type { DeduplicationOptions } from './deduplicate.ts';
import { logError } from './error-log.ts';
import type { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import type { EventAgeLimits } from './event-age.ts';
import {
  assertDuration,
  assertFunction,
  assertKnownOptions,
  assertWholeNumber,
  invalidOptions,
} from './options.ts';
import type { Secrets } from './secret.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { memoryStore } from './store/memory.ts';
import type { DedupeStore } from './store/store.ts';
import { parseEventChecks, VERIFIER_OPTIONS } from './verifier.ts';
import type { VerifierOptions } from './verifier.ts';

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
      readonly fallback: Handler<WebhookEvent | UnreadableEvent>;
      readonly onUnreadable: 'fallback';
    };

/** All options of a receiver except {@link FallbackOptions}. */
export interface CommonReceiverOptions extends Omit<VerifierOptions, 'secrets'> {
  /**
   * The signing secret, several during a rotation, or a function that returns them. Required.
   *
   * @example () => process.env.WEBHOOK_SECRET
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

/** The options of a receiver, with defaults applied. */
export interface ReceiverSettings extends DeduplicationOptions {
  readonly onUnreadable: 'retry' | 'fallback';
  readonly onError: NonNullable<ReceiverOptions['onError']>;
  readonly maxBodyBytes: number;
  readonly dedupeBy: 'payment' | 'body';
  readonly name: string | undefined;
}

const receiverOptions: readonly (keyof ReceiverOptions)[] = [
  ...VERIFIER_OPTIONS,
  'on',
  'fallback',
  'onError',
  'maxBodyBytes',
  'store',
  'acknowledgeTimeout',
  'maxHandlerTime',
  'dedupeBy',
  'name',
  'onUnreadable',
];

const STORE_METHODS: readonly (keyof DedupeStore)[] = ['claim', 'confirm', 'release', 'wait'];

/**
 * Parses receiver options and applies defaults.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverSettings {
  assertKnownOptions(options, receiverOptions, 'createReceiver');
  const { onError = logError, store = memoryStore(), dedupeBy = 'payment', onUnreadable = 'retry' } = options;
  const { maxBodyBytes = 65_536, acknowledgeTimeout = 8_000, maxHandlerTime = 60_000 } = options;
  assertFunction(onError, 'onError');
  assertStore(store);
  assertWholeNumber(maxBodyBytes, 'maxBodyBytes', 1);
  assertDuration(acknowledgeTimeout, 'acknowledgeTimeout', 0);
  assertDuration(maxHandlerTime, 'maxHandlerTime', 1);
  if (!['payment', 'body'].includes(dedupeBy)) throw invalidOptions('dedupeBy must be payment or body.');
  if (!['retry', 'fallback'].includes(onUnreadable))
    throw invalidOptions('onUnreadable must be retry or fallback.');
  assertTtl(store, parseEventChecks(options).eventAge);
  const { name } = options;
  if (name !== undefined && !(typeof name === 'string' && name))
    throw invalidOptions('name must be a non-empty string.');
  return {
    handle: createDispatch(options),
    onError,
    store,
    maxBodyBytes,
    acknowledgeTimeout,
    maxHandlerTime,
    dedupeBy,
    name,
    onUnreadable,
  };
}

function createDispatch({ on, fallback }: ReceiverOptions): DeduplicationOptions['handle'] {
  if (typeof on !== 'object' || on === null) {
    throw invalidOptions(
      "on must contain handlers by event name: { 'payment.completed': async (event) => {} }.",
    );
  }
  if (typeof fallback !== 'function') {
    throw invalidOptions('fallback must be a function. It handles each event without a handler in on.');
  }
  // A copy: later changes of the object have no effect, and inherited properties are not handlers.
  const handlers = new Map(Object.entries(on) as [string, Handler][]);
  for (const [name, handler] of handlers) assertHandler(name, handler);
  // With `onUnreadable: 'retry'` no unreadable event is dispatched.
  const handleRest = fallback as Handler<WebhookEvent | UnreadableEvent>;
  return (event) =>
    event.kind === 'unreadable' ? handleRest(event) : (handlers.get(event.event) ?? handleRest)(event);
}

function assertHandler(name: string, handler: unknown): void {
  if (!PAYMENT_EVENT_NAMES.some((known) => known === name)) {
    throw invalidOptions(
      `on['${name}'] is not a documented event. Use ${PAYMENT_EVENT_NAMES.join(', ')}, and fallback for others.`,
    );
  }
  assertFunction(handler, `on['${name}']`);
}

// After the ttl of the store, a replay of an event within maxEventAge would be handled again.
function assertTtl({ ttl }: DedupeStore, eventAge: EventAgeLimits | undefined): void {
  if (eventAge === undefined) return;
  const needed = eventAge.maxEventAge + eventAge.clockTolerance;
  // Also rejects an unset ttl and NaN.
  if (typeof ttl === 'number' && ttl >= needed) return;
  throw invalidOptions(
    `The ttl of the store must be at least maxEventAge + clockTolerance, ${needed} ms, not ${String(ttl)}.`,
  );
}

function assertStore(store: DedupeStore): void {
  if (typeof store !== 'object' || store === null)
    throw invalidOptions('store must be a DedupeStore, for example memoryStore().');
  const methods = store.renew === undefined ? STORE_METHODS : [...STORE_METHODS, 'renew' as const];
  for (const method of methods) assertFunction(store[method], `store.${method}`);
}
