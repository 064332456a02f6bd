/** One property of a request that does not satisfy its constraints. */
export interface PropertyError {
  readonly property: string;
  /** Messages by name of the constraint. */
  readonly constraints: Readonly<Record<string, string>>;
}

interface ExceptionOptions {
  readonly details?: readonly PropertyError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that the caller gets in the envelope of the service. */
export class ApiException extends Error {
  readonly statusCode: number;
  readonly type: string;
  readonly details: readonly PropertyError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, type: string, message: string, options: ExceptionOptions = {}) {
    super(message);
    this.statusCode = statusCode;
    this.type = type;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export function unauthorized(message: string): ApiException {
  const headers = { 'www-authenticate': 'Bearer realm="payments"' };
  return new ApiException(401, 'authentication_error', message, { headers });
}

export function notFound(resource: string, id: string): ApiException {
  return new ApiException(404, 'not_found', `${resource} ${id} not found`);
}

export function invalid(details: readonly PropertyError[]): ApiException {
  const messages = details.flatMap(({ constraints }) => Object.values(constraints));
  return new ApiException(422, 'validation_error', messages.join(', '), { details });
}

export function invalidProperty(property: string, constraint: string, message: string): ApiException {
  return invalid([{ property, constraints: { [constraint]: message } }]);
}
