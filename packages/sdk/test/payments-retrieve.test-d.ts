import { expectTypeOf, test } from 'vitest';
import type { Client, Payment } from '../src/index.ts';

declare const service: Client;

test('takes an id and promises a payment', () => {
  expectTypeOf(service.payments.retrieve('pay_test_a')).resolves.toEqualTypeOf<Payment>();
  // @ts-expect-error an id is needed
  void service.payments.retrieve();
  // @ts-expect-error an id is text
  void service.payments.retrieve(5);
});
