import type { createFailure } from '../src/errors.ts';
import type { VerificationCode, WebhookErrorCode } from '@service/webhooks';

type ReceiverCode = Parameters<typeof createFailure>[0];

const verification: Readonly<Record<VerificationCode, true>> = {
  body_not_raw: true,
  missing_signature: true,
  malformed_signature: true,
  ambiguous_signature: true,
  signature_mismatch: true,
  secret_expired: true,
  invalid_utf8: true,
  invalid_json: true,
  invalid_event: true,
  unreadable_event: true,
  mode_mismatch: true,
  stale_event: true,
  event_from_future: true,
};

const receiver: Readonly<Record<ReceiverCode, true>> = {
  body_too_large: true,
  body_unreadable: true,
  handler_failed: true,
  store_failed: true,
  confirm_failed: true,
  lease_overrun: true,
  first_delivery_failed: true,
  first_delivery_running: true,
  unexpected: true,
};

const all: Readonly<Record<WebhookErrorCode, true>> = {
  ...verification,
  unusable_secret: true,
  invalid_options: true,
  ...receiver,
};

/** All codes of a `WebhookError`. */
export const errorCodes = Object.keys(all) as readonly WebhookErrorCode[];

/** Returns whether only a receiver reports a code. */
export const isReceiverCode = (code: WebhookErrorCode): code is ReceiverCode => Object.hasOwn(receiver, code);
