import { describe, expectTypeOf, it } from 'vitest';
import * as sdk from '../src/index.ts';

declare const error: unknown;

describe('isServiceError', () => {
  it('narrows an unknown error', () => {
    if (!sdk.isServiceError(error)) return;
    expectTypeOf(error.outcome).toEqualTypeOf<'not_sent' | 'rejected' | 'unknown' | undefined>();
    expectTypeOf(error.type).toEqualTypeOf<string | undefined>();
    if (sdk.isRateLimitError(error)) expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
    if (sdk.isServerError(error)) expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
    if (sdk.isPaymentOutcomeUnknownError(error)) {
      expectTypeOf(error.phase).toEqualTypeOf<
        'waiting' | 'reading' | 'responded' | 'recorded' | 'searched'
      >();
      expectTypeOf(error.paymentId).toEqualTypeOf<string | undefined>();
    }
  });
});

describe('the error classes', () => {
  it('have literal names', () => {
    expectTypeOf<sdk.NotFoundError['name']>().toEqualTypeOf<'NotFoundError'>();
    expectTypeOf<sdk.PaymentOutcomeUnknownError['name']>().toEqualTypeOf<'PaymentOutcomeUnknownError'>();
  });
});
