import type { ContentfulStatusCode } from 'hono/utils/http-status';

export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface ApiErrorOptions {
  readonly details?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with a status, a type and a message for the caller. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly type: string;
  readonly details: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: readonly [ContentfulStatusCode, string], message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.name = 'ApiError';
    [this.status, this.type] = kind;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export const errorKinds = {
  badRequest: [400, 'bad_request'],
  authentication: [401, 'authentication_error'],
  notFound: [404, 'not_found'],
  methodNotAllowed: [405, 'method_not_allowed'],
  idempotencyConflict: [409, 'idempotency_conflict'],
  tooLarge: [413, 'payload_too_large'],
  mediaType: [415, 'unsupported_media_type'],
  validation: [422, 'validation_error'],
  funds: [422, 'insufficient_funds'],
  corridor: [422, 'unsupported_corridor'],
  rateLimit: [429, 'rate_limit_exceeded'],
  internal: [500, 'internal_error'],
  unavailable: [503, 'service_unavailable'],
} as const satisfies Record<string, readonly [ContentfulStatusCode, string]>;
