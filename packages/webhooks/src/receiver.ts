import { isPromise, type MaybePromise, settleWithin } from '@service/internal';
import { createHandleOnce } from './deduplicate.ts';
import { createFailure, isWebhookError, WebhookError } from './errors.ts';
import type { PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { createBodyError, createRejection, createResponse, toResponse, toWebhookRequest } from './http.ts';
import type { WebhookRequest, WebhookResponse } from './http.ts';
import { addSecrets, parseReceiverOptions } from './options.ts';
import type { AnyHandler, ReceiverOptions, ReceiverSettings, Secrets, SecretsSource } from './options.ts';
import { readContentEncoding, toBytes } from './signature.ts';
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
}

/** The type of `createReceiver`. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** Computes the SHA-256 of a body, as hexadecimal. */
type Hash = (body: Uint8Array<ArrayBuffer>) => MaybePromise<string>;

/** Creates the `createReceiver` of an entry point. */
export function bindReceiver<Match>(runtime: Runtime<Match>, hash: Hash): CreateReceiver {
  return (options) => {
    const deliver = createDeliver(runtime, hash, parseReceiverOptions(options));
    const receive = async (request: Request): Promise<Response> =>
      toResponse(await deliver(toWebhookRequest(request)));
    return Object.assign(receive, { deliver });
  };
}

/** Creates the function that reads, verifies and handles a delivery. */
function createDeliver<Match>(
  runtime: Runtime<Match>,
  hash: Hash,
  settings: ReceiverSettings,
): Receiver['deliver'] {
  const { secrets, handlers, fallback, onUnreadable = 'retry', onError = logError } = settings;
  const {
    maxBodyBytes = 65_536,
    dedupeBy = 'payment',
    store = memoryStore(),
    maxHandlerTime = 60_000,
  } = settings;
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;
  const createVerify = (loaded: Secrets): VerifyRequest =>
    createVerifyRequest(runtime, addSecrets(settings, loaded));
  const getVerify = loadOnce(secrets, createVerify);

  const handle: AnyHandler = (event) =>
    (event.kind === 'unreadable' ? fallback : (handlers.get(event.event) ?? fallback))(event);

  /** Converts a thrown value to an error of this bundle, and passes it to `onError`. */
  const report = (thrown: unknown, event: WebhookEvent | UnreadableEvent | undefined): WebhookError => {
    const error = toWebhookError(thrown);
    const callOnError = async (): Promise<unknown> =>
      onError(error, event?.kind === 'unreadable' ? undefined : event);
    // An error of `onError` must not change the response.
    void callOnError().catch(() => {});
    return error;
  };

  const handleOnce = createHandleOnce({ store, handle, maxHandlerTime, report });

  /** Passes an unreadable event to the fallback, once per body. */
  const passToFallback = async (body: Uint8Array<ArrayBuffer>, reason: string): Promise<WebhookResponse> => {
    const name = parseEvent(body).event as PaymentEventName;
    const event: UnreadableEvent = { kind: 'unreadable', event: name, reason, body };
    try {
      await handleOnce(`${prefix}unreadable/${await hash(body)}`, event);
      return createResponse(200);
    } catch (thrown) {
      return createRejection(report(thrown, event).code);
    }
  };

  return async (request) => {
    if (request.method !== 'POST') return createResponse(405, { allow: 'POST' });
    let event: WebhookEvent | undefined;
    let body: Uint8Array<ArrayBuffer> | undefined;
    try {
      // Awaits promises only: needless awaits would cost as much as all other steps except the hash.
      const reading = request.read(maxBodyBytes, createBodyError);
      const bytes = toBytes(isPromise(reading) ? await reading : reading);
      if (bytes.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      body = runtime.stabilize(bytes);
      const loading = getVerify();
      const verify = isPromise(loading) ? await loading : loading;
      const verifying = verify(body, request.headers);
      const { event: verified } = isPromise(verifying) ? await verifying : verifying;
      event = verified;
      // A redelivery of a payment event may differ in its bytes. Of an unknown event only equal bytes are a
      // duplicate.
      const isByPayment = dedupeBy === 'payment' && verified.kind === 'payment';
      const identifying = isByPayment ? verified.data.id : hash(body);
      const id = isPromise(identifying) ? await identifying : identifying;
      await handleOnce(`${prefix}${isByPayment ? verified.event : verified.kind}/${id}`, verified);
      return createResponse(200);
    } catch (thrown) {
      // Before the body is read, any other code is not the receiver's and could acknowledge an unread event.
      const isKnown = body !== undefined || (isWebhookError(thrown) && thrown.code.startsWith('body_'));
      const error = isKnown ? thrown : createFailure('unexpected', thrown);
      const { code, message } = report(event ? error : addContentEncoding(error, request.headers), event);
      const isForFallback = code === 'unreadable_event' && onUnreadable === 'fallback';
      return body && isForFallback ? passToFallback(body, message) : createRejection(code);
    }
  };
}

/** Adds the `Content-Encoding` of a request to the error about its bytes. */
function addContentEncoding(error: unknown, headers: SignatureSource): unknown {
  const encoding = readContentEncoding(headers);
  const isAboutBytes = error instanceof WebhookError && /^(signature_mismatch|invalid_\w+)$/.test(error.code);
  if (!encoding || !isAboutBytes) return error;
  const message = `${error.message} Content-Encoding is ${encoding}, but the service signs and sends plain JSON.`;
  return new WebhookError(error.code, { message });
}

/** Maximum time of a `secrets` function, in milliseconds. The timeout of the sender is 10 s. */
const SECRETS_TIMEOUT = 8_000;
const createSecretsError = (): Error =>
  new Error(`The secrets function took longer than ${SECRETS_TIMEOUT} ms.`);

/**
 * Returns a function with the verification of some secrets. It calls a `secrets` function at its first call,
 * and again only after a failure.
 */
function loadOnce(
  secrets: SecretsSource,
  createVerify: (secrets: Secrets) => VerifyRequest,
): () => MaybePromise<VerifyRequest> {
  let verify: MaybePromise<VerifyRequest> | undefined;
  if (typeof secrets !== 'function') verify = createVerify(secrets);
  const load = async (): Promise<VerifyRequest> => {
    try {
      const loading = (async () => (typeof secrets === 'function' ? secrets() : secrets))();
      const loaded = await settleWithin(SECRETS_TIMEOUT, loading, createSecretsError).catch(
        (cause: unknown) => {
          const message = 'The secrets function failed. The next request calls it again.';
          throw new WebhookError('unusable_secret', { message, cause });
        },
      );
      return (verify = createVerify(loaded));
    } catch (error) {
      verify = undefined;
      throw error;
    }
  };
  return () => (verify ??= load());
}

function toWebhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  if (!isWebhookError(thrown)) return createFailure('unexpected', thrown);
  const { code, message, cause } = thrown;
  return new WebhookError(code, { message, cause });
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
