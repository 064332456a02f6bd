import { describe, expectTypeOf, it } from 'vitest';
import {
  type AmountInput,
  rawAmount,
  type Payment,
  type Quote,
  type Transaction,
  type Wallet,
} from '../src/index.ts';

declare const payment: Payment;
type MoneyField<T extends object> = Parameters<typeof rawAmount<T>>[1];

describe('rawAmount', () => {
  it('returns a string, null or undefined', () => {
    expectTypeOf(rawAmount(payment, 'send_amount')).toEqualTypeOf<string | null | undefined>();
  });

  it('accepts the money fields of each record', () => {
    expectTypeOf<MoneyField<Payment>>().toEqualTypeOf<'send_amount' | 'rate' | 'receive_amount'>();
    expectTypeOf<MoneyField<Quote>>().toEqualTypeOf<'send_amount' | 'fee' | 'rate' | 'receive_amount'>();
    expectTypeOf<MoneyField<Wallet>>().toEqualTypeOf<'balance'>();
    expectTypeOf<MoneyField<Transaction>>().toEqualTypeOf<'amount' | 'fee' | 'balance_after'>();
  });

  it('rejects other fields', () => {
    expectTypeOf<MoneyField<{ status: string; note: string | null }>>().toBeNever();
    // @ts-expect-error status is not a money field
    rawAmount(payment, 'status');
    // @ts-expect-error the field is send_amount
    rawAmount(payment, 'sendAmount');
    // @ts-expect-error a string has no money fields
    rawAmount('100.00', 'length');
  });
});

describe('AmountInput', () => {
  it('is a number or a string', () => {
    expectTypeOf<AmountInput>().toEqualTypeOf<number | string>();
  });
});
