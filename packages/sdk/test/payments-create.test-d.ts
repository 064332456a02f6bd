import { expectTypeOf, test } from 'vitest';
import type { Client, Payment, PaymentInput } from '../src/index.ts';

declare const service: Client<'live'>;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };

test('promises a payment', () => {
  expectTypeOf(service.payments.create(input)).resolves.toEqualTypeOf<Payment>();
  expectTypeOf(
    service.payments.create({ ...input, purpose: null, beneficiary_bank: undefined }),
  ).resolves.toEqualTypeOf<Payment>();
});

test('leaves the status open for values that come later', () => {
  expectTypeOf<'completed'>().toExtend<Payment['status']>();
  expectTypeOf<'under_review'>().toExtend<Payment['status']>();
  expectTypeOf<Payment['beneficiary']['bank']>().toEqualTypeOf<string | null>();
});

test('knows exactly the documented fields', () => {
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

test('refuses misspelt and missing fields', () => {
  expectTypeOf<PaymentInput['beneficiary_name']>().toEqualTypeOf<string>();
  // @ts-expect-error it is beneficiary_name
  void service.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficary_name: 'A' });
  // @ts-expect-error who is paid is needed
  void service.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
  // @ts-expect-error null is for optional fields
  void service.payments.create({ ...input, beneficiary_name: null });
});
