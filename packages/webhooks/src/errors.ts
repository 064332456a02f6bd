/** Lists the codes that verifying one request can end in; `safeVerify` returns these and no others. */
const VERIFICATION_CODES = [
  'body_not_raw',
  'missing_signature',
  'malformed_signature',
  'ambiguous_signature',
  'signature_mismatch',
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'mode_mismatch',
] as const;

/** Lists the codes of mistakes in the set-up, thrown before any request is looked at. */
export const SETUP_CODES = ['unusable_secret', 'invalid_options'] as const;

/** Lists the codes that only a receiver gives, through `onError`. */
const RECEIVER_CODES = [
  'body_too_large',
  'body_unreadable',
  'handler_failed',
  'store_failed',
  'confirm_failed',
  'first_delivery_failed',
  'first_delivery_running',
  'unexpected',
] as const;

/** Names one reason why a request was not verified. */
export type VerificationCode = (typeof VERIFICATION_CODES)[number];

/** Names any reason that a {@link WebhookError} can carry. */
export type WebhookErrorCode =
  VerificationCode | (typeof SETUP_CODES)[number] | (typeof RECEIVER_CODES)[number];

/** Lists every code of a {@link WebhookError}. */
export const WEBHOOK_ERROR_CODES: readonly WebhookErrorCode[] = [
  ...VERIFICATION_CODES,
  ...SETUP_CODES,
  ...RECEIVER_CODES,
];

const MESSAGES: Record<WebhookErrorCode, string> = {
  body_not_raw:
    'The signature covers the raw bytes of the body, but a parsed value was passed. Pass the body as it came over ' +
    "the wire: with Express use express.raw({ type: 'application/json' }) and hand over req.body; with a fetch " +
    'Request use await request.text() or await request.arrayBuffer().',
  missing_signature:
    'The request carries no X-Service-Signature header. Pass the headers of the request or the value of that header.',
  malformed_signature: 'The signature is not exactly 64 characters of lowercase hexadecimal.',
  ambiguous_signature:
    'The request carries more than one X-Service-Signature value, so none of them is trusted.',
  signature_mismatch:
    'The signature fits none of the signing secrets. Check that the body is the raw bytes, not a re-serialised ' +
    'object, and that the secret belongs to this endpoint and mode and has no stray space or line break.',
  invalid_utf8: 'The body is signed but is not well-formed UTF-8.',
  invalid_json: 'The body is signed but is not JSON. (A byte order mark is refused as well.)',
  invalid_event: 'The body is signed but is not an event of this API.',
  mode_mismatch:
    'The event is genuine but belongs to the other mode. Give the test and the live endpoint an address each.',
  unusable_secret:
    'The signing secret must be a string or Uint8Array that is not empty, blank, all zero bytes, or the text ' +
    '"undefined" or "null". Is the environment variable set?',
  invalid_options: 'The options are not valid.',
  body_too_large: 'The body is larger than maxBodyBytes.',
  body_unreadable:
    'The body could not be read: the connection ended, or something read it earlier. Hand over an unread Request.',
  handler_failed: 'The handler threw; its claim is released, so that the next delivery runs it again.',
  store_failed: 'The dedupe store failed, so the event was not acknowledged.',
  confirm_failed:
    'The handler succeeded but the dedupe store could not confirm it. The event is acknowledged all the same.',
  first_delivery_failed: 'A duplicate waited for the first delivery, whose handler failed.',
  first_delivery_running: 'A duplicate waited for the first delivery until the acknowledge timeout.',
  unexpected: 'The receiver failed in a way that it does not know.',
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

  constructor(code: WebhookErrorCode, { message = MESSAGES[code], ...options }: WebhookErrorOptions = {}) {
    super(message, options);
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
