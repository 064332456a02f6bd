import { expectTypeOf, test } from 'vitest';
import * as sdk from '../src/index.ts';

declare const error: unknown;

test('narrows an unknown error', () => {
  if (!sdk.isServiceError(error)) return;
  expectTypeOf(error.outcome).toEqualTypeOf<'not_sent' | 'rejected' | 'unknown' | undefined>();
  expectTypeOf(error.type).toEqualTypeOf<string | undefined>();
  if (sdk.isRateLimitError(error)) expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
  if (sdk.isServerError(error)) expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>();
  if (sdk.isPaymentOutcomeUnknownError(error)) {
    expectTypeOf(error.phase).toEqualTypeOf<'waiting' | 'reading' | 'answered' | 'recorded'>();
    expectTypeOf(error.salvagedId).toEqualTypeOf<string | undefined>();
  }
});

test('has literal names', () => {
  expectTypeOf<sdk.NotFoundError['name']>().toEqualTypeOf<'NotFoundError'>();
  expectTypeOf<sdk.PaymentOutcomeUnknownError['name']>().toEqualTypeOf<'PaymentOutcomeUnknownError'>();
});
