/** Where in the request a problem is. */
export type ProblemSource =
  { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly source?: ProblemSource;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ApiErrorOptions {
  readonly status: number;
  readonly type: string;
  readonly problems: readonly Problem[];
  /** @default the detail of the only problem */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const titles: Readonly<Record<string, string>> = {
  authentication_error: 'Authentication failed',
  idempotency_conflict: 'Idempotency key reused',
  insufficient_funds: 'Insufficient funds',
  internal_error: 'Internal error',
  malformed_request: 'Malformed request',
  method_not_allowed: 'Method not allowed',
  not_acceptable: 'Not acceptable',
  not_found: 'Resource not found',
  payload_too_large: 'Payload too large',
  quote_unusable: 'Quote cannot be used',
  rate_limit_exceeded: 'Rate limit exceeded',
  service_unavailable: 'Service unavailable',
  unsupported_media_type: 'Unsupported media type',
  validation_error: 'Invalid request parameters',
};

/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly problems: readonly Problem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, type, problems, message, headers = {} }: ApiErrorOptions) {
    super(message ?? problems[0]?.detail ?? type);
    this.name = 'ApiError';
    this.status = status;
    this.type = type;
    this.problems = problems;
    this.headers = headers;
  }

  /** Returns the members of the body that describe the error. */
  describe(): object {
    const status = String(this.status);
    const title = titles[this.type] ?? this.type;
    const errors = this.problems.map(({ code, detail, source, meta }) => ({
      status,
      code,
      title,
      detail,
      ...(source && { source }),
      ...(meta && { meta }),
    }));
    return { error: { type: this.type, message: this.message }, errors };
  }
}

export function validationError(problems: readonly Problem[]): ApiError {
  const [only] = problems;
  const message =
    problems.length === 1 && only ? only.detail : `The request has ${problems.length} invalid parameters.`;
  return new ApiError({ status: 422, type: 'validation_error', problems, message });
}

export function notFound(code: string, detail: string): ApiError {
  return new ApiError({ status: 404, type: 'not_found', problems: [{ code, detail }] });
}

/** Returns the answer to an error that is not one of the service, such as a broken escape in the path. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { status } = (error ?? {}) as { status?: unknown };
  if (status === 400) {
    const problems = [{ code: 'malformed_url', detail: 'The address of the request cannot be decoded.' }];
    return new ApiError({ status, type: 'malformed_request', problems });
  }
  const problems = [{ code: 'unexpected_condition', detail: 'The request could not be completed.' }];
  return new ApiError({ status: 500, type: 'internal_error', problems });
}
