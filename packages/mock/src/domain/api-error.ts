import type { ErrorType } from '@service/contract';

/** Explains why a request is refused, in the words of the error envelope. */
export interface ApiError {
  readonly type: ErrorType;
  readonly message: string;
  /** What is wrong with each bad field. */
  readonly fields?: ReadonlyMap<string, string>;
}

/** Refuses: nothing is changed. */
export interface Rejection {
  readonly ok: false;
  readonly error: ApiError;
  readonly change?: never;
}

/** Holds what a decision changes, or why it changes nothing. */
export type Decision<Accepted> = ({ readonly ok: true } & Accepted) | Rejection;

/** Refuses a request. */
export function reject(type: ErrorType, message: string): Rejection {
  return { ok: false, error: { type, message } };
}

/** Refuses a request for its fields: one sentence that names every bad one, sorted (contract.md 1). */
export function invalidFields(problems: ReadonlyMap<string, string>): ApiError {
  const named = [...problems].map(([field, problem]) => `${field} ${problem}`).toSorted();
  return {
    type: 'validation_error',
    message: `The request is invalid: ${named.join('; ')}.`,
    fields: problems,
  };
}
