import { isPromise, type MaybePromise } from '@service/internal';
import { createHandleOnce } from './deduplicate.ts';
import type { HandleOnce } from './deduplicate.ts';
import { createFailure, isWebhookError, WebhookError } from './errors.ts';
import type { PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { createRejection, createResponse, readRaw, toResponse, toWebhookRequest } from './http.ts';
import type { WebhookRequest, WebhookResponse } from './http.ts';
import { parseReceiverOptions } from './receiver-options.ts';
import type { AnyHandler, ReceiverOptions, ReceiverSettings } from './receiver-options.ts';
import { toBytes } from './signature.ts';
import type { SignatureSource } from './signature.ts';
import { parseEvent } from './verified-event.ts';
import type { Secrets, VerifierOptions } from './verifier-options.ts';

/** A function that responds to a webhook delivery. Never rejects. */
export interface Receiver {
  /** Verifies and handles a delivery. Never rejects: each failure has a response. */
  (request: Request): Promise<Response>;
  /** Responds to a delivery of a framework without `Request`. Adapters use it. */
  readonly deliver: (delivery: WebhookRequest) => Promise<WebhookResponse>;
}

/** The type of `createReceiver`. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** The cryptographic functions of an entry point: synchronous or asynchronous. */
export interface Runtime {
  readonly createVerifier: (options: VerifierOptions) => {
    readonly verify: (body: Uint8Array, headers: SignatureSource) => MaybePromise<WebhookEvent>;
  };
  /** Copies bytes that other code could change between the signature check and the parsing of the event. */
  readonly stabilize: (body: Uint8Array) => Uint8Array<ArrayBuffer>;
  /** Computes the SHA-256 of a body, as hexadecimal. */
  readonly hash: (body: Uint8Array<ArrayBuffer>) => MaybePromise<string>;
}

/** Creates the `createReceiver` of an entry point. */
export function bindReceiver(runtime: Runtime): CreateReceiver {
  return (options) => {
    const settings = parseReceiverOptions(options);
    const { secrets, verifierOptions } = settings;
    const createVerify = (loaded: Secrets): Verify =>
      runtime.createVerifier({ ...verifierOptions, secrets: loaded }).verify;
    const getVerify =
      typeof secrets === 'function' ? loadOnce(secrets, createVerify) : constant(createVerify(secrets));
    const deliver = createDeliver({ ...runtime, getVerify }, settings);
    const receive = async (request: Request): Promise<Response> =>
      toResponse(await deliver(toWebhookRequest(request)));
    return Object.assign(receive, { deliver });
  };
}

type Verify = ReturnType<Runtime['createVerifier']>['verify'];

function constant<Value>(value: Value): () => Value {
  return () => value;
}

/**
 * Reads the secrets at the first call and keeps the result. A failure is not kept: the next call reads them
 * again.
 */
function loadOnce(
  readSecrets: () => MaybePromise<Secrets>,
  createVerify: (secrets: Secrets) => Verify,
): () => MaybePromise<Verify> {
  let verify: MaybePromise<Verify> | undefined;
  const load = async (): Promise<Verify> => {
    try {
      return (verify = createVerify(await callSecrets(readSecrets)));
    } catch (error) {
      verify = undefined;
      throw error;
    }
  };
  return () => (verify ??= load());
}

/** Maximum time of a `secrets` function, in milliseconds. The timeout of the sender is 10 s. */
const SECRETS_TIMEOUT = 8_000;

async function callSecrets(readSecrets: () => MaybePromise<Secrets>): Promise<Secrets> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    const fail = (): void =>
      reject(new Error(`The secrets function took longer than ${SECRETS_TIMEOUT} ms.`));
    timer = setTimeout(fail, SECRETS_TIMEOUT);
  });
  try {
    return await Promise.race([readSecrets(), expired]);
  } catch (cause) {
    throw new WebhookError('unusable_secret', {
      message: 'The secrets function failed. The next request calls it again.',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

type DeliverContext = Pick<Runtime, 'stabilize' | 'hash'> & {
  readonly getVerify: () => MaybePromise<Verify>;
};

/** Creates the function that reads, verifies and handles a delivery. */
function createDeliver(
  { getVerify, stabilize, hash }: DeliverContext,
  settings: ReceiverSettings,
): Receiver['deliver'] {
  const { maxBodyBytes, dedupeBy, onUnreadable, handlers, fallback } = settings;
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;
  const report = createReport(settings);
  const handle: AnyHandler = (event) =>
    (event.kind === 'unreadable' ? fallback : (handlers.get(event.event) ?? fallback))(event);
  const handleOnce = createHandleOnce({ ...settings, handle, report });
  const passToFallback = createPassToFallback({ handleOnce, report, hash, prefix });

  return async (request) => {
    if (request.method !== 'POST') return createResponse(405, { allow: 'POST' });
    let event: WebhookEvent | undefined;
    let body: Uint8Array<ArrayBuffer> | undefined;
    try {
      // Awaits promises only: needless awaits would cost as much as all other steps except the hash.
      const reading = readRaw(request, maxBodyBytes);
      const bytes = toBytes(isPromise(reading) ? await reading : reading);
      if (bytes.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      body = stabilize(bytes);
      const loading = getVerify();
      const verify = isPromise(loading) ? await loading : loading;
      const verifying = verify(body, request.headers);
      const verified = isPromise(verifying) ? await verifying : verifying;
      event = verified;
      // A redelivery of a payment event may differ in its bytes. Of an unknown event only equal bytes are a
      // duplicate.
      const isByPayment = dedupeBy === 'payment' && verified.kind === 'payment';
      const identifying = isByPayment ? verified.data.id : hash(body);
      const id = isPromise(identifying) ? await identifying : identifying;
      await handleOnce(`${prefix}${isByPayment ? verified.event : verified.kind}/${id}`, verified);
      return createResponse(200);
    } catch (thrown) {
      const { code, message } = report(thrown, event);
      const isForFallback = code === 'unreadable_event' && onUnreadable === 'fallback';
      return body && isForFallback ? passToFallback(body, message) : createRejection(code);
    }
  };
}

interface PassToFallbackContext extends Pick<Runtime, 'hash'> {
  readonly handleOnce: HandleOnce;
  readonly report: Report;
  readonly prefix: string;
}

/** Creates the function that passes an unreadable event to the fallback, once per body. */
function createPassToFallback({ handleOnce, report, hash, prefix }: PassToFallbackContext) {
  return async (body: Uint8Array<ArrayBuffer>, reason: string): Promise<WebhookResponse> => {
    const name = parseEvent(body).event as PaymentEventName;
    const event: UnreadableEvent = { kind: 'unreadable', event: name, reason, body };
    try {
      await handleOnce(`${prefix}unreadable/${await hash(body)}`, event);
      return createResponse(200);
    } catch (thrown) {
      return createRejection(report(thrown, event).code);
    }
  };
}

/** Converts a thrown value to an error of this bundle, and passes it to `onError`. */
type Report = (thrown: unknown, event: WebhookEvent | UnreadableEvent | undefined) => WebhookError;

function createReport({ onError }: ReceiverSettings): Report {
  const passOn = async (...[error, event]: Parameters<ReceiverSettings['onError']>): Promise<void> => {
    try {
      await onError(error, event);
    } catch {
      // An error of `onError` must not change the response.
    }
  };
  return (thrown, event) => {
    const error = toWebhookError(thrown);
    void passOn(error, event?.kind === 'unreadable' ? undefined : event);
    return error;
  };
}

function toWebhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  if (!isWebhookError(thrown)) return createFailure('unexpected', thrown);
  const { code, message, cause } = thrown;
  return new WebhookError(code, { message, cause });
}
