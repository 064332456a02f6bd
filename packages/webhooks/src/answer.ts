import type { WebhookErrorCode } from './errors.ts';

/** Gives the HTTP status that answers each code. A 200 stops redelivery: sending the same bytes again could not mend these. */
const STATUS_OF: Record<WebhookErrorCode, number> = {
  missing_signature: 401,
  malformed_signature: 401,
  ambiguous_signature: 401,
  signature_mismatch: 401,
  invalid_utf8: 200,
  invalid_json: 200,
  invalid_event: 200,
  mode_mismatch: 200,
  confirm_failed: 200,
  body_too_large: 413,
  first_delivery_running: 503,
  first_delivery_failed: 500,
  handler_failed: 500,
  store_failed: 500,
  body_unreadable: 500,
  body_not_raw: 500,
  unusable_secret: 500,
  invalid_options: 500,
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

/** Answers a delivery that was handled, now or earlier. */
export function toAcknowledgement(): Response {
  return toResponse(200);
}

/** Answers a refusal; the body tells nothing but the status, so that a forger learns nothing. */
export function toRefusal(code: WebhookErrorCode): Response {
  return toResponse(STATUS_OF[code]);
}

/** Answers any method but POST. */
export function toMethodNotAllowed(): Response {
  return toResponse(405, { Allow: 'POST' });
}

function toResponse(status: number, headers: Record<string, string> = {}): Response {
  const text = TEXT_OF[status] ?? '';
  return new Response(text, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  });
}
