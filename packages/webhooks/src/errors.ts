/** Lists the codes that verifying one request can end in; `safeVerify` returns these and no others. */
export const VERIFICATION_CODES = [
  'body_not_raw',
  'missing_signature',
  'malformed_signature',
  'ambiguous_signature',
  'signature_mismatch',
  'secret_expired',
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'unreadable_event',
  'mode_mismatch',
  'stale_event',
  'event_from_future',
] as const;

/** Codes of configuration errors. Thrown at construction, or at the first request if `secrets` is a function. */
export const SETUP_CODES = ['unusable_secret', 'invalid_options'] as const;

/** Lists the codes that only a receiver gives, through `onError`. */
export const RECEIVER_CODES = [
  'body_too_large',
  'body_unreadable',
  'handler_failed',
  'store_failed',
  'confirm_failed',
  'lease_overrun',
  'first_delivery_failed',
  'first_delivery_running',
  'unexpected',
] as const;

/** Names one reason why a receiver did not handle a delivery, beyond those of verifying it. */
export type ReceiverCode = (typeof RECEIVER_CODES)[number];

/** Names one reason why a request was not verified. */
export type VerificationCode = (typeof VERIFICATION_CODES)[number];

/** Names any reason that a {@link WebhookError} can carry. */
export type WebhookErrorCode = VerificationCode | (typeof SETUP_CODES)[number] | ReceiverCode;

/**
 * Holds what to do about a code whose name does not say it. Every verifier carries these, so they are short: the README's
 * table and `explain()` say more, and a receiver's codes have theirs in receiver-failure.ts.
 */
const ADVICE: { readonly [Code in WebhookErrorCode]?: string } = {
  body_not_raw: "pass the bytes as they came: express.raw({ type: '*/*' }), await request.text()",
  missing_signature: 'no X-Service-Signature',
  malformed_signature: 'not 64 lowercase hex characters',
  signature_mismatch: 'is the body raw, and the secret that of this endpoint and mode?',
  stale_event: 'past maxAge',
  event_from_future: 'is the clock right?',
  unusable_secret: 'empty, blank, zeroed or "undefined": is the environment variable set?',
};

/** Adds to a {@link WebhookError}: `message` in place of the code's own, `cause` what was caught. */
export interface WebhookErrorOptions {
  readonly message?: string;
  readonly cause?: unknown;
}

/** Reports a refusal by its `code`; the text never holds a body, signature, digest or secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError' as const;
  /** Tells the reason, for code to branch on. */
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, options: WebhookErrorOptions = {}) {
    super(
      options.message ?? `${code.replaceAll('_', ' ')}: ${ADVICE[code] ?? 'see the codes in the README'}`,
      options,
    );
    this.code = code;
  }
}

/** Tells a {@link WebhookError} from any other value, also one from another bundle or realm. */
export function isWebhookError(value: unknown): value is WebhookError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, code } = value as Partial<WebhookError>;
  const lists: readonly (readonly unknown[])[] = [VERIFICATION_CODES, SETUP_CODES, RECEIVER_CODES];
  return name === 'WebhookError' && lists.some((codes) => codes.includes(code));
}
