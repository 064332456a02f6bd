import { expectTypeOf, test } from 'vitest';
import type { Client, Quote, QuoteInput } from '../src/index.ts';

declare const service: Client<'test'>;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

test('promises a quote', () => {
  expectTypeOf(service.quotes.create(input)).resolves.toEqualTypeOf<Quote>();
  expectTypeOf(service.quotes.create({ ...input, amount: 1000 })).resolves.toEqualTypeOf<Quote>();
});

test('tells the mode with the response', async () => {
  const answered = await service.quotes.create(input).withResponse();
  expectTypeOf(answered.data).toEqualTypeOf<Quote>();
  expectTypeOf(answered.mode).toEqualTypeOf<'test' | undefined>();
  expectTypeOf(answered.response).toEqualTypeOf<Response>();
  expectTypeOf(answered.attempts).toEqualTypeOf<number>();
});

test('refuses misspelt and missing fields', () => {
  expectTypeOf<keyof QuoteInput>().toEqualTypeOf<'from_currency' | 'to_currency' | 'amount'>();
  // @ts-expect-error it is from_currency
  void service.quotes.create({ from: 'USD', to_currency: 'EUR', amount: 1 });
  // @ts-expect-error an amount is needed
  void service.quotes.create({ from_currency: 'USD', to_currency: 'EUR' });
  // @ts-expect-error money is a number or a decimal string
  void service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1n });
  // @ts-expect-error it is idempotencyKey
  void service.quotes.create(input, { idempotency_key: 'a' });
});
