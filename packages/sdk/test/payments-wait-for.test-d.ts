import { describe, expectTypeOf, it } from 'vitest';
import { type Client, WaitTimeoutError, type Payment, type WaitOptions } from '../src/index.ts';

declare const client: Client;
declare const error: unknown;

describe('WaitTimeoutError', () => {
  it('has the last payment', () => {
    if (!(error instanceof WaitTimeoutError)) return;
    expectTypeOf(error.last).toEqualTypeOf<Payment | undefined>();
  });
});

describe('payments.waitFor', () => {
  it('returns the payment', () => {
    expectTypeOf(client.payments.waitFor('pay_test_a')).toEqualTypeOf<Promise<Payment>>();
    void client.payments.waitFor('pay_test_a', {
      until: 'processing',
      onStatus: (payment) => expectTypeOf(payment).toEqualTypeOf<Payment>(),
    });
  });

  it('accepts only documented statuses', () => {
    expectTypeOf<WaitOptions['until']>().toEqualTypeOf<
      'final' | 'pending' | 'processing' | 'completed' | 'failed' | undefined
    >();
    // @ts-expect-error the status is processing
    void client.payments.waitFor('pay_test_a', { until: 'procesing' });
  });

  it('rejects unknown options', () => {
    expectTypeOf<keyof WaitOptions>().toEqualTypeOf<
      'until' | 'timeout' | 'signal' | 'onStatus' | 'pollInterval' | 'readLag'
    >();
    // @ts-expect-error the option is pollInterval
    void client.payments.waitFor('pay_test_a', { interval: 5 });
  });
});
