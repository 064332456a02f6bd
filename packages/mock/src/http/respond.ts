import type { Refusal } from '../domain/refusal.ts';
import { type Json, toJson } from '../domain/wire.ts';
import type { ErrorType, Mode } from '@service/contract';
import type { Answer } from './call.ts';

/** Maps each error type to its HTTP status (contract.md 6). */
const statusOf: Readonly<Record<ErrorType, number>> = {
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

/** Adds to a refusal what the envelope does not hold. */
export interface Refinement {
  /** Replaces the status that goes with the error type. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a call with a refusal; thrown inside the pipeline and turned into an answer at its end. */
export class Refused extends Error {
  override readonly name = 'Refused' as const;
  readonly refusal: Refusal;
  readonly refinement: Refinement;

  constructor(refusal: Refusal, refinement: Refinement = {}) {
    super(refusal.message);
    this.refusal = refusal;
    this.refinement = refinement;
  }
}

/** Answers with the success envelope. */
export function succeed(status: number, mode: Mode, data: Json): Answer {
  return { status, headers: {}, body: toJson({ success: true, mode, data }) };
}

/** Answers with the failure envelope; `mode` is left out where the caller is not known. */
export function fail(
  { type, message }: Refusal,
  mode: Mode | undefined,
  refinement: Refinement = {},
): Answer {
  return {
    status: refinement.status ?? statusOf[type],
    headers: refinement.headers ?? {},
    body: toJson({ success: false, mode, error: { type, message } }),
  };
}
