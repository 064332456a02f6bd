import { toAcknowledgement, toMethodNotAllowed, toRefusal } from './answer.ts';
import { createDeliverOnce } from './delivery.ts';
import { WebhookError } from './errors.ts';
import { paymentIdOf } from './event-parser.ts';
import type { WebhookEvent } from './event.ts';
import type { ReceiverSettings } from './receiver-options.ts';
import { readBody } from './request-body.ts';
import { SIGNATURE_HEADER } from './signature.ts';

/** Answers one delivery; it never rejects. */
export type Receiver = (request: Request) => Promise<Response>;

/** Verifies one request, at once or later. */
export type Verify = (body: Uint8Array, headers: Headers) => WebhookEvent | Promise<WebhookEvent>;

/** Builds a receiver: read, verify, handle once, answer. */
export function buildReceiver(verify: Verify, settings: ReceiverSettings): Receiver {
  const deliverOnce = createDeliverOnce(settings);

  return async (request) => {
    if (request.method !== 'POST') return toMethodNotAllowed();
    let event: WebhookEvent | undefined;
    try {
      const verified = await verify(await readBody(request, settings.maxBodyBytes), request.headers);
      event = verified;
      await deliverOnce(toDedupeKey(verified, request.headers), () => settings.handle(verified));
      return toAcknowledgement();
    } catch (thrown) {
      const error =
        thrown instanceof WebhookError ? thrown : new WebhookError('unexpected', { cause: thrown });
      void report(settings, error, event);
      return toRefusal(error.code);
    }
  };
}

/** Names the effect of an event: payment and new status (contract.md 8: a redelivery may differ in its bytes). */
function toDedupeKey(event: WebhookEvent, headers: Headers): string {
  // An unknown event may be about no payment; its signature is a digest of its bytes.
  const subject = paymentIdOf(event) ?? headers.get(SIGNATURE_HEADER) ?? '';
  return `${event.event}/${subject}`;
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
