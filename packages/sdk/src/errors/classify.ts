import type { ErrorType } from '@service/contract';
import { isRecord } from '@service/internal';
import {
  AuthenticationError,
  IdempotencyError,
  InsufficientFundsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './response-errors.ts';
import { cleanText } from './clean-text.ts';
import { readFieldErrors } from './field-errors.ts';
import { type ErrorFacts, ServiceError } from './service-error.ts';

/** The error fields of a response that reports a failure. */
export type ResponseFacts = ErrorFacts & { readonly status: number };

type ResponseErrorClass = new (message: string, facts: ResponseFacts) => ServiceError;

const byType = {
  authentication_error: AuthenticationError,
  idempotency_error: IdempotencyError,
  insufficient_funds: InsufficientFundsError,
  invalid_request_error: ValidationError,
  method_not_allowed: ValidationError,
  not_found: NotFoundError,
  payload_too_large: ValidationError,
  permission_error: PermissionError,
  rate_limit_error: RateLimitError,
  server_error: ServerError,
  service_unavailable: ServerError,
  unsupported_media_type: ValidationError,
  validation_error: ValidationError,
} as const satisfies Record<ErrorType, ResponseErrorClass>;

const byStatus: Readonly<Record<number, ResponseErrorClass>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: ValidationError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/**
 * Creates the error that a response reports: by its `error.type`, otherwise by its HTTP status
 * (docs/contract.md#errors).
 */
export function createResponseError(
  facts: ResponseFacts,
  { hint = '', mask }: { readonly hint?: string; readonly mask: (text: string) => string },
): ServiceError {
  const { type, message } = readDetail(facts.raw);
  const fields = readFieldErrors(facts.raw, mask);
  const Class = findClass(type, facts.status);
  // The service may have carried out the request before it failed, whatever status it returned.
  const outcome = Class === ServerError ? 'unknown' : facts.outcome;
  const text = message === undefined ? `The service responded with status ${facts.status}.` : mask(message);
  const isOtherBody = Class === IdempotencyError && outcome === 'rejected';
  const advice = isOtherBody ? ' A payment may exist under that idempotency key.' : hint;
  return new Class(cleanText(text, 500) + advice, { ...facts, ...(fields && { fields }), type, outcome });
}

/** Returns true if the contract has this `error.type`. */
export function isDocumentedType(type: string | undefined): type is ErrorType {
  return type !== undefined && Object.hasOwn(byType, type);
}

function findClass(type: string | undefined, status: number): ResponseErrorClass {
  if (isDocumentedType(type)) return byType[type];
  return byStatus[status] ?? (status >= 500 ? ServerError : ServiceError);
}

/** Returns the type and message of an error body, with or without the envelope. */
export function readDetail(raw: unknown): {
  readonly type?: string | undefined;
  readonly message?: string | undefined;
} {
  if (!isRecord(raw)) return {};
  const { type, message } = isRecord(raw.error) ? raw.error : raw;
  return { type: toText(type), message: toText(message) };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
