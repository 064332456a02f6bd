import { describe, expectTypeOf, it } from 'vitest';
import * as sdk from '../src/index.ts';

declare const error: unknown;

describe('the error guards', () => {
  it('narrow an unknown value to their error class', () => {
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

  it('allow a switch over literal names', () => {
    expectTypeOf<(sdk.AbortError | sdk.NotFoundError | sdk.RateLimitError)['name']>().toEqualTypeOf<
      'AbortError' | 'NotFoundError' | 'RateLimitError'
    >();
    expectTypeOf<sdk.NotFoundError>().not.toExtend<sdk.RateLimitError>();
  });

  it('keep an unknown value unknown if they return false', (value: unknown) => {
    if (sdk.isNotFoundError(value)) return;
    expectTypeOf(value).toBeUnknown();
    // @ts-expect-error the value is still unknown
    void value.status;
  });

  it('give access to the fields of each error', () => {
    if (!sdk.isServiceError(error)) return;
    expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
    expectTypeOf(error.mode).toEqualTypeOf<sdk.Mode | undefined>();
    expectTypeOf(error.requestId).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.attempts).toEqualTypeOf<number>();
    expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
    expectTypeOf(error.raw).toBeUnknown();
    expectTypeOf(error.cause).toBeUnknown();
    // @ts-expect-error only WaitTimeoutError has a last payment
    void error.last;
    // @ts-expect-error only PaymentOutcomeUnknownError has a phase
    void error.phase;
  });
});

describe('IdempotencyError', () => {
  it('identifies the earlier create of its reference or key', () => {
    if (!sdk.isIdempotencyError(error)) return;
    expectTypeOf(error.reference).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.sentAt).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.paymentId).toEqualTypeOf<string | undefined>();
  });
});

describe('PaymentOutcomeUnknownError', () => {
  it('has the fields by which its payment can be found', () => {
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
});
