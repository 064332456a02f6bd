import type { IssueKind, Refusal } from '@service/internal';
import type { ErrorType } from '@service/contract';

/** The problem of an invalid field. */
export interface Problem {
  readonly kind: IssueKind;
  readonly text: string;
}

/** The type, message and invalid fields of an error response. */
export interface ApiError {
  readonly type: ErrorType;
  readonly message: string;
  /** The problem of each invalid field; that of a body that is not an object has the name `''`. */
  readonly fields?: ReadonlyMap<string, Problem>;
  /**
   * The refusal whose template in the profile writes the response; null for the one of all refusals.
   *
   * @default the refusal of the type
   */
  readonly refusal?: Refusal | null;
}

/** The HTTP status of each error type (docs/contract.md#errors). */
export const errorStatus: Readonly<Record<ErrorType, number>> = {
  authentication_error: 401,
  idempotency_error: 422,
  insufficient_funds: 422,
  invalid_request_error: 400,
  method_not_allowed: 405,
  not_found: 404,
  payload_too_large: 413,
  permission_error: 403,
  rate_limit_error: 429,
  server_error: 500,
  service_unavailable: 503,
  unsupported_media_type: 415,
  validation_error: 422,
};

/** The refusal of each error type. */
export const refusalOfType: Readonly<Record<ErrorType, Refusal>> = {
  authentication_error: 'authentication',
  idempotency_error: 'key_reused',
  insufficient_funds: 'insufficient_funds',
  invalid_request_error: 'malformed_body',
  method_not_allowed: 'unknown_method',
  not_found: 'unknown_path',
  payload_too_large: 'body_size',
  permission_error: 'foreign_payment',
  rate_limit_error: 'rate_limit',
  server_error: 'server_error',
  service_unavailable: 'server_error',
  unsupported_media_type: 'media_type',
  validation_error: 'validation',
};

/** Creates a validation error. Its message names every invalid field, sorted (docs/contract.md#errors). */
export function invalidFields(problems: ReadonlyMap<string, Problem>): ApiError {
  const named = [...problems].map(([field, { text }]) => `${field} ${text}`).toSorted();
  return {
    type: 'validation_error',
    message: `The request is invalid: ${named.join('; ')}.`,
    fields: problems,
  };
}
