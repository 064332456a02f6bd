import type { ErrorType } from '@service/contract';

/** The type, message and invalid fields of an error response. */
export interface ApiError {
  readonly type: ErrorType;
  readonly message: string;
  /** The problem of each invalid field. */
  readonly fields?: ReadonlyMap<string, string>;
}

/** Creates a validation error. Its message names every invalid field, sorted (docs/contract.md#errors). */
export function invalidFields(problems: ReadonlyMap<string, string>): ApiError {
  const named = [...problems].map(([field, problem]) => `${field} ${problem}`).toSorted();
  return {
    type: 'validation_error',
    message: `The request is invalid: ${named.join('; ')}.`,
    fields: problems,
  };
}
