import { expectTypeOf, test } from 'vitest';
import { type Client, isWaitTimeoutError, type Payment, type WaitOptions } from '../src/index.ts';

declare const service: Client;
declare const error: unknown;

test('promises the payment', () => {
  expectTypeOf(service.payments.waitFor('pay_test_a')).toEqualTypeOf<Promise<Payment>>();
  void service.payments.waitFor('pay_test_a', {
    until: 'processing',
    onStatus: (payment) => expectTypeOf(payment).toEqualTypeOf<Payment>(),
  });
});

test('tells the last payment where time ran out', () => {
  if (!isWaitTimeoutError(error)) return;
  expectTypeOf(error.last).toEqualTypeOf<Payment | undefined>();
});

test('waits for documented statuses alone', () => {
  expectTypeOf<WaitOptions['until']>().toEqualTypeOf<
    'final' | 'pending' | 'processing' | 'completed' | 'failed' | undefined
  >();
  // @ts-expect-error it is processing
  void service.payments.waitFor('pay_test_a', { until: 'procesing' });
});

test('refuses unknown options', () => {
  expectTypeOf<keyof WaitOptions>().toEqualTypeOf<
    'until' | 'timeout' | 'signal' | 'onStatus' | 'pollInterval' | 'readLag'
  >();
  // @ts-expect-error it is pollInterval
  void service.payments.waitFor('pay_test_a', { interval: 5 });
});
