import type {
  AuthenticationError,
  IdempotencyError,
  InsufficientFundsError,
  ModeMismatchError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnreadableResponseError,
  ValidationError,
} from './answer-errors.ts';
import type {
  AbortError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  WaitTimeoutError,
} from './local-errors.ts';
import type { PaymentOutcomeUnknownError } from './payment-outcome-unknown.ts';
import { isServiceError, type ServiceError } from './service-error.ts';

/** Tells whether a value is one kind of error, by its brand and name: safe across realms and copies of this package. */
export type ErrorGuard<E extends ServiceError> = (error: unknown) => error is E;

const guardFor =
  <E extends ServiceError>(name: E['name']): ErrorGuard<E> =>
  (error): error is E =>
    isServiceError(error) && error.name === name;

/** Tells whether a value is an {@link AuthenticationError}. */
export const isAuthenticationError: ErrorGuard<AuthenticationError> =
  /* @__PURE__ */ guardFor('AuthenticationError');
/** Tells whether a value is a {@link PermissionError}. */
export const isPermissionError: ErrorGuard<PermissionError> = /* @__PURE__ */ guardFor('PermissionError');
/** Tells whether a value is a {@link NotFoundError}. */
export const isNotFoundError: ErrorGuard<NotFoundError> = /* @__PURE__ */ guardFor('NotFoundError');
/** Tells whether a value is a {@link ValidationError}. */
export const isValidationError: ErrorGuard<ValidationError> = /* @__PURE__ */ guardFor('ValidationError');
/** Tells whether a value is an {@link InsufficientFundsError}. */
export const isInsufficientFundsError: ErrorGuard<InsufficientFundsError> =
  /* @__PURE__ */ guardFor('InsufficientFundsError');
/** Tells whether a value is an {@link IdempotencyError}. */
export const isIdempotencyError: ErrorGuard<IdempotencyError> = /* @__PURE__ */ guardFor('IdempotencyError');
/** Tells whether a value is a {@link RateLimitError}. */
export const isRateLimitError: ErrorGuard<RateLimitError> = /* @__PURE__ */ guardFor('RateLimitError');
/** Tells whether a value is a {@link ServerError}. */
export const isServerError: ErrorGuard<ServerError> = /* @__PURE__ */ guardFor('ServerError');
/** Tells whether a value is a {@link ConnectionError}. */
export const isConnectionError: ErrorGuard<ConnectionError> = /* @__PURE__ */ guardFor('ConnectionError');
/** Tells whether a value is a {@link TimeoutError}. */
export const isTimeoutError: ErrorGuard<TimeoutError> = /* @__PURE__ */ guardFor('TimeoutError');
/** Tells whether a value is an {@link AbortError}. */
export const isAbortError: ErrorGuard<AbortError> = /* @__PURE__ */ guardFor('AbortError');
/** Tells whether a value is an {@link UnreadableResponseError}. */
export const isUnreadableResponseError: ErrorGuard<UnreadableResponseError> =
  /* @__PURE__ */ guardFor('UnreadableResponseError');
/** Tells whether a value is a {@link ModeMismatchError}. */
export const isModeMismatchError: ErrorGuard<ModeMismatchError> =
  /* @__PURE__ */ guardFor('ModeMismatchError');
/** Tells whether a value is a {@link PaymentOutcomeUnknownError}: the payment may exist. */
export const isPaymentOutcomeUnknownError: ErrorGuard<PaymentOutcomeUnknownError> = /* @__PURE__ */ guardFor(
  'PaymentOutcomeUnknownError',
);
/** Tells whether a value is a {@link WaitTimeoutError}. */
export const isWaitTimeoutError: ErrorGuard<WaitTimeoutError> = /* @__PURE__ */ guardFor('WaitTimeoutError');
/** Tells whether a value is a {@link ConfigurationError}. */
export const isConfigurationError: ErrorGuard<ConfigurationError> =
  /* @__PURE__ */ guardFor('ConfigurationError');
