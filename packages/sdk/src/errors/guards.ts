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
  AbortError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  WaitTimeoutError,
} from './error-classes.ts';
import type { PaymentOutcomeUnknownError } from './payment-outcome-unknown.ts';
import { isServiceError, type ServiceError } from './service-error.ts';

/**
 * A type guard for one error class. It checks a brand and the name, so unlike `instanceof` it also works for
 * errors of another realm or another copy of this package.
 */
export type ErrorGuard<E extends ServiceError> = (error: unknown) => error is E;

const guardFor =
  <E extends ServiceError>(name: E['name']): ErrorGuard<E> =>
  (error): error is E =>
    isServiceError(error) && error.name === name;

/** Returns true for an {@link AuthenticationError}: a missing, malformed, unknown or revoked API key. */
export const isAuthenticationError: ErrorGuard<AuthenticationError> =
  /* @__PURE__ */ guardFor('AuthenticationError');
/** Returns true for a {@link PermissionError}: an API key without permission for the operation. */
export const isPermissionError: ErrorGuard<PermissionError> = /* @__PURE__ */ guardFor('PermissionError');
/**
 * Returns true for a {@link NotFoundError}: a payment or path that does not exist for the account and mode.
 */
export const isNotFoundError: ErrorGuard<NotFoundError> = /* @__PURE__ */ guardFor('NotFoundError');
/** Returns true for a {@link ValidationError}: an invalid request, found by the client or the service. */
export const isValidationError: ErrorGuard<ValidationError> = /* @__PURE__ */ guardFor('ValidationError');
/** Returns true for an {@link InsufficientFundsError}: a wallet balance that is too low. */
export const isInsufficientFundsError: ErrorGuard<InsufficientFundsError> =
  /* @__PURE__ */ guardFor('InsufficientFundsError');
/** Returns true for an {@link IdempotencyError}: a reference or idempotency key that was used before. */
export const isIdempotencyError: ErrorGuard<IdempotencyError> = /* @__PURE__ */ guardFor('IdempotencyError');
/** Returns true for a {@link RateLimitError}: too many requests. */
export const isRateLimitError: ErrorGuard<RateLimitError> = /* @__PURE__ */ guardFor('RateLimitError');
/** Returns true for a {@link ServerError}: a failure of the service. */
export const isServerError: ErrorGuard<ServerError> = /* @__PURE__ */ guardFor('ServerError');
/** Returns true for a {@link ConnectionError}: a request without a complete response. */
export const isConnectionError: ErrorGuard<ConnectionError> = /* @__PURE__ */ guardFor('ConnectionError');
/** Returns true for a {@link TimeoutError}: a response that did not arrive in time. */
export const isTimeoutError: ErrorGuard<TimeoutError> = /* @__PURE__ */ guardFor('TimeoutError');
/** Returns true for an {@link AbortError}: a call that its `signal` aborted. */
export const isAbortError: ErrorGuard<AbortError> = /* @__PURE__ */ guardFor('AbortError');
/**
 * Returns true for an {@link UnreadableResponseError}: a response that does not match the documented ones.
 */
export const isUnreadableResponseError: ErrorGuard<UnreadableResponseError> =
  /* @__PURE__ */ guardFor('UnreadableResponseError');
/** Returns true for a {@link ModeMismatchError}: a response in the other mode than the API key. */
export const isModeMismatchError: ErrorGuard<ModeMismatchError> =
  /* @__PURE__ */ guardFor('ModeMismatchError');
/**
 * Returns true for a {@link PaymentOutcomeUnknownError}: a create with an unknown outcome, whose payment
 * **may exist**.
 */
export const isPaymentOutcomeUnknownError: ErrorGuard<PaymentOutcomeUnknownError> = /* @__PURE__ */ guardFor(
  'PaymentOutcomeUnknownError',
);
/** Returns true for a {@link WaitTimeoutError}: a payment that did not reach the requested status in time. */
export const isWaitTimeoutError: ErrorGuard<WaitTimeoutError> = /* @__PURE__ */ guardFor('WaitTimeoutError');
/** Returns true for a {@link ConfigurationError}: an invalid option or API key, or a hook that threw. */
export const isConfigurationError: ErrorGuard<ConfigurationError> =
  /* @__PURE__ */ guardFor('ConfigurationError');
