import { isRecord } from '@service/internal';
import { docs } from './generated/docs.ts';

// Apart, because a bundle without a receiver does not contain them.
const receiverMessages: Readonly<Record<ReceiverCode, string>> = {
  body_too_large: 'The body is larger than maxBodyBytes.',
  body_unreadable:
    'The body could not be read: the connection ended, or the body was read before. Pass a Request whose body was not read.',
  handler_failed: 'The handler threw. The next delivery runs it again.',
  store_failed: 'The deduplication store failed. The event was not acknowledged, so the sender retries.',
  confirm_failed:
    'The handler succeeded, but the deduplication store failed to confirm it. The event was acknowledged.',
  lease_overrun:
    'Another delivery claimed the event while its handler ran, so the handler may have run twice: it took longer than maxHandlerTime, or its claim could not be renewed. The event was acknowledged.',
  first_delivery_failed:
    'This duplicate waited for the first delivery, whose handler failed or whose process ended.',
  first_delivery_running: 'This duplicate waited 8 s for the first delivery.',
  unexpected: 'The receiver failed for an unknown reason.',
};

/** The code of a receiver error other than a failed verification. */
type ReceiverCode = Exclude<WebhookErrorCode, VerificationCode | 'unusable_secret' | 'invalid_options'>;

/** The code of a failed verification. */
export type VerificationCode =
  | 'body_not_raw'
  | 'missing_signature'
  | 'malformed_signature'
  | 'ambiguous_signature'
  | 'signature_mismatch'
  | 'secret_expired'
  | 'invalid_utf8'
  | 'invalid_json'
  | 'invalid_event'
  | 'unreadable_event'
  | 'mode_mismatch'
  | 'stale_event'
  | 'event_from_future';

/** The code of any {@link WebhookError}. */
export type WebhookErrorCode =
  | VerificationCode
  | 'unusable_secret'
  | 'invalid_options'
  | 'body_too_large'
  | 'body_unreadable'
  | 'handler_failed'
  | 'store_failed'
  | 'confirm_failed'
  | 'lease_overrun'
  | 'first_delivery_failed'
  | 'first_delivery_running'
  | 'unexpected';

// Short, because every bundle with a verifier contains them.
const messages: { readonly [Code in WebhookErrorCode]?: string } = {
  body_not_raw: "The body is not raw. Pass express.raw({ type: '*/*' }) or await request.text().",
  signature_mismatch: 'The signature matches no secret. Check the secret, its mode and the raw body.',
  unusable_secret: 'The secret is empty. Set SERVICE_WEBHOOK_SECRET, as `service-cli dev` does.',
};

const NAME = 'WebhookError';

/**
 * An error with a `code`. Its message never contains a body, signature, digest or secret.
 *
 * `instanceof` also finds the errors of another realm or another copy of this package.
 */
export class WebhookError extends Error {
  /** Returns true for an error of this class, also for one of another realm or another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class of the caller matches only its own instances.
    const isOther = this === WebhookError && isRecord(value) && value.name === NAME && 'docs' in value;
    return isOther || super[Symbol.hasInstance](value);
  }

  /** Always `'WebhookError'`. */
  override readonly name: 'WebhookError' = NAME;
  /** The reason, for code to branch on. */
  declare readonly code: WebhookErrorCode;
  /** The address of the documentation of this code. */
  declare readonly docs: string;

  constructor(
    code: WebhookErrorCode,
    options: {
      /** Text to show instead of the message of the code. */
      readonly message?: string;
      /** The error that caused this one. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(options.message ?? messages[code] ?? `Webhook failed: ${code.replaceAll('_', ' ')}.`, options);
    this.code = code;
    this.docs = `${docs.errors}#${code}`;
  }
}

/** Creates the error of a receiver code. */
export function createFailure(code: ReceiverCode, ...[cause]: [cause?: unknown]): WebhookError {
  return new WebhookError(code, { message: receiverMessages[code], ...(cause !== undefined && { cause }) });
}
