import { describe, expectTypeOf, it } from 'vitest';
import * as sdk from '../src/index.ts';

declare const error: unknown;

describe('ServiceError', () => {
  it('narrows an unknown error', () => {
    if (!(error instanceof sdk.ServiceError)) return;
    expectTypeOf(error.outcome).toEqualTypeOf<'not_sent' | 'rejected' | 'unknown' | undefined>();
    expectTypeOf(error.type).toEqualTypeOf<string | undefined>();
    if (error instanceof sdk.RateLimitError)
      expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
    if (error instanceof sdk.ServerError) expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
    if (error instanceof sdk.PaymentOutcomeUnknownError) {
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
