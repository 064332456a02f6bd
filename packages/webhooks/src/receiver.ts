import { isPromise, type MaybePromise, parseTimestamp, settleWithin } from '@service/internal';
import { createHandleOnce } from './deduplicate.ts';
import { createFailure, WebhookError } from './errors.ts';
import type { PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { createBodyError, createRejection, createResponse, toFetchHandler } from './http.ts';
import type { WebhookRequest, WebhookResponse } from './http.ts';
import { CLOCK_TOLERANCE, createSettings, invalidOptions, parseReceiverOptions } from './options.ts';
import type { ReceiverOptions, ReceiverSettings, Secrets } from './options.ts';
import { createReadEvent, identifyPayment } from './retrieved.ts';
import type { RetrievedPayment, RetrievedResult } from './retrieved.ts';
import { readContentEncoding } from './signature.ts';
import type { SignatureSource } from './signature.ts';
import { memoryStore } from './stores/memory.ts';
import { createVerifyRequest, parseEvent } from './verifier.ts';
import type { Runtime, VerifyRequest } from './verifier.ts';

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
   * apply. Does not wait for a call that is in progress.
   *
   * @throws {WebhookError} `handler_failed`, `store_failed`; `invalid_event` for an event, `unreadable_event` for
   * a field that is not as documented, `invalid_options` for a store without `ttl`
   * @example const result = await receive.handleRetrieved(await client.payments.retrieve(id));
   */
  readonly handleRetrieved: (payment: RetrievedPayment) => Promise<RetrievedResult>;
}

type Methods = Pick<Receiver, 'deliver' | 'handleRetrieved'>;

/** Computes the SHA-256 of a body, as hexadecimal. */
type Hash = (body: Uint8Array<ArrayBuffer>) => MaybePromise<string>;

/** Creates the `createReceiver` of an entry point. */
export function bindReceiver(runtime: Runtime, hash: Hash): (options: ReceiverOptions) => Receiver {
  return (options) => {
    const methods = createMethods(runtime, hash, parseReceiverOptions(options));
    return Object.assign(toFetchHandler(methods.deliver), methods);
  };
}

/** Creates the functions that handle deliveries and payments that were read. */
function createMethods(runtime: Runtime, hash: Hash, settings: ReceiverSettings): Methods {
  const { secrets, handlers, fallback, onUnreadable, onError = logError, maxBodyBytes = 65_536 } = settings;
  const { store = memoryStore(), maxHandlerTime = 60_000, now = Date.now } = settings;
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;

  const createVerify = (loaded: Secrets): VerifyRequest =>
    createVerifyRequest(runtime, createSettings(settings, loaded));
  let loaded: MaybePromise<VerifyRequest> | undefined;
  if (typeof secrets !== 'function') loaded = createVerify(secrets);
  /** Loads the secrets at the first request, and again only after a failure. */
  const load = async (): Promise<VerifyRequest> => {
    try {
      return (loaded = createVerify(typeof secrets === 'function' ? await callSecrets(secrets) : secrets));
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  };

  /** Passes an error to `onError`, and returns it. */
  const report = (failure: WebhookError, event: WebhookEvent | UnreadableEvent | undefined): WebhookError => {
    const callOnError = async (): Promise<unknown> =>
      onError(failure, event?.kind === 'unreadable' ? undefined : event);
    // An error of `onError` must not change the response.
    void callOnError().catch(() => {});
    return failure;
  };
  const canHang = settings.store !== undefined;
  const handleOnce = createHandleOnce({ store, canHang, maxHandlerTime, report });

  const handleRetrieved: Receiver['handleRetrieved'] = async (payment) => {
    const event = createReadEvent(payment);
    if ((settings.mode ?? event.data.mode) !== event.data.mode) return 'other_mode';
    const { ttl = 0 } = store;
    if (!(ttl > 0)) throw invalidOptions('handleRetrieved: the store must have a ttl, in milliseconds.');
    // A store may have forgotten the events of an older payment. The clocks of service, receiver and store differ.
    const memory = ttl - Math.min(CLOCK_TOLERANCE, ttl / 10);
    const isRemembered = now() - parseTimestamp(payment.created_at) <= memory;
    const handler = isRemembered ? (handlers.get(event.event) ?? fallback) : undefined;
    return handleOnce<WebhookEvent>(`${prefix}${identifyPayment(event)}`, event, handler);
  };

  const deliver: Receiver['deliver'] = async (request) => {
    if (request.method !== 'POST') return createResponse(405, { allow: 'POST' });
    let body: Uint8Array<ArrayBuffer> | undefined;
    let event: WebhookEvent | UnreadableEvent | undefined;
    try {
      // Awaits promises only: needless awaits would cost as much as all other steps except the hash.
      const reading = request.read(maxBodyBytes, createBodyError);
      body = runtime.toBody(isPromise(reading) ? await reading : reading);
      if (body.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      loaded ??= load();
      const verify = isPromise(loaded) ? await loaded : loaded;
      const verifying = verify(body, request.headers);
      const { event: verified } = isPromise(verifying) ? await verifying : verifying;
      event = verified;
      // A redelivery of the status of a payment may differ in its bytes. Of another event only equal bytes are a
      // duplicate.
      const key = identifyPayment(verified) ?? `unknown/${await hash(body)}`;
      await handleOnce<WebhookEvent>(prefix + key, verified, handlers.get(verified.event) ?? fallback);
      return createResponse(200);
    } catch (thrown) {
      // Before the body is read, any other code is not the receiver's and could acknowledge an unread event.
      const isKnown = thrown instanceof WebhookError && (body ? true : thrown.code.startsWith('body_'));
      const error = isKnown ? thrown : createFailure('unexpected', thrown);
      const { code, message } = report(event ? error : addContentEncoding(error, request.headers), event);
      if (!body || code !== 'unreadable_event' || !onUnreadable) return createRejection(code);
      const name = parseEvent(body).event as PaymentEventName;
      const unreadable: UnreadableEvent = { kind: 'unreadable', event: name, reason: message, body };
      try {
        await handleOnce(`${prefix}unreadable/${await hash(body)}`, unreadable, onUnreadable);
        return createResponse(200);
      } catch (failure) {
        return createRejection(report(failure as WebhookError, unreadable).code);
      }
    }
  };
  return { deliver, handleRetrieved };
}

/** Adds the `Content-Encoding` of a request to the error about its bytes. */
function addContentEncoding(error: WebhookError, headers: SignatureSource): WebhookError {
  const encoding = readContentEncoding(headers);
  if (!encoding || !/^(signature_mismatch|invalid_\w+)$/.test(error.code)) return error;
  const message = `${error.message} Content-Encoding is ${encoding}, but the service signs and sends plain JSON.`;
  return new WebhookError(error.code, { message });
}

/** Maximum time of a `secrets` function, in milliseconds. The timeout of the sender is 10 s. */
const SECRETS_TIMEOUT = 8_000;

const createTimeoutError = (): Error =>
  new Error(`The secrets function took longer than ${SECRETS_TIMEOUT} ms.`);

async function callSecrets(secrets: () => MaybePromise<Secrets>): Promise<Secrets> {
  try {
    return await settleWithin(SECRETS_TIMEOUT, secrets(), createTimeoutError);
  } catch (cause) {
    const message = 'The secrets function failed. The next request calls it again.';
    throw new WebhookError('unusable_secret', { message, cause });
  }
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
