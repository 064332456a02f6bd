import { toAcknowledgement, toMethodNotAllowed, toRefusal, toResponse } from './answer.ts';
import type { Answer } from './answer.ts';
import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import { createDeliverOnce } from './delivery.ts';
import type { DeliverOnce } from './delivery.ts';
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
import { isPromised } from './sooner.ts';
import type { Sooner } from './sooner.ts';
import type { VerifierOptions } from './verifier.ts';

/** Holds a request in the words of no framework. */
export interface Delivery {
  readonly method: string;
  readonly headers: SignatureSource;
  /** Reads the raw body; it may stop past so many bytes. What it throws, best made by `refuse`, is told to `onError`. */
  readonly read: (maxBytes: number, refuse: Refuse) => Sooner<RawBody>;
}

/** Creates the error of a body that cannot be had; `detail` says what to do about it. */
export type Refuse = (
  code: 'body_not_raw' | 'body_too_large' | 'body_unreadable',
  detail?: WebhookErrorOptions,
) => WebhookError;

/** Answers one delivery; it never rejects. */
export interface Receiver {
  (request: Request): Promise<Response>;
  /** Answers a delivery that is no fetch `Request`: what adapters of frameworks build on. */
  readonly deliver: (delivery: Delivery) => Promise<Answer>;
}

/** Creates a receiver from its options. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** Holds what a runtime verifies and hashes with, at once or later. */
export interface Runtime {
  readonly createVerifier: (options: VerifierOptions) => {
    readonly verify: (body: Uint8Array, headers: SignatureSource) => Sooner<WebhookEvent>;
  };
  /** Returns bytes that stay as they are until the event is verified and its key known, whoever else holds them. */
  readonly keep: (body: Uint8Array) => Uint8Array<ArrayBuffer>;
  /** Computes the SHA-256 of a body as hexadecimal. */
  readonly hash: (body: Uint8Array<ArrayBuffer>) => Sooner<string>;
}

/** Creates a `createReceiver` over one way of verifying. */
export function bindReceiver(runtime: Runtime): CreateReceiver {
  return (options) => {
    const settings = parseReceiverOptions(options);
    const { secrets, mode, freshness, now, onWarning } = options;
    const createVerify = (given: Secrets): Verify =>
      runtime.createVerifier({ secrets: given, mode, freshness, now, onWarning }).verify;
    const getVerify =
      typeof secrets === 'function' ? loadOnce(secrets, createVerify) : always(createVerify(secrets));
    const deliver = buildDeliver({ ...runtime, getVerify }, settings);
    const receive = async (request: Request): Promise<Response> => {
      const { method, headers } = request;
      const read = (maxBytes: number): Promise<RawBody> => readBody(request, maxBytes);
      return toResponse(await deliver({ method, headers, read }));
    };
    return Object.assign(receive, { deliver });
  };
}

type Verify = ReturnType<Runtime['createVerifier']>['verify'];

function always<Value>(value: Value): () => Value {
  return () => value;
}

/** Reads the secrets at the first call and keeps the result. A failure is not kept: the next call reads them again. */
function loadOnce(
  readSecrets: () => Sooner<Secrets>,
  createVerify: (secrets: Secrets) => Verify,
): () => Sooner<Verify> {
  let verify: Sooner<Verify> | undefined;
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

/** Maximum duration of a `secrets` function, in milliseconds: below the 10 s in which a sender expects a response. */
const SECRETS_TIMEOUT = 8_000;

async function callSecrets(readSecrets: () => Sooner<Secrets>): Promise<Secrets> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error(`no secrets within ${SECRETS_TIMEOUT} ms`));
    timer = setTimeout(fail, SECRETS_TIMEOUT);
  });
  try {
    return await Promise.race([readSecrets(), expired]);
  } catch (cause) {
    throw new WebhookError('unusable_secret', {
      message: 'unusable secret: the secrets function failed',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

type DeliverContext = Pick<Runtime, 'keep' | 'hash'> & { readonly getVerify: () => Sooner<Verify> };

/** Builds the steps of a delivery: read, verify, handle once, respond. Awaits promises only. */
function buildDeliver(
  { getVerify, keep, hash }: DeliverContext,
  settings: ReceiverSettings,
): Receiver['deliver'] {
  const { maxBodyBytes, dedupeBy, onUnreadable } = settings;
  const prefix = settings.name === undefined ? '' : `${settings.name}/`;
  const report = createReport(settings);
  const deliverOnce = createDeliverOnce({ ...settings, report });
  const handOver = createHandOver({ deliverOnce, report, hash, prefix });

  return async ({ method, headers, read }) => {
    if (method !== 'POST') return toMethodNotAllowed();
    let event: WebhookEvent | undefined;
    let body: Uint8Array<ArrayBuffer> | undefined;
    try {
      // Awaiting what is there already would cost as much as all but the hash.
      const reading = readRaw(read, maxBodyBytes);
      const given = toBytes(isPromised(reading) ? await reading : reading);
      if (given.byteLength > maxBodyBytes) throw createFailure('body_too_large');
      body = keep(given);
      const loading = getVerify();
      const verify = isPromised(loading) ? await loading : loading;
      const verifying = verify(body, headers);
      const verified = isPromised(verifying) ? await verifying : verifying;
      event = verified;
      // A payment's event is named by its effect, payment and new status (contract.md 8: a redelivery may differ in its
      // bytes); what an unknown event brings about is unknown, so only the same bytes are the same.
      const isByEffect = dedupeBy === 'payment' && verified.kind === 'payment';
      const naming = isByEffect ? verified.data.id : hash(body);
      const name = isPromised(naming) ? await naming : naming;
      await deliverOnce(`${prefix}${isByEffect ? verified.event : verified.kind}/${name}`, verified);
      return toAcknowledgement();
    } catch (thrown) {
      const error = toWebhookError(thrown);
      report(error, event);
      const isForFallback = error.code === 'unreadable_event' && onUnreadable === 'fallback';
      return body && isForFallback ? handOver(body, error.message) : toRefusal(error.code);
    }
  };
}

interface HandOverContext extends Pick<Runtime, 'hash'> {
  readonly deliverOnce: DeliverOnce;
  readonly report: Report;
  readonly prefix: string;
}

/** Creates the function that passes an unreadable event to the fallback, once per body. */
function createHandOver({ deliverOnce, report, hash, prefix }: HandOverContext) {
  return async (body: Uint8Array<ArrayBuffer>, reason: string): Promise<Answer> => {
    const name = parseEvent(body).event as PaymentEventName;
    const event: UnreadableEvent = { kind: 'unreadable', event: name, reason, body };
    try {
      await deliverOnce(`${prefix}unreadable/${await hash(body)}`, event);
      return toAcknowledgement();
    } catch (thrown) {
      const error = toWebhookError(thrown);
      report(error, event);
      return toRefusal(error.code);
    }
  };
}

/** Reads the body, and takes of what that throws only what says so: any other code would pass for a verdict on the event. */
function readRaw(read: Delivery['read'], maxBytes: number): Sooner<RawBody> {
  try {
    const reading = read(maxBytes, refuse);
    return isPromised(reading) ? reading.then(undefined, failToRead) : reading;
  } catch (thrown) {
    return failToRead(thrown);
  }
}

function failToRead(thrown: unknown): never {
  throw isWebhookError(thrown) && thrown.code.startsWith('body_')
    ? thrown
    : createFailure('unexpected', thrown);
}

const refuse: Refuse = (code, { message, ...rest } = {}) => {
  const isParsed = code === 'body_not_raw';
  if (message === undefined) return isParsed ? new WebhookError(code, rest) : createFailure(code, rest.cause);
  const lead = isParsed ? 'body not raw: something read it before the receiver. ' : '';
  return new WebhookError(code, { ...rest, message: lead + message });
};

/** Takes an error of another bundle for what it says it is. */
function toWebhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  if (!isWebhookError(thrown)) return createFailure('unexpected', thrown);
  const { code, message, cause } = thrown;
  return new WebhookError(code, { message, cause });
}

type Report = (error: WebhookError, event: WebhookEvent | UnreadableEvent | undefined) => void;

/** Creates the function that calls `onError`, whose own failure must not change the response. */
function createReport({ onError }: ReceiverSettings): Report {
  const report = async (...[error, event]: Parameters<Report>): Promise<void> => {
    try {
      await onError(error, event?.kind === 'unreadable' ? undefined : event);
    } catch {
      // The response stands.
    }
  };
  return (error, event) => void report(error, event);
}
