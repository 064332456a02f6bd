import { describe, expectTypeOf, it } from 'vitest';
import type { Client, Mode, Quote, QuoteInput } from '../src/index.ts';

declare const client: Client;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

describe('quotes.create', () => {
  it('returns a quote', () => {
    expectTypeOf(client.quotes.create(input)).resolves.toEqualTypeOf<Quote>();
    expectTypeOf(client.quotes.create({ ...input, amount: 1000 })).resolves.toEqualTypeOf<Quote>();
  });

  it('returns the mode with the response', async () => {
    const result = await client.quotes.create(input).withResponse();
    expectTypeOf(result.data).toEqualTypeOf<Quote>();
    expectTypeOf(result.mode).toEqualTypeOf<Mode | undefined>();
    expectTypeOf(result.response).toEqualTypeOf<Response>();
    expectTypeOf(result.attempts).toEqualTypeOf<number>();
  });
});

describe('QuoteInput', () => {
  it('rejects misspelled and missing fields', () => {
    expectTypeOf<keyof QuoteInput>().toEqualTypeOf<'from_currency' | 'to_currency' | 'amount'>();
    // @ts-expect-error the field is from_currency
    void client.quotes.create({ from: 'USD', to_currency: 'EUR', amount: 1 });
    // @ts-expect-error amount is required
    void client.quotes.create({ from_currency: 'USD', to_currency: 'EUR' });
    // @ts-expect-error an amount is a number or a decimal string
    void client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1n });
    // @ts-expect-error the option is idempotencyKey
    void client.quotes.create(input, { idempotency_key: 'a' });
  });
});
