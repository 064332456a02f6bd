import { toAcknowledgement, toMethodNotAllowed, toRefusal } from './answer.ts';
import { toHex } from './bytes.ts';
import { createDeliverOnce } from './delivery.ts';
import { WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';
import { parseReceiverOptions } from './receiver-options.ts';
import type { ReceiverOptions, ReceiverSettings } from './receiver-options.ts';
import { readBody } from './request-body.ts';
import type { VerifierOptions } from './verifier.ts';

/** Answers one delivery; it never rejects. */
export type Receiver = (request: Request) => Promise<Response>;

/** Creates a receiver from its options. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** Verifies one request, at once or later. */
type Verify = (body: Uint8Array, headers: Headers) => WebhookEvent | Promise<WebhookEvent>;
type CreateVerifier = (options: VerifierOptions) => { readonly verify: Verify };

/** Creates a `createReceiver` over one way of verifying. */
export function bindReceiver(createVerifier: CreateVerifier): CreateReceiver {
  return (options) => {
    const settings = parseReceiverOptions(options);
    const { verify } = createVerifier({ secrets: options.secrets, mode: options.mode });
    return buildReceiver(verify, settings);
  };
}

/** Builds a receiver: read, verify, handle once, answer. */
function buildReceiver(verify: Verify, settings: ReceiverSettings): Receiver {
  const deliverOnce = createDeliverOnce(settings);

  return async (request) => {
    if (request.method !== 'POST') return toMethodNotAllowed();
    let event: WebhookEvent | undefined;
    try {
      const body = await readBody(request, settings.maxBodyBytes);
      const verified = await verify(body, request.headers);
      event = verified;
      await deliverOnce(await toDedupeKey(verified, body), () => settings.handle(verified));
      return toAcknowledgement();
    } catch (thrown) {
      const error =
        thrown instanceof WebhookError ? thrown : new WebhookError('unexpected', { cause: thrown });
      void report(settings, error, event);
      return toRefusal(error.code);
    }
  };
}

/**
 * Names the effect of an event: payment and new status (contract.md 8: a redelivery may differ in its bytes). What an
 * unknown event brings about is unknown, so only the same bytes are the same event.
 */
async function toDedupeKey(event: WebhookEvent, body: Uint8Array<ArrayBuffer>): Promise<string> {
  if (event.kind === 'payment') return `${event.event}/${event.data.id}`;
  return `unknown/${toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))}`;
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
