import type { Refusal } from '@service/internal';
import type { ErrorType } from '@service/contract';

/** An error response: its type, message and invalid fields, and its status and headers. */
export interface ApiError {
  readonly type: ErrorType;
  readonly message: string;
  /** The problem of each invalid field. */
  readonly fields?: ReadonlyMap<string, string>;
  /**
   * The refusal whose settings in the profile write the response; null for those of all refusals.
   *
   * @default the refusal of the type
   */
  readonly refusal?: Refusal | null;
  /** @default the status of the type */
  readonly status?: number;
  /** A status that no profile changes. */
  readonly fixed?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP status (docs/contract.md#errors) and the refusal of each error type. */
export const errorTypes: Readonly<Record<ErrorType, { readonly status: number; readonly refusal: Refusal }>> =
  {
    authentication_error: { status: 401, refusal: 'authentication' },
    idempotency_error: { status: 422, refusal: 'key_reused' },
    insufficient_funds: { status: 422, refusal: 'insufficient_funds' },
    invalid_request_error: { status: 400, refusal: 'malformed_body' },
    method_not_allowed: { status: 405, refusal: 'unknown_method' },
    not_found: { status: 404, refusal: 'unknown_path' },
    payload_too_large: { status: 413, refusal: 'body_size' },
    permission_error: { status: 403, refusal: 'foreign_payment' },
    rate_limit_error: { status: 429, refusal: 'rate_limit' },
    server_error: { status: 500, refusal: 'server_error' },
    service_unavailable: { status: 503, refusal: 'server_error' },
    unsupported_media_type: { status: 415, refusal: 'media_type' },
    validation_error: { status: 422, refusal: 'validation' },
  };

/** Creates a validation error. Its message names every invalid field, sorted (docs/contract.md#errors). */
export function invalidFields(fields: ReadonlyMap<string, string>): ApiError {
  const named = [...fields].map(([field, problem]) => `${field} ${problem}`).toSorted();
  return { type: 'validation_error', message: `The request is invalid: ${named.join('; ')}.`, fields };
}
