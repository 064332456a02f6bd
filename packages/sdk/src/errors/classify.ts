import type { ErrorType } from '@service/contract';
import { isRecord } from '../values/json.ts';
import {
  AuthenticationError,
  IdempotencyError,
  InsufficientFundsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './answer-errors.ts';
import { cleanText } from './clean-text.ts';
import { readFieldErrors } from './field-errors.ts';
import { type ErrorFacts, ServiceError } from './service-error.ts';

/** Holds what is known of an answer that reports a failure. */
export type AnswerFacts = ErrorFacts & { readonly status: number };

type AnswerErrorClass = new (message: string, facts: AnswerFacts) => ServiceError;

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
} as const satisfies Record<ErrorType, AnswerErrorClass>;

const byStatus: Readonly<Record<number, AnswerErrorClass>> = {
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

/** Makes the error that an answer reports: by its `error.type`, else by its HTTP status (spec §7, contract.md 8). */
export function classify(
  facts: AnswerFacts,
  { hint = '', mask }: { readonly hint?: string; readonly mask: (text: string) => string },
): ServiceError {
  const { type, message } = readDetail(facts.raw);
  const fields = readFieldErrors(facts.raw, mask);
  const Class = findClass(type, facts.status);
  // A service that failed may have acted before it did, whatever status it chose.
  const outcome = Class === ServerError ? 'unknown' : facts.outcome;
  const text = message === undefined ? `The service answered with status ${facts.status}.` : mask(message);
  const isOtherBody = Class === IdempotencyError && outcome === 'rejected';
  const advice = isOtherBody ? ' A payment may exist under that key.' : hint;
  return new Class(cleanText(text, 500) + advice, { ...facts, ...(fields && { fields }), type, outcome });
}

/** Whether `error.type` is one of the contract. */
export function isDocumentedType(type: string | undefined): type is ErrorType {
  return type !== undefined && Object.hasOwn(byType, type);
}

function findClass(type: string | undefined, status: number): AnswerErrorClass {
  if (isDocumentedType(type)) return byType[type];
  return byStatus[status] ?? (status >= 500 ? ServerError : ServiceError);
}

/** Reads what an error says of itself, in the envelope of the service or without one. */
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
