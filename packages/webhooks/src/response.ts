import type { WebhookErrorCode } from './errors.ts';

/** The HTTP status for each code. A 200 ends the retries of events that no retry can make acceptable. */
const statusByCode: Record<WebhookErrorCode, number> = {
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

const textByStatus: Readonly<Record<number, string>> = {
  200: 'received',
  401: 'signature refused',
  405: 'method not allowed',
  413: 'body too large',
  500: 'not processed',
  503: 'still processing',
};

/** A framework-independent HTTP response. */
export interface WebhookResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function createAcknowledgement(): WebhookResponse {
  return createResponse(200);
}

/**
 * Creates the response to a failed delivery. Its body depends only on the status, so that a forger learns
 * nothing.
 */
export function createRejection(code: WebhookErrorCode): WebhookResponse {
  return createResponse(statusByCode[code]);
}

export function createMethodNotAllowed(): WebhookResponse {
  return createResponse(405, { allow: 'POST' });
}

export function toResponse({ body, ...init }: WebhookResponse): Response {
  return new Response(body, init);
}

function createResponse(status: number, headers: Record<string, string> = {}): WebhookResponse {
  const body = textByStatus[status] ?? '';
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
}
