import { type ApiError, errorStatus } from '../domain/api-error.ts';
import { type Json, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { Mode } from '@service/contract';
import { deprecationHeaders } from './deprecation.ts';
import { renderError } from './error-shape.ts';
import type { MockResponse } from './request.ts';

/** The error of a service that fails without a known reason. */
export const serviceFailure: ApiError = { type: 'server_error', message: 'The service failed.' };

/** The status and headers of an error response. */
export interface ErrorInit {
  /** @default the status of the error type */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response. The service throws it and converts it to a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const;
  readonly error: ApiError;
  readonly init: ErrorInit;

  constructor(error: ApiError, init: ErrorInit = {}) {
    super(error.message);
    this.error = error;
    this.init = init;
  }
}

/** The mode and profile of a response. */
export interface ResponseContext {
  /** Undefined omits the field; null and undefined are for unknown callers. */
  readonly mode: Mode | null | undefined;
  readonly profile: Profile;
}

/** Creates a response with the success envelope. */
export function okResponse(status: number, { mode, profile }: ResponseContext, data: Json): MockResponse {
  const body = toJson({ success: true, mode, data }, profile.numbers);
  return { status, headers: deprecationHeaders(profile), body };
}

/** Creates an error response in the shape of the profile. */
export function errorResponse(
  error: ApiError,
  { mode, profile }: ResponseContext,
  init: ErrorInit = {},
): MockResponse {
  const status = init.status ?? errorStatus[error.type];
  const { body, headers } = renderError(error, { status, mode, shape: profile.errorShape });
  return { status, headers: { ...deprecationHeaders(profile), ...headers, ...init.headers }, body };
}
