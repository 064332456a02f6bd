import type { JsonValue } from './json.ts';

/** One entry of `error.detail`, in the form of a Pydantic error. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An error that the exception handler of the application writes as the error envelope. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly detail: JsonValue | undefined;

  constructor(
    status: number,
    type: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    detail?: JsonValue,
  ) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
    this.detail = detail;
  }
}

export function createValidationError(errors: readonly FieldError[]): ApiError {
  const [first] = errors;
  const field =
    first?.loc
      .slice(1)
      .filter((part) => typeof part === 'string')
      .join('.') ?? '';
  const message = `${field === '' ? '' : `${field}: `}${first?.msg ?? 'Invalid request'}`;
  const detail = errors.map(({ loc, msg, type }) => ({ loc, msg, type }));
  return new ApiError(422, 'validation_error', message, {}, detail);
}

/** @throws {ApiError} when there are errors. */
export function raiseErrors(...groups: readonly (readonly FieldError[])[]): void {
  const errors = groups.flat();
  if (errors.length > 0) throw createValidationError(errors);
}
