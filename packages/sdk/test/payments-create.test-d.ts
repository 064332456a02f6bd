import { describe, expectTypeOf, it } from 'vitest';
import type { Client, Payment, PaymentInput } from '../src/index.ts';

declare const client: Client;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };

describe('payments.create', () => {
  it('returns a payment', () => {
    expectTypeOf(client.payments.create(input)).resolves.toEqualTypeOf<Payment>();
    expectTypeOf(
      client.payments.create({ ...input, purpose: null, beneficiary_bank: undefined }),
    ).resolves.toEqualTypeOf<Payment>();
  });
});

describe('the status of a payment', () => {
  it('may be undocumented', () => {
    expectTypeOf<'completed'>().toExtend<Payment['status']>();
    expectTypeOf<'under_review'>().toExtend<Payment['status']>();
    expectTypeOf<Payment['beneficiary']['bank']>().toEqualTypeOf<string | null>();
  });
});

describe('PaymentInput', () => {
  it('has exactly the documented fields', () => {
    expectTypeOf<keyof PaymentInput>().toEqualTypeOf<
      | 'from_currency'
      | 'to_currency'
      | 'amount'
      | 'beneficiary_name'
      | 'beneficiary_bank'
      | 'beneficiary_account'
      | 'beneficiary_country'
      | 'purpose'
    >();
  });

  it('rejects misspelled and missing fields', () => {
    expectTypeOf<PaymentInput['beneficiary_name']>().toEqualTypeOf<string>();
    void client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 1,
      // @ts-expect-error the field is beneficiary_name
      beneficary_name: 'A',
    });
    // @ts-expect-error beneficiary_name is required
    void client.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    // @ts-expect-error only optional fields may be null
    void client.payments.create({ ...input, beneficiary_name: null });
  });
});
