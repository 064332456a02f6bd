import { describe, expectTypeOf, it } from 'vitest';
import * as sdk from '../src/index.ts';

declare const error: unknown;

describe('instanceof an error class', () => {
  it('narrows an unknown value', () => {
    expectTypeOf(error).toBeUnknown();
    if (error instanceof sdk.ServiceError) expectTypeOf(error).toEqualTypeOf<sdk.ServiceError>();
    if (error instanceof sdk.AbortError) expectTypeOf(error).toEqualTypeOf<sdk.AbortError>();
    if (error instanceof sdk.AuthenticationError)
      expectTypeOf(error).toEqualTypeOf<sdk.AuthenticationError>();
    if (error instanceof sdk.ConfigurationError) expectTypeOf(error).toEqualTypeOf<sdk.ConfigurationError>();
    if (error instanceof sdk.ConnectionError) expectTypeOf(error).toEqualTypeOf<sdk.ConnectionError>();
    if (error instanceof sdk.IdempotencyError) expectTypeOf(error).toEqualTypeOf<sdk.IdempotencyError>();
    if (error instanceof sdk.InsufficientFundsError)
      expectTypeOf(error).toEqualTypeOf<sdk.InsufficientFundsError>();
    if (error instanceof sdk.ModeMismatchError) expectTypeOf(error).toEqualTypeOf<sdk.ModeMismatchError>();
    if (error instanceof sdk.NotFoundError) expectTypeOf(error).toEqualTypeOf<sdk.NotFoundError>();
    if (error instanceof sdk.PaymentOutcomeUnknownError)
      expectTypeOf(error).toEqualTypeOf<sdk.PaymentOutcomeUnknownError>();
    if (error instanceof sdk.PermissionError) expectTypeOf(error).toEqualTypeOf<sdk.PermissionError>();
    if (error instanceof sdk.RateLimitError) expectTypeOf(error).toEqualTypeOf<sdk.RateLimitError>();
    if (error instanceof sdk.ServerError) expectTypeOf(error).toEqualTypeOf<sdk.ServerError>();
    if (error instanceof sdk.TimeoutError) expectTypeOf(error).toEqualTypeOf<sdk.TimeoutError>();
    if (error instanceof sdk.UnreadableResponseError)
      expectTypeOf(error).toEqualTypeOf<sdk.UnreadableResponseError>();
    if (error instanceof sdk.ValidationError) expectTypeOf(error).toEqualTypeOf<sdk.ValidationError>();
    if (error instanceof sdk.WaitTimeoutError) expectTypeOf(error).toEqualTypeOf<sdk.WaitTimeoutError>();
  });

  it('is equal to a switch over literal names', () => {
    expectTypeOf<(sdk.AbortError | sdk.NotFoundError | sdk.RateLimitError)['name']>().toEqualTypeOf<
      'AbortError' | 'NotFoundError' | 'RateLimitError'
    >();
    expectTypeOf<sdk.NotFoundError>().not.toExtend<sdk.RateLimitError>();
  });

  it('keeps an unknown value unknown if it is false', (value: unknown) => {
    if (value instanceof sdk.NotFoundError) return;
    expectTypeOf(value).toBeUnknown();
    // @ts-expect-error the value is still unknown
    void value.status;
  });

  it('gives access to the fields of each error', () => {
    if (!(error instanceof sdk.ServiceError)) return;
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
    if (!(error instanceof sdk.IdempotencyError)) return;
    expectTypeOf(error.reference).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.sentAt).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.paymentId).toEqualTypeOf<string | undefined>();
  });
});

describe('PaymentOutcomeUnknownError', () => {
  it('has the fields by which its payment can be found', () => {
    if (!(error instanceof sdk.PaymentOutcomeUnknownError)) return;
    expectTypeOf(error).toExtend<sdk.PaymentTrace>();
    expectTypeOf(error.sentAt).toEqualTypeOf<string>();
    expectTypeOf(error.failedAt).toEqualTypeOf<string>();
    expectTypeOf(error.amount).toEqualTypeOf<string>();
    expectTypeOf(error.purpose).toEqualTypeOf<string | null>();
    expectTypeOf(error.reference).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.idempotencyKey).toEqualTypeOf<string | undefined>();
    expectTypeOf(error.getBeneficiary()).toEqualTypeOf<sdk.PaymentTrace['beneficiary']>();
  });
});
