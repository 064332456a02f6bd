import { expectTypeOf, test } from 'vitest';
import * as sdk from '../src/index.ts';

test('narrow what is not known to their own error each', () => {
  expectTypeOf(sdk.isServiceError).guards.toEqualTypeOf<sdk.ServiceError>();
  expectTypeOf(sdk.isAbortError).guards.toEqualTypeOf<sdk.AbortError>();
  expectTypeOf(sdk.isAuthenticationError).guards.toEqualTypeOf<sdk.AuthenticationError>();
  expectTypeOf(sdk.isConfigurationError).guards.toEqualTypeOf<sdk.ConfigurationError>();
  expectTypeOf(sdk.isConnectionError).guards.toEqualTypeOf<sdk.ConnectionError>();
  expectTypeOf(sdk.isIdempotencyError).guards.toEqualTypeOf<sdk.IdempotencyError>();
  expectTypeOf(sdk.isInsufficientFundsError).guards.toEqualTypeOf<sdk.InsufficientFundsError>();
  expectTypeOf(sdk.isModeMismatchError).guards.toEqualTypeOf<sdk.ModeMismatchError>();
  expectTypeOf(sdk.isNotFoundError).guards.toEqualTypeOf<sdk.NotFoundError>();
  expectTypeOf(sdk.isPaymentOutcomeUnknownError).guards.toEqualTypeOf<sdk.PaymentOutcomeUnknownError>();
  expectTypeOf(sdk.isPermissionError).guards.toEqualTypeOf<sdk.PermissionError>();
  expectTypeOf(sdk.isRateLimitError).guards.toEqualTypeOf<sdk.RateLimitError>();
  expectTypeOf(sdk.isServerError).guards.toEqualTypeOf<sdk.ServerError>();
  expectTypeOf(sdk.isTimeoutError).guards.toEqualTypeOf<sdk.TimeoutError>();
  expectTypeOf(sdk.isUnreadableResponseError).guards.toEqualTypeOf<sdk.UnreadableResponseError>();
  expectTypeOf(sdk.isValidationError).guards.toEqualTypeOf<sdk.ValidationError>();
  expectTypeOf(sdk.isWaitTimeoutError).guards.toEqualTypeOf<sdk.WaitTimeoutError>();
});

test('tell errors apart by their literal names', () => {
  expectTypeOf<
    (
      | sdk.AbortError
      | sdk.AuthenticationError
      | sdk.ConfigurationError
      | sdk.ConnectionError
      | sdk.IdempotencyError
      | sdk.InsufficientFundsError
      | sdk.ModeMismatchError
      | sdk.NotFoundError
      | sdk.PaymentOutcomeUnknownError
      | sdk.PermissionError
      | sdk.RateLimitError
      | sdk.ServerError
      | sdk.TimeoutError
      | sdk.UnreadableResponseError
      | sdk.ValidationError
      | sdk.WaitTimeoutError
    )['name']
  >().toEqualTypeOf<
    | 'AbortError'
    | 'AuthenticationError'
    | 'ConfigurationError'
    | 'ConnectionError'
    | 'IdempotencyError'
    | 'InsufficientFundsError'
    | 'ModeMismatchError'
    | 'NotFoundError'
    | 'PaymentOutcomeUnknownError'
    | 'PermissionError'
    | 'RateLimitError'
    | 'ServerError'
    | 'TimeoutError'
    | 'UnreadableResponseError'
    | 'ValidationError'
    | 'WaitTimeoutError'
  >();
  expectTypeOf<sdk.NotFoundError>().not.toExtend<sdk.RateLimitError>();
});

test('leave what is not known unknown where they say no', (error: unknown) => {
  if (sdk.isNotFoundError(error)) return;
  expectTypeOf(error).toBeUnknown();
  // @ts-expect-error nothing is known of it
  void error.status;
});

declare const error: unknown;

test('show what each error knows', () => {
  if (!sdk.isServiceError(error)) return;
  expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
  expectTypeOf(error.mode).toEqualTypeOf<sdk.Mode | undefined>();
  expectTypeOf(error.requestId).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.attempts).toEqualTypeOf<number>();
  expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
  expectTypeOf(error.raw).toBeUnknown();
  expectTypeOf(error.cause).toBeUnknown();
  // @ts-expect-error only a wait has a last payment
  void error.last;
  // @ts-expect-error only a create in doubt has a phase
  void error.phase;
});

test('show which create a reference or key belongs to', () => {
  if (!sdk.isIdempotencyError(error)) return;
  expectTypeOf(error.reference).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.sentAt).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.paymentId).toEqualTypeOf<string | undefined>();
});

test('show by which fields the payment of an unknown create can be found', () => {
  if (!sdk.isPaymentOutcomeUnknownError(error)) return;
  expectTypeOf(error).toExtend<sdk.PaymentTrace>();
  expectTypeOf(error.sentAt).toEqualTypeOf<string>();
  expectTypeOf(error.failedAt).toEqualTypeOf<string>();
  expectTypeOf(error.amount).toEqualTypeOf<string>();
  expectTypeOf(error.purpose).toEqualTypeOf<string | null>();
  expectTypeOf(error.reference).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.idempotencyKey).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.getBeneficiary()).toEqualTypeOf<sdk.SentBeneficiary | undefined>();
});
