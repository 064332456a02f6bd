import { expectTypeOf, test } from 'vitest';
import {
  type AmountInput,
  exact,
  type MoneyField,
  type Payment,
  type Quote,
  type Transaction,
  type Wallet,
} from '../src/index.ts';

declare const payment: Payment;

test('gives text, null, or nothing for a copy', () => {
  expectTypeOf(exact(payment, 'send_amount')).toEqualTypeOf<string | null | undefined>();
});

test('knows the money of each record', () => {
  expectTypeOf<MoneyField<Payment>>().toEqualTypeOf<'send_amount' | 'rate' | 'receive_amount'>();
  expectTypeOf<MoneyField<Quote>>().toEqualTypeOf<'send_amount' | 'fee' | 'rate' | 'receive_amount'>();
  expectTypeOf<MoneyField<Wallet>>().toEqualTypeOf<'balance'>();
  expectTypeOf<MoneyField<Transaction>>().toEqualTypeOf<'amount' | 'fee' | 'balance_after'>();
});

test('refuses fields that hold no money', () => {
  expectTypeOf<MoneyField<{ status: string; note: string | null }>>().toBeNever();
  // @ts-expect-error a status is none
  exact(payment, 'status');
  // @ts-expect-error it is send_amount
  exact(payment, 'sendAmount');
  // @ts-expect-error a text has no fields of money
  exact('100.00', 'length');
});

test('takes amounts as numbers or decimal text', () => {
  expectTypeOf<AmountInput>().toEqualTypeOf<number | string>();
});
