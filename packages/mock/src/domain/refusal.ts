import type { ErrorType } from '@service/contract';

/** Explains why a request is refused, in the words of the error envelope. */
export interface Refusal {
  readonly type: ErrorType;
  readonly message: string;
  /** What is wrong with each bad field. */
  readonly fields?: ReadonlyMap<string, string>;
}

/** Refuses: nothing is changed. */
export interface Refusing {
  readonly ok: false;
  readonly refusal: Refusal;
  readonly change?: never;
}

/** Holds what a decision changes, or why it changes nothing. */
export type Decision<Accepted> = ({ readonly ok: true } & Accepted) | Refusing;

/** Refuses a request. */
export function refuse(type: ErrorType, message: string): Refusing {
  return { ok: false, refusal: { type, message } };
}

/** Refuses a request for its fields: one sentence that names every bad one, sorted (contract.md 1). */
export function refuseFields(problems: ReadonlyMap<string, string>): Refusal {
  const named = [...problems].map(([field, problem]) => `${field} ${problem}`).toSorted();
  return {
    type: 'validation_error',
    message: `The request is invalid: ${named.join('; ')}.`,
    fields: problems,
  };
}
