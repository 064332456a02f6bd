import type { DeliveryOptions } from './delivery.ts';
import { logError } from './error-log.ts';
import type { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import type { FreshnessSettings } from './freshness.ts';
import {
  assertDuration,
  assertFunction,
  assertKnownOptions,
  assertWholeNumber,
  invalidOptions,
} from './options.ts';
import type { Secrets } from './secret.ts';
import type { Sooner } from './sooner.ts';
import { memoryStore } from './store/memory.ts';
import type { DedupeStore } from './store/store.ts';
import { parseEventChecks, VERIFIER_OPTIONS } from './verifier.ts';
import type { VerifierOptions } from './verifier.ts';

/** Handles one event; a promise is awaited before the event is acknowledged. */
export type Handler<Event extends WebhookEvent | UnreadableEvent = WebhookEvent> = (event: Event) => unknown;

/** Holds a handler for each event name that matters. */
export type Handlers = { readonly [Name in PaymentEventName]?: Handler<EventOf<Name>> };

/**
 * The signing secrets, or a function that returns them. The receiver calls the function at its first request and keeps
 * the result; if the function fails, the request is answered 500 and the next request calls it again.
 */
export type SecretsSource = Secrets | (() => Sooner<Secrets>);

/** Configures a receiver. */
export type ReceiverOptions = CommonReceiverOptions & FallbackOptions;

/** The handler of all events without a handler in `on`, and the treatment of unreadable events. */
export type FallbackOptions =
  | {
      /** Handles every event without a handler in `on`, also those whose name is not known yet. Required. */
      readonly fallback: Handler;
      /**
       * The treatment of a correctly signed event with a documented name and fields that are not as documented: `retry`
       * answers 500, so that the sender retries; `fallback` passes it to `fallback` once as an {@link UnreadableEvent}.
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
   * @example () => process.env.WEBHOOK_SECRET
   */
  readonly secrets: SecretsSource;
  /** Holds the handlers by event name. Required. Example: `{ 'payment.completed': async (event) => {} }`. */
  readonly on: Handlers;
  /**
   * Called for each refused or failed delivery, and not awaited. Errors that it throws are ignored.
   * @default writes one line to `console.error`: the code, the event name and the reason
   */
  readonly onError?: ((error: WebhookError, event: WebhookEvent | undefined) => unknown) | undefined;
  /** Bounds the body, in bytes. Default 65 536. */
  readonly maxBodyBytes?: number | undefined;
  /** Remembers handled events. Default: a `memoryStore()`, which serves one process. */
  readonly store?: DedupeStore | undefined;
  /**
   * Names the receiver to its store. Give each a name where several receivers share a store: an event that one of them has handled
   * is a duplicate to the others otherwise, and is acknowledged without running their handlers.
   * @default none
   * @example 'billing'
   */
  readonly name?: string | undefined;
  /** Bounds how long a duplicate waits for the first delivery, in milliseconds. Default 8 000; the sender gives up at 10 000. */
  readonly acknowledgeTimeout?: number | undefined;
  /**
   * Maximum time for which the receiver renews the claim of a running handler, in milliseconds. A handler that runs longer
   * is not interrupted, but a redelivery may then run it again.
   * @default 60_000
   */
  readonly maxHandlerTime?: number | undefined;
  /**
   * Tells duplicates by payment and status, or by the SHA-256 of the body, which takes a redelivery with a new
   * `created_at` for another event.
   * @default 'payment'
   */
  readonly dedupeBy?: 'payment' | 'body' | undefined;
}

/** Holds receiver options that were checked and completed. */
export interface ReceiverSettings extends DeliveryOptions {
  readonly onUnreadable: 'retry' | 'fallback';
  readonly onError: NonNullable<ReceiverOptions['onError']>;
  readonly maxBodyBytes: number;
  readonly dedupeBy: 'payment' | 'body';
  readonly name: string | undefined;
}

const RECEIVER_OPTIONS: readonly (keyof ReceiverOptions)[] = [
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

/** Parses receiver options and completes them by their defaults. Throws `invalid_options`. */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverSettings {
  assertKnownOptions(options, RECEIVER_OPTIONS, 'createReceiver');
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
  assertRemembersLongEnough(store, parseEventChecks(options).freshness);
  const { name } = options;
  if (name !== undefined && !(typeof name === 'string' && name)) throw invalidOptions('name must be text.');
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

function createDispatch({ on, fallback }: ReceiverOptions): DeliveryOptions['handle'] {
  if (typeof on !== 'object' || on === null) {
    throw invalidOptions(
      "on must hold the handlers by event name: { 'payment.completed': async (event) => {} }.",
    );
  }
  if (typeof fallback !== 'function') {
    throw invalidOptions(
      'fallback must be a function: it gets each event that has no handler, so that none is lost.',
    );
  }
  // Copied, so that a later change of the object changes nothing here; known names only, so that none is inherited.
  const handlers = new Map(Object.entries(on) as [string, Handler][]);
  for (const [name, handler] of handlers) assertHandler(name, handler);
  // With `onUnreadable: 'retry'` no unreadable event gets here.
  const handleRest = fallback as Handler<WebhookEvent | UnreadableEvent>;
  return (event) =>
    event.kind === 'unreadable' ? handleRest(event) : (handlers.get(event.event) ?? handleRest)(event);
}

function assertHandler(name: string, handler: unknown): void {
  if (!PAYMENT_EVENT_NAMES.some((known) => known === name)) {
    throw invalidOptions(
      `on['${name}'] would never run: the events are ${PAYMENT_EVENT_NAMES.join(', ')}. Others go to fallback.`,
    );
  }
  assertFunction(handler, `on['${name}']`);
}

/** Refuses a store that forgets an event which would still pass as fresh: a replay would take effect again. */
function assertRemembersLongEnough({ ttl }: DedupeStore, freshness: FreshnessSettings | undefined): void {
  if (freshness === undefined) return;
  const needed = freshness.maxAge + freshness.skew;
  // Written so that an unset ttl, or NaN, is refused as well.
  if (typeof ttl === 'number' && ttl >= needed) return;
  throw invalidOptions(
    `With freshness the store must remember for at least maxAge + skew, ${needed} ms; its ttl is ${String(ttl)}.`,
  );
}

function assertStore(store: DedupeStore): void {
  if (typeof store !== 'object' || store === null)
    throw invalidOptions('store must be a DedupeStore: memoryStore().');
  const methods = store.renew === undefined ? STORE_METHODS : [...STORE_METHODS, 'renew' as const];
  for (const method of methods) assertFunction(store[method], `store.${method}`);
}
