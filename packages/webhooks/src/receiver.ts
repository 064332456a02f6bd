import { createAcknowledgement, createMethodNotAllowed, createRejection, toResponse } from './response.ts';
import type { WebhookResponse } from './response.ts';
import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import { createHandleOnce } from './deduplicate.ts';
import type { HandleOnce } from './deduplicate.ts';
import { isWebhookError, WebhookError } from './errors.ts';
import type { WebhookErrorOptions } from './errors.ts';
import { parseEvent } from './event-parser.ts';
import type { PaymentEventName, UnreadableEvent, WebhookEvent } from './event.ts';
import { createFailure } from './receiver-failure.ts';
import { parseReceiverOptions } from './receiver-options.ts';
import type { ReceiverOptions, ReceiverSettings } from './receiver-options.ts';
import { readBody } from './request-body.ts';
import type { Secrets } from './secret.ts';
import type { SignatureSource } from './signature.ts';
import { isPromise } from './maybe-promise.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { VerifierOptions } from './verifier.ts';

/** A framework-independent HTTP request. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: SignatureSource;
  /**
   * Reads the raw body. May stop after `maxBytes`. The receiver reports its error to `onError`; create it
   * with `createError`, otherwise its code is `unexpected`.
   */
  readonly read: (maxBytes: number, createError: CreateBodyError) => MaybePromise<RawBody>;
}

/** Creates the error of a body that cannot be read. `detail.message` explains what to do. */
export type CreateBodyError = (
  code: 'body_not_raw' | 'body_too_large' | 'body_unreadable',
  detail?: WebhookErrorOptions,
) => WebhookError;

/** A function that responds to a webhook delivery. Never rejects. */
export interface Receiver {
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
    const { secrets, mode, maxEventAge, clockTolerance, now, onWarning } = options;
    const createVerify = (loaded: Secrets): Verify =>
      runtime.createVerifier({ secrets: loaded, mode, maxEventAge, clockTolerance, now, onWarning }).verify;
    const getVerify =
      typeof secrets === 'function' ? loadOnce(secrets, createVerify) : constant(createVerify(secrets));
    const deliver = createDeliver({ ...runtime, getVerify }, settings);
    const receive = async (request: Request): Promise<Response> => {
      const { method, headers } = request;
      const read = (maxBytes: number): Promise<RawBody> => readBody(request, maxBytes);
      return toResponse(await deliver({ method, headers, read }));
    };
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
  const { maxBodyBytes, dedupeBy, onUnreadable } = settings;
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;
  const report = createReport(settings);
  const deliverOnce = createHandleOnce({ ...settings, report });
  const passToFallback = createPassToFallback({ deliverOnce, report, hash, prefix });

  return async ({ method, headers, read }) => {
    if (method !== 'POST') return createMethodNotAllowed();
    let event: WebhookEvent | undefined;
    let body: Uint8Array<ArrayBuffer> | undefined;
    try {
      // Awaits promises only: needless awaits would cost as much as all other steps except the hash.
      const reading = readRaw(read, maxBodyBytes);
      const bytes = toBytes(isPromise(reading) ? await reading : reading);
      if (bytes.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      body = stabilize(bytes);
      const loading = getVerify();
      const verify = isPromise(loading) ? await loading : loading;
      const verifying = verify(body, headers);
      const verified = isPromise(verifying) ? await verifying : verifying;
      event = verified;
      // A redelivery of a payment event may differ in its bytes. Of an unknown event only equal bytes are a
      // duplicate.
      const isByPayment = dedupeBy === 'payment' && verified.kind === 'payment';
      const identifying = isByPayment ? verified.data.id : hash(body);
      const id = isPromise(identifying) ? await identifying : identifying;
      await deliverOnce(`${prefix}${isByPayment ? verified.event : verified.kind}/${id}`, verified);
      return createAcknowledgement();
    } catch (thrown) {
      const error = toWebhookError(thrown);
      report(error, event);
      const isForFallback = error.code === 'unreadable_event' && onUnreadable === 'fallback';
      return body && isForFallback ? passToFallback(body, error.message) : createRejection(error.code);
    }
  };
}

interface PassToFallbackContext extends Pick<Runtime, 'hash'> {
  readonly deliverOnce: HandleOnce;
  readonly report: Report;
  readonly prefix: string;
}

/** Creates the function that passes an unreadable event to the fallback, once per body. */
function createPassToFallback({ deliverOnce, report, hash, prefix }: PassToFallbackContext) {
  return async (body: Uint8Array<ArrayBuffer>, reason: string): Promise<WebhookResponse> => {
    const name = parseEvent(body).event as PaymentEventName;
    const event: UnreadableEvent = { kind: 'unreadable', event: name, reason, body };
    try {
      await deliverOnce(`${prefix}unreadable/${await hash(body)}`, event);
      return createAcknowledgement();
    } catch (thrown) {
      const error = toWebhookError(thrown);
      report(error, event);
      return createRejection(error.code);
    }
  };
}

/**
 * Reads the body. Converts errors with other codes to `unexpected`: such a code could acknowledge an unread
 * event.
 */
function readRaw(read: WebhookRequest['read'], maxBytes: number): MaybePromise<RawBody> {
  try {
    const reading = read(maxBytes, createBodyError);
    return isPromise(reading) ? reading.then(undefined, throwReadError) : reading;
  } catch (thrown) {
    return throwReadError(thrown);
  }
}

function throwReadError(thrown: unknown): never {
  throw isWebhookError(thrown) && thrown.code.startsWith('body_')
    ? thrown
    : createFailure('unexpected', thrown);
}

const createBodyError: CreateBodyError = (code, { message, ...rest } = {}) => {
  const isParsed = code === 'body_not_raw';
  if (message === undefined) return isParsed ? new WebhookError(code, rest) : createFailure(code, rest.cause);
  const problem = isParsed ? 'The body was read before the receiver. ' : '';
  return new WebhookError(code, { ...rest, message: problem + message });
};

/** Converts a thrown value to an error of this bundle. */
function toWebhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  if (!isWebhookError(thrown)) return createFailure('unexpected', thrown);
  const { code, message, cause } = thrown;
  return new WebhookError(code, { message, cause });
}

type Report = (error: WebhookError, event: WebhookEvent | UnreadableEvent | undefined) => void;

function createReport({ onError }: ReceiverSettings): Report {
  const report = async (...[error, event]: Parameters<Report>): Promise<void> => {
    try {
      await onError(error, event?.kind === 'unreadable' ? undefined : event);
    } catch {
      // An error of `onError` must not change the response.
    }
  };
  return (error, event) => void report(error, event);
}
