import type { IssueKind, Refusal } from '@service/internal';
import type { ErrorType } from '@service/contract';
import type { Profile } from './profile.ts';

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
  /** The values of the fields in the request. */
  readonly values?: Readonly<Record<string, unknown>>;
  /**
   * The refusal whose template in the profile writes the response; null for the one of all refusals.
   *
   * @default the refusal of the type
   */
  readonly refusal?: Refusal | null;
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
export function invalidFields(
  problems: ReadonlyMap<string, Problem>,
  values: Readonly<Record<string, unknown>> = {},
): ApiError {
  return {
    type: 'validation_error',
    message: describeProblems([...problems]),
    fields: problems,
    values,
  };
}

/** Writes the message of a validation error. */
export function describeProblems(problems: readonly (readonly [field: string, problem: Problem])[]): string {
  const named = problems.map(([field, { text }]) => `${field} ${text}`).toSorted();
  return `The request is invalid: ${named.join('; ')}.`;
}

/** Returns the entry of a kind of problem. One for absent fields can be for all of them. */
export function findOfKind<Entry>(
  entries: { readonly [Kind in IssueKind]?: Entry },
  kind: IssueKind,
): Entry | undefined {
  return entries[kind] ?? (kind.endsWith('_missing') ? entries.missing : undefined);
}

/**
 * Returns the problems that a response has, in the order of a profile: those of the first check that finds one, with the
 * same refusal as the first of them.
 */
export function selectProblems(
  problems: ReadonlyMap<string, Problem>,
  {
    problems: { listed = 'all', fields = [], first = [], last = [] },
    refusals,
  }: Pick<Profile, 'problems' | 'refusals'>,
): readonly (readonly [field: string, problem: Problem])[] {
  const checkOf = ({ kind }: Problem): number => (first.includes(kind) ? 0 : last.includes(kind) ? 2 : 1);
  const placeOf = (field: string): number => (fields.includes(field) ? fields.indexOf(field) : fields.length);
  const [lead, ...others] = [...problems].toSorted(
    ([a, one], [b, other]) => checkOf(one) - checkOf(other) || placeOf(a) - placeOf(b),
  );
  if (lead === undefined) return [];
  const toText = ({ kind }: Problem): string => JSON.stringify(findOfKind(refusals, kind));
  const isSame = (problem: Problem): boolean =>
    checkOf(problem) === checkOf(lead[1]) && toText(problem) === toText(lead[1]);
  return [lead, ...others.filter(([, problem]) => listed === 'all' && isSame(problem))];
}
