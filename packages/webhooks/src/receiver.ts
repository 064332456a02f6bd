import { toAcknowledgement, toMethodNotAllowed, toRefusal, toResponse } from './answer.ts';
import type { Answer } from './answer.ts';
import { toBytes, toHex } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import { createDeliverOnce } from './delivery.ts';
import { isWebhookError, RECEIVER_CODES, WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';
import { createFailure } from './receiver-failure.ts';
import { parseReceiverOptions } from './receiver-options.ts';
import type { ReceiverOptions, ReceiverSettings } from './receiver-options.ts';
import { readBody } from './request-body.ts';
import type { SignatureSource } from './signature.ts';
import type { VerifierOptions } from './verifier.ts';

/** Holds a request in the words of no framework. */
export interface Delivery {
  readonly method: string;
  readonly headers: SignatureSource;
  /** Reads the raw body; it may stop past so many bytes. What it throws becomes the refusal, told to `onError`. */
  readonly read: (maxBytes: number) => RawBody | Promise<RawBody>;
}

/** Answers one delivery; it never rejects. */
export interface Receiver {
  (request: Request): Promise<Response>;
  /** Answers a delivery that is no fetch `Request`: what adapters of frameworks build on. */
  readonly deliver: (delivery: Delivery) => Promise<Answer>;
}

/** Creates a receiver from its options. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** Verifies one request, at once or later. */
type Verify = (body: Uint8Array, headers: SignatureSource) => WebhookEvent | Promise<WebhookEvent>;
type CreateVerifier = (options: VerifierOptions) => { readonly verify: Verify };

/** Creates a `createReceiver` over one way of verifying. */
export function bindReceiver(createVerifier: CreateVerifier): CreateReceiver {
  return (options) => {
    const settings = parseReceiverOptions(options);
    const { secrets, mode, freshness, now, onWarning } = options;
    const { verify } = createVerifier({ secrets, mode, freshness, now, onWarning });
    const deliver = buildDeliver(verify, settings);
    const receive = async (request: Request): Promise<Response> => {
      const { method, headers } = request;
      const read = (maxBytes: number): Promise<RawBody> => readBody(request, maxBytes);
      return toResponse(await deliver({ method, headers, read }));
    };
    return Object.assign(receive, { deliver });
  };
}

/** Builds the way of a delivery: read, verify, handle once, answer. */
function buildDeliver(verify: Verify, settings: ReceiverSettings): Receiver['deliver'] {
  const deliverOnce = createDeliverOnce(settings);

  return async ({ method, headers, read }) => {
    if (method !== 'POST') return toMethodNotAllowed();
    let event: WebhookEvent | undefined;
    try {
      const given = toBytes(await read(settings.maxBodyBytes));
      if (given.byteLength > settings.maxBodyBytes) throw createFailure('body_too_large');
      // A copy: what is verified is what is read and remembered, whoever else holds the bytes.
      const body = new Uint8Array(given);
      const verified = await verify(body, headers);
      event = verified;
      const isByName = settings.dedupeBy === 'payment' && verified.kind === 'payment';
      const key = isByName ? `${verified.event}/${verified.data.id}` : await toDigestKey(verified, body);
      await deliverOnce(key, () => settings.handle(verified));
      return toAcknowledgement();
    } catch (thrown) {
      const error = toWebhookError(thrown);
      void report(settings, error, event);
      return toRefusal(error.code);
    }
  };
}

/**
 * Names an event by its bytes. A payment's event is else named by its effect, payment and new status (contract.md 8: a
 * redelivery may differ in its bytes); what an unknown event brings about is unknown, so only the same bytes are the same.
 */
async function toDigestKey({ kind }: WebhookEvent, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return `${kind}/${toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))}`;
}

/** Takes an error of another bundle for what it says it is: adapters are packed without the class. */
function toWebhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  if (!isWebhookError(thrown)) return createFailure('unexpected', thrown);
  const { code, message, cause } = thrown;
  const own = RECEIVER_CODES.find((each) => each === code);
  if (own !== undefined && message === '') return createFailure(own, cause);
  return new WebhookError(code, { message, cause });
}

/** Tells `onError`, whose own failure must not change the answer. */
async function report(
  { onError }: ReceiverSettings,
  error: WebhookError,
  event?: WebhookEvent,
): Promise<void> {
  try {
    await onError(error, event);
  } catch {
    // The answer stands.
  }
}
