import { describe, expectTypeOf, it } from 'vitest';
import { type Balances, createBalances } from '../src/entries/balance.ts';
import { createPayments, type Payments } from '../src/entries/payments.ts';
import { createQuotes, type Quotes } from '../src/entries/quotes.ts';
import { createTransactions, type Transactions } from '../src/entries/transactions.ts';
import type { Client, Payment, TransactionPage } from '../src/index.ts';

const testing = { apiKey: 'service_test_abc' } as const;
const live = { apiKey: async () => 'service_live_abc' } as const;

describe('the entry points', () => {
  it('create the parts of a client, typed by the mode of the API key', () => {
    expectTypeOf(createQuotes({ apiKey: 'service_test_abc' })).toEqualTypeOf<Client<'test'>['quotes']>();
    expectTypeOf(createPayments({ apiKey: 'service_live_abc' })).toEqualTypeOf<Client<'live'>['payments']>();
    expectTypeOf(createBalances(testing)).toEqualTypeOf<Client<'test'>['balance']>();
    expectTypeOf(createTransactions(live)).toEqualTypeOf<Client['transactions']>();
  });

  it('leave the mode open for the environment', () => {
    expectTypeOf(createQuotes()).toEqualTypeOf<Quotes>();
    expectTypeOf(createPayments()).toEqualTypeOf<Payments>();
    expectTypeOf(createBalances()).toEqualTypeOf<Balances>();
    expectTypeOf(createTransactions()).toEqualTypeOf<Transactions>();
  });

  it('accept only the options of a client', () => {
    const payments = createPayments({
      ...testing,
      idempotencyKeys: 'omit',
      maxDecimals: 3,
      onRetry: () => {},
    });
    expectTypeOf(payments).toEqualTypeOf<Payments<'test'>>();
    // @ts-expect-error the option is baseUrl
    void createQuotes({ ...testing, baseURL: 'https://api.example.test' });
    // @ts-expect-error the option is maxRetries
    void createPayments({ ...testing, retries: 0 });
    // @ts-expect-error the option is fetch
    void createBalances({ ...testing, Fetch: fetch });
    // @ts-expect-error the option is logLevel
    void createTransactions({ ...testing, loglevel: 'info' });
  });

  it('have the methods of the client', () => {
    expectTypeOf(createPayments(testing).retrieve('pay_test_a')).resolves.toEqualTypeOf<Payment>();
    expectTypeOf(createTransactions(testing).list()).resolves.toEqualTypeOf<TransactionPage>();
    // @ts-expect-error quotes are not stored and cannot be retrieved
    void createQuotes(testing).retrieve('quote_1');
  });
});
