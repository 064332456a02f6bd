import type { JsonObject } from './json-writer.ts';
import type { ModelState } from './model-state.ts';

interface StatusDefaults {
  readonly type: string;
  readonly title: string;
}

const rfc9110 = 'https://tools.ietf.org/html/rfc9110#section-';

/** Default `type` and `title` of the problem details per status. */
const statusDefaults = {
  401: { type: `${rfc9110}15.5.2`, title: 'Unauthorized' },
  404: { type: `${rfc9110}15.5.5`, title: 'Not Found' },
  413: { type: `${rfc9110}15.5.14`, title: 'Payload Too Large' },
  415: { type: `${rfc9110}15.5.16`, title: 'Unsupported Media Type' },
  422: { type: 'https://tools.ietf.org/html/rfc4918#section-11.2', title: 'Unprocessable Entity' },
  429: { type: 'https://tools.ietf.org/html/rfc6585#section-4', title: 'Too Many Requests' },
  500: {
    type: `${rfc9110}15.6.1`,
    title: 'An error occurred while processing your request.',
  },
  503: { type: `${rfc9110}15.6.4`, title: 'Service Unavailable' },
} as const satisfies Readonly<Record<number, StatusDefaults>>;

export interface ApiProblemOptions {
  readonly title?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Error that the service answers with problem details (RFC 9457) and the `error` of the envelope. */
export class ApiProblem extends Error {
  readonly status: keyof typeof statusDefaults;
  readonly errorType: string;
  readonly options: ApiProblemOptions;

  constructor(
    status: keyof typeof statusDefaults,
    errorType: string,
    message: string,
    options: ApiProblemOptions = {},
  ) {
    super(message);
    this.status = status;
    this.errorType = errorType;
    this.options = options;
  }
}

export function createValidationProblem(modelState: ModelState): ApiProblem {
  const title = 'One or more validation errors occurred.';
  return new ApiProblem(422, 'validation_error', title, { title, errors: modelState.toErrors() });
}

export interface ProblemContext {
  readonly method: string;
  readonly path: string;
  readonly traceId: string;
  readonly mode: string | undefined;
}

/** Returns the body of a problem. Validation problems have `errors` instead of `detail`. */
export function createProblemDetails(
  problem: ApiProblem,
  { method, path, traceId, mode }: ProblemContext,
): JsonObject {
  const { type, title } = statusDefaults[problem.status];
  const { errors } = problem.options;
  return {
    type,
    title: problem.options.title ?? title,
    status: problem.status,
    ...(errors === undefined && { detail: problem.message }),
    instance: `${method} ${path}`,
    ...(errors !== undefined && { errors }),
    traceId,
    success: false,
    ...(mode !== undefined && { mode }),
    error: { type: problem.errorType, message: problem.message },
  };
}
