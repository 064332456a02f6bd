import { readBytes } from '@service/internal';
import { createFailure, WebhookError } from './errors.ts';
import type { WebhookErrorCode } from './errors.ts';
import type { RawBody, SignatureSource } from './signature.ts';

/** A framework-independent HTTP request. */
export interface WebhookRequest {
  /** The HTTP method. The receiver accepts only `POST`. */
  readonly method: string;
  /** The request headers, of which the receiver reads the signature. */
  readonly headers: SignatureSource;
  /**
   * Reads the raw body. May stop after `maxBytes`. The receiver reports its error to `onError`; create it
   * with `createError`, otherwise its code is `unexpected`.
   */
  readonly read: (
    maxBytes: number,
    createError: (
      code: 'body_not_raw' | 'body_too_large' | 'body_unreadable',
      detail?: {
        /** The way to pass a raw body. */
        readonly message?: string;
        /** The error that caused this one. */
        readonly cause?: unknown;
      },
    ) => WebhookError,
  ) => RawBody | Promise<RawBody>;
}

/** Creates the error of a body that cannot be read. */
export type CreateBodyError = Parameters<WebhookRequest['read']>[1];

/** A framework-independent HTTP response. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The response headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the response body. */
  readonly body: string;
}

/** Creates the error of an adapter that cannot read a body. */
export const createBodyError: CreateBodyError = (code, { message, ...rest } = {}) => {
  const isParsed = code === 'body_not_raw';
  if (message === undefined) return isParsed ? new WebhookError(code, rest) : createFailure(code, rest.cause);
  const problem = isParsed ? 'The body was read before the receiver. ' : '';
  return new WebhookError(code, { ...rest, message: problem + message });
};

/** Converts the function that responds to deliveries to one of `Request` and `Response`. */
export function toFetchHandler(
  deliver: (delivery: WebhookRequest) => Promise<WebhookResponse>,
): (request: Request) => Promise<Response> {
  return async (request) => toResponse(await deliver(toWebhookRequest(request)));
}

/** Converts a Request. Its body is read once, and at most `maxBytes` of it. */
function toWebhookRequest(request: Request): WebhookRequest {
  const { method, headers } = request;
  const read = async (maxBytes: number): Promise<RawBody> => {
    if (Number(headers.get('content-length')) > maxBytes) throw createFailure('body_too_large');
    // Checked first: the `body` of a used Request is null in some runtimes and locked in others.
    if (request.bodyUsed) throw createFailure('body_unreadable');
    const bytes = await readBytes(request, maxBytes).catch((cause: unknown) => {
      throw createFailure('body_unreadable', cause);
    });
    if (bytes === undefined) throw createFailure('body_too_large');
    return bytes;
  };
  return { method, headers, read };
}

/**
 * The HTTP status for each code, if it is not 500. A 200 ends the retries of events that no retry can make
 * acceptable.
 */
export const statusByCode: { readonly [Code in WebhookErrorCode]?: number } = {
  missing_signature: 401,
  malformed_signature: 401,
  ambiguous_signature: 401,
  signature_mismatch: 401,
  secret_expired: 401,
  mode_mismatch: 200,
  stale_event: 200,
  body_too_large: 413,
  first_delivery_running: 503,
};

/** The body depends only on the status, so that a forger learns nothing. */
const textByStatus: Readonly<Record<number, string>> = {
  200: 'received',
  401: 'signature refused',
  405: 'method not allowed',
  413: 'body too large',
  500: 'not processed',
  503: 'still processing',
};

export function createResponse(status: number, headers: Record<string, string> = {}): WebhookResponse {
  const body = textByStatus[status] ?? '';
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
}

export function toResponse({ body, ...init }: WebhookResponse): Response {
  return new Response(body, init);
}
