/** Lists the codes that verifying one request can end in; `safeVerify` returns these and no others. */
const VERIFICATION_CODES = [
  'body_not_raw',
  'missing_signature',
  'malformed_signature',
  'ambiguous_signature',
  'signature_mismatch',
  'secret_expired',
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'mode_mismatch',
  'stale_event',
  'event_from_future',
] as const;

/** Lists the codes of mistakes in the set-up, thrown before any request is looked at. */
export const SETUP_CODES = ['unusable_secret', 'invalid_options'] as const;

/** Lists the codes that only a receiver gives, through `onError`. */
export const RECEIVER_CODES = [
  'body_too_large',
  'body_unreadable',
  'handler_failed',
  'store_failed',
  'confirm_failed',
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

/** Lists every code of a {@link WebhookError}. */
export const WEBHOOK_ERROR_CODES: readonly WebhookErrorCode[] = [
  ...VERIFICATION_CODES,
  ...SETUP_CODES,
  ...RECEIVER_CODES,
];

/** Holds what each code means; a receiver's codes have theirs in receiver-failure.ts, so that a verifier stays small. */
const MESSAGES: Record<Exclude<WebhookErrorCode, ReceiverCode>, string> = {
  body_not_raw:
    'The signature covers the raw bytes, but a parsed body was passed. Pass the body as it came over the wire: with ' +
    "Express express.raw({ type: 'application/json' }), with a fetch Request await request.text().",
  missing_signature: 'There is no X-Service-Signature header.',
  malformed_signature: 'The signature is not exactly 64 characters of lowercase hexadecimal.',
  ambiguous_signature: 'There is more than one X-Service-Signature, so none is trusted.',
  signature_mismatch:
    'The signature fits no secret. Is the body raw, and the secret that of this endpoint and mode?',
  secret_expired: 'The signature fits only a secret whose notAfter is past.',
  invalid_utf8: 'The body is signed but is not well-formed UTF-8.',
  invalid_json: 'The body is signed but is not JSON (a byte order mark is refused as well).',
  invalid_event: 'The body is signed but is not an event of this API',
  mode_mismatch: 'The event is genuine but of the other mode. Give each mode an address of its own.',
  stale_event: 'The event is genuine but older than freshness allows.',
  event_from_future: 'The event is genuine but from the future. Is the clock of this machine right?',
  unusable_secret:
    'The secret must be a text or Uint8Array that is not empty, blank, all zero, "undefined" or "null". Is the ' +
    'environment variable set?',
  invalid_options: 'The options are not valid.',
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

  constructor(code: WebhookErrorCode, { message, ...options }: WebhookErrorOptions = {}) {
    super(message ?? (MESSAGES as Partial<Record<WebhookErrorCode, string>>)[code] ?? code, options);
    this.code = code;
  }
}

/** Tells a {@link WebhookError} from any other value, also one from another bundle or realm. */
export function isWebhookError(value: unknown): value is WebhookError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, code } = value as Partial<WebhookError>;
  return name === 'WebhookError' && WEBHOOK_ERROR_CODES.some((known) => known === code);
}

/** Tells whether a code is one that verifying a request can end in. */
export function isVerificationCode(code: WebhookErrorCode): code is VerificationCode {
  return VERIFICATION_CODES.some((known) => known === code);
}
