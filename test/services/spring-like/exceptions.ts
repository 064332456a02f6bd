/** One violated constraint of a request. */
export interface Violation {
  readonly field: string;
  /** Name of the constraint. */
  readonly code: string;
  readonly message: string;
}

interface ApiExceptionOptions {
  readonly violations?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error with the status and the body of its response. */
export class ApiException extends Error {
  override readonly name = 'ApiException';
  readonly status: number;
  readonly type: string;
  readonly violations: readonly Violation[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, type: string, message: string, options: ApiExceptionOptions = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.violations = options.violations;
    this.headers = options.headers ?? {};
  }
}

export function authenticationError(message: string, challenge: string): ApiException {
  return new ApiException(401, 'authentication_error', message, {
    headers: { 'WWW-Authenticate': challenge },
  });
}

export function notFound(message: string): ApiException {
  return new ApiException(404, 'not_found', message);
}

/** A request whose fields cannot be read or break a constraint. */
export function constraintViolations(violations: readonly Violation[]): ApiException {
  const fields = violations.length === 1 ? '1 error' : `${violations.length} errors`;
  return new ApiException(422, 'validation_error', `Validation failed: ${fields}`, { violations });
}

/** A request that breaks a rule of the business. */
export function unprocessable(message: string): ApiException {
  return new ApiException(422, 'validation_error', message);
}

export function malformedRequest(message: string): ApiException {
  return new ApiException(400, 'malformed_request', message);
}
