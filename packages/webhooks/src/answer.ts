import type { WebhookErrorCode } from './errors.ts';

/** The HTTP status for each code. A 200 stops retries: it is for requests that no retry could make acceptable. */
const STATUS_OF: Record<WebhookErrorCode, number> = {
  missing_signature: 401,
  malformed_signature: 401,
  ambiguous_signature: 401,
  signature_mismatch: 401,
  secret_expired: 401,
  invalid_utf8: 200,
  invalid_json: 200,
  invalid_event: 200,
  mode_mismatch: 200,
  stale_event: 200,
  confirm_failed: 200,
  lease_overrun: 200,
  body_too_large: 413,
  first_delivery_running: 503,
  first_delivery_failed: 500,
  handler_failed: 500,
  store_failed: 500,
  body_unreadable: 500,
  body_not_raw: 500,
  unusable_secret: 500,
  invalid_options: 500,
  event_from_future: 500,
  unreadable_event: 500,
  unexpected: 500,
};

const TEXT_OF: Readonly<Record<number, string>> = {
  200: 'received',
  401: 'signature refused',
  405: 'method not allowed',
  413: 'body too large',
  500: 'not processed',
  503: 'still processing',
};

/** Holds an answer in the words of no framework. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a delivery that was handled, now or earlier. */
export function toAcknowledgement(): Answer {
  return toAnswer(200);
}

/** Answers a refusal; the body tells nothing but the status, so that a forger learns nothing. */
export function toRefusal(code: WebhookErrorCode): Answer {
  return toAnswer(STATUS_OF[code]);
}

/** Answers any method but POST. */
export function toMethodNotAllowed(): Answer {
  return toAnswer(405, { allow: 'POST' });
}

/** Converts an answer to a fetch `Response`. */
export function toResponse({ body, ...init }: Answer): Response {
  return new Response(body, init);
}

function toAnswer(status: number, headers: Record<string, string> = {}): Answer {
  const body = TEXT_OF[status] ?? '';
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
}
