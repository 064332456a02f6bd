import { isPromise, isRecord, parseTimestamp, toHex } from '@service/internal';
import { createHandleOnce } from './deduplicate.ts';
import { createFailure, WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';
import { createBodyError, createResponse, statusByCode, toFetchHandler } from './http.ts';
import type { WebhookRequest, WebhookResponse } from './http.ts';
import { CLOCK_TOLERANCE, logWarning, invalidOptions, parseReceiverOptions } from './options.ts';
import type { Handler, ReceiverOptions } from './options.ts';
import { createReadEvent } from './retrieved.ts';
import type { RetrievedPayment, RetrievedResult } from './retrieved.ts';
import { memoryStore } from './stores/memory.ts';
import { createLoader, identifyPayment } from './verifier.ts';
import type { Runtime } from './verifier.ts';

/** A function that responds to a webhook delivery. Never rejects. */
export interface Receiver {
  /** Verifies and handles a delivery. Never rejects: each failure has a response. */
  (request: Request): Promise<Response>;
  /** Responds to a delivery of a framework without `Request`. Adapters use it. */
  readonly deliver: (delivery: WebhookRequest) => Promise<WebhookResponse>;
  /**
   * Handles a payment that your code has read from the service, with the handlers, the keys and the store of the
   * events: for webhooks that never came. Verifies nothing: pass only a payment of `payments.retrieve` or of a
   * list, never the body of a request. Its event has `source: 'read'` and no `created_at`; `maxEventAge` does not
   * apply. Does not wait for a call that is in progress. An event without a handler is `no_handler`, and not recorded.
   *
   * @throws {WebhookError} `handler_failed`, `store_failed`; `invalid_event` for an event, `unreadable_event` for
   * a field that is not as documented, `invalid_options` for a store without `ttl`
   * @example const result = await receive.handleRetrieved(await client.payments.retrieve(id));
   */
  readonly handleRetrieved: (payment: RetrievedPayment) => Promise<RetrievedResult>;
}

/** Creates a receiver over the runtime of an entry point. */
export function buildReceiver(runtime: Runtime, options: ReceiverOptions): Receiver {
  const settings = parseReceiverOptions(options);
  const { on, fallback, onError = logError, maxBodyBytes = 65_536 } = settings;
  const { store = memoryStore(), maxHandlerTime = 60_000, now = Date.now, onWarning = logWarning } = settings;
  // A name from the sender must not find a property of the prototype.
  const handlers = new Map(Object.entries(on) as [string, Handler | undefined][]);
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;
  const load = createLoader(runtime, settings);

  /** Passes an error to `onError`, and returns it. */
  const report = (failure: WebhookError, event: WebhookEvent | undefined): WebhookError => {
    callSafely(() => onError(failure, event));
    return failure;
  };
  const canHang = settings.store !== undefined;
  const handleOnce = createHandleOnce({ store, canHang, maxHandlerTime, report });

  if (on['payment.completed'] && !on['payment.failed'] && !fallback)
    onWarning({ code: 'failed_without_handler', message: FAILED_WITHOUT_HANDLER });
  const unhandled = new Set<string>();
  /** Warns about the first event of a name without a handler. */
  const warnUnhandled = (event: string): void => {
    if (unhandled.has(event) || unhandled.size === MAX_UNHANDLED) return;
    unhandled.add(event);
    // An undocumented name is text from the sender and may contain control characters.
    const name = event.slice(0, 64).replaceAll(/[^ -~]/g, '?');
    const message = `${name} has no handler in on, and there is no fallback. Its events are acknowledged, and not recorded as handled.`;
    callSafely(() => onWarning({ code: 'event_without_handler', message }));
  };

  const handleRetrieved: Receiver['handleRetrieved'] = async (payment) => {
    const event = createReadEvent(payment);
    if ((settings.mode ?? event.data.mode) !== event.data.mode) return 'other_mode';
    const handler = handlers.get(event.event) ?? fallback;
    if (!handler) {
      warnUnhandled(event.event);
      return 'no_handler';
    }
    const { ttl = 0 } = store;
    if (!(ttl > 0)) throw invalidOptions('handleRetrieved: the store must have a ttl, in milliseconds.');
    // A store may have forgotten the events of an older payment. The clocks of service, receiver and store differ.
    const memory = ttl - Math.min(CLOCK_TOLERANCE, ttl / 10);
    const isRemembered = now() - parseTimestamp(payment.created_at) <= memory;
    return handleOnce(`${prefix}${identifyPayment(event)}`, event, isRemembered ? handler : undefined);
  };

  const deliver: Receiver['deliver'] = async (request) => {
    if (request.method !== 'POST') return createResponse(405, { allow: 'POST' });
    let body: Uint8Array<ArrayBuffer> | undefined;
    let event: WebhookEvent | undefined;
    try {
      // Awaits promises only: needless awaits would cost as much as all other steps except the hash.
      const reading = request.read(maxBodyBytes, createBodyError);
      body = runtime.toBody(isPromise(reading) ? await reading : reading);
      if (body.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      const loading = load();
      const verify = isPromise(loading) ? await loading : loading;
      const verifying = verify(body, request.headers);
      ({ event } = isPromise(verifying) ? await verifying : verifying);
      const handler = handlers.get(event.event) ?? fallback;
      if (!handler) {
        warnUnhandled(event.event);
        return createResponse(200);
      }
      // A redelivery of the status of a payment may differ in its bytes. Of another event only equal bytes are a
      // duplicate.
      const key = identifyPayment(event) ?? `unknown/${await hash(body)}`;
      await handleOnce(prefix + key, event, handler);
      return createResponse(200);
    } catch (thrown) {
      // Before the body is read, any other code is not the receiver's and could acknowledge an unread event.
      const isKnown = thrown instanceof WebhookError && (body ? true : thrown.code.startsWith('body_'));
      const error = isKnown ? thrown : createFailure('unexpected', thrown);
      return createResponse(statusByCode[report(error, event).code] ?? 500);
    }
  };
  return Object.assign(toFetchHandler(deliver), { deliver, handleRetrieved });
}

const FAILED_WITHOUT_HANDLER =
  'payment.completed has a handler and payment.failed has none. A completed payment fails if the bank returns it: add a handler of payment.failed, or a fallback.';

/** The maximum number of names to warn about. */
const MAX_UNHANDLED = 100;

/** Computes the SHA-256 of a body, as hexadecimal. */
async function hash(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', body)));
}

/** Calls a function of the caller. Its error must not change the response. */
function callSafely(call: () => unknown): void {
  void (async () => call())().catch(() => {});
}

/**
 * Writes an error to the console in one line, without the body and without the message of the cause. The error of a
 * handler follows with its stack: it is the caller's own.
 */
function logError({ code, message, docs, cause }: WebhookError, event: WebhookEvent | undefined): void {
  // An undocumented name is text from the sender and may contain line breaks.
  const name = event?.kind === 'payment' ? ` for ${event.event}` : '';
  const isThrown = code === 'handler_failed';
  const detail = isThrown ? ' Set onError to report it yourself.' : formatCause(cause);
  const stack = isThrown ? `\n${formatStack(cause)}` : '';
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(`Webhook error ${code}${name}: ${message}${detail} (${docs})${stack}`);
}

/**
 * Formats the name and the code of a cause, for example `Error ECONNREFUSED`. Its message may quote the body or a
 * secret.
 */
function formatCause(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const { name, code } = cause as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^\w{1,40}$/.test(word));
  return words.length === 0 ? '' : ` (cause: ${words.join(' ')})`;
}

/** Formats a thrown value with its stack, and the errors that caused it. */
function formatStack(thrown: unknown, depth = 0): string {
  if (!isRecord(thrown)) return String(thrown);
  const { message = 'no message', stack = '', cause, errors } = thrown as Partial<AggregateError>;
  // Only some engines put the message into the stack.
  const text = stack.includes(message) ? stack : `${message}\n${stack}`;
  const causes: readonly unknown[] = [...(Array.isArray(errors) ? errors : []), ...(cause ? [cause] : [])];
  const nested = depth < 4 ? causes.map((each) => `\nCaused by: ${formatStack(each, depth + 1)}`) : [];
  return text + nested.join('');
}
