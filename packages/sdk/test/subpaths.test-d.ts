import { expectTypeOf, test } from 'vitest';
import { type Balances, createBalances } from '../src/entries/balance.ts';
import { createPayments, type Payments } from '../src/entries/payments.ts';
import { createQuotes, type Quotes } from '../src/entries/quotes.ts';
import { createTransactions, type Transactions } from '../src/entries/transactions.ts';
import type { Client, Payment, TransactionPage } from '../src/index.ts';

const testing = { apiKey: 'service_test_abc' } as const;
const live = { apiKey: async () => 'service_live_abc' } as const;

test('make the parts of a client, typed by the mode of the key', () => {
  expectTypeOf(createQuotes({ apiKey: 'service_test_abc' })).toEqualTypeOf<Client<'test'>['quotes']>();
  expectTypeOf(createPayments({ apiKey: 'service_live_abc' })).toEqualTypeOf<Client<'live'>['payments']>();
  expectTypeOf(createBalances(testing)).toEqualTypeOf<Client<'test'>['balance']>();
  expectTypeOf(createTransactions(live)).toEqualTypeOf<Client['transactions']>();
});

test('leave the mode open for the environment', () => {
  expectTypeOf(createQuotes()).toEqualTypeOf<Quotes>();
  expectTypeOf(createPayments()).toEqualTypeOf<Payments>();
  expectTypeOf(createBalances()).toEqualTypeOf<Balances>();
  expectTypeOf(createTransactions()).toEqualTypeOf<Transactions>();
});

test('take the options of a client, and no others', () => {
  const payments = createPayments({ ...testing, idempotencyKeys: 'omit', maxDecimals: 3, onRetry: () => {} });
  expectTypeOf(payments).toEqualTypeOf<Payments<'test'>>();
  // @ts-expect-error it is baseUrl
  void createQuotes({ ...testing, baseURL: 'https://api.example.test' });
  // @ts-expect-error it is maxRetries
  void createPayments({ ...testing, retries: 0 });
  // @ts-expect-error it is fetch
  void createBalances({ ...testing, Fetch: fetch });
  // @ts-expect-error it is logLevel
  void createTransactions({ ...testing, loglevel: 'info' });
});

test('promise the same', () => {
  expectTypeOf(createPayments(testing).retrieve('pay_test_a')).resolves.toEqualTypeOf<Payment>();
  expectTypeOf(createTransactions(testing).list()).resolves.toEqualTypeOf<TransactionPage>();
  // @ts-expect-error quotes are indicative: there is none to retrieve
  void createQuotes(testing).retrieve('quote_1');
});
