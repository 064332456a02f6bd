import type { DeliveryOptions } from './delivery.ts';
import type { WebhookError } from './errors.ts';
import { PAYMENT_EVENT_NAMES } from './event.ts';
import type { EventOf, PaymentEventName, WebhookEvent } from './event.ts';
import { parseFreshness } from './freshness.ts';
import type { FreshnessSettings } from './freshness.ts';
import {
  assertDuration,
  assertFunction,
  assertKnownOptions,
  assertWholeNumber,
  invalidOptions,
} from './options.ts';
import { memoryStore } from './store/memory.ts';
import type { DedupeStore } from './store/store.ts';
import { VERIFIER_OPTIONS } from './verifier.ts';
import type { VerifierOptions } from './verifier.ts';

/** Handles one event; a promise is awaited before the event is acknowledged. */
export type Handler<Event extends WebhookEvent = WebhookEvent> = (event: Event) => unknown;

/** Holds a handler for each event name that matters. */
export type Handlers = { readonly [Name in PaymentEventName]?: Handler<EventOf<Name>> };

/** Configures a receiver. */
export interface ReceiverOptions extends VerifierOptions {
  /** Holds the handlers by event name. Required. Example: `{ 'payment.completed': async (event) => {} }`. */
  readonly on: Handlers;
  /** Handles every event without a handler in `on`, also those whose name is not known yet. Required. */
  readonly fallback: Handler;
  /** Hears of every refusal and failure; what it throws is ignored and it is not awaited. Default: nobody hears. */
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
   * Tells duplicates by payment and status, or by the SHA-256 of the body, which takes a redelivery with a new
   * `created_at` for another event.
   * @default 'payment'
   */
  readonly dedupeBy?: 'payment' | 'body' | undefined;
}

/** Holds receiver options that were checked and completed. */
export interface ReceiverSettings extends DeliveryOptions {
  readonly handle: Handler;
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
  'dedupeBy',
  'name',
];

const STORE_METHODS: readonly (keyof DedupeStore)[] = ['claim', 'confirm', 'release', 'wait'];

/** Parses receiver options and completes them by their defaults. Throws `invalid_options`. */
export function parseReceiverOptions(options: ReceiverOptions): ReceiverSettings {
  assertKnownOptions(options, RECEIVER_OPTIONS, 'createReceiver');
  const { onError = () => {}, store = memoryStore() } = options;
  const { maxBodyBytes = 65_536, acknowledgeTimeout = 8_000, dedupeBy = 'payment' } = options;
  assertFunction(onError, 'onError');
  assertStore(store);
  assertWholeNumber(maxBodyBytes, 'maxBodyBytes', 1);
  assertDuration(acknowledgeTimeout, 'acknowledgeTimeout', 0);
  if (!['payment', 'body'].includes(dedupeBy)) throw invalidOptions('dedupeBy must be payment or body.');
  assertRemembersLongEnough(store, parseFreshness(options.freshness));
  const { name } = options;
  if (name !== undefined && !(typeof name === 'string' && name)) throw invalidOptions('name must be text.');
  return {
    handle: createDispatch(options),
    onError,
    store,
    maxBodyBytes,
    acknowledgeTimeout,
    dedupeBy,
    name,
  };
}

function createDispatch({ on, fallback }: ReceiverOptions): Handler {
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
  return (event) => (handlers.get(event.event) ?? fallback)(event);
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
  for (const method of STORE_METHODS) assertFunction(store[method], `store.${method}`);
}
