import { describe, expectTypeOf, it } from 'vitest';
import type { Client, Payment } from '../src/index.ts';

declare const client: Client;

describe('payments.retrieve', () => {
  it('takes an id and returns a payment', () => {
    expectTypeOf(client.payments.retrieve('pay_test_a')).resolves.toEqualTypeOf<Payment>();
    // @ts-expect-error the id is required
    void client.payments.retrieve();
    // @ts-expect-error the id is a string
    void client.payments.retrieve(5);
  });
});
