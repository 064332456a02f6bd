import { expectTypeOf, test } from 'vitest';
import {
  type Client,
  readTransactionPage,
  type Transaction,
  type TransactionPage,
  type TransactionQuery,
} from '../src/index.ts';

declare const service: Client<'test'>;

test('promises a page, and walks rows and pages', async () => {
  const list = service.transactions.list({ status: 'failed', type: 'refund', per_page: 100 });
  expectTypeOf(list).resolves.toEqualTypeOf<TransactionPage>();
  for await (const transaction of list) expectTypeOf(transaction).toEqualTypeOf<Transaction>();
  for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<TransactionPage>();
  expectTypeOf((await list.withResponse()).mode).toEqualTypeOf<'test' | undefined>();
});

test('takes filters that are not documented, and refuses unknown names', () => {
  expectTypeOf<keyof TransactionQuery>().toEqualTypeOf<'page' | 'per_page' | 'status' | 'type'>();
  void service.transactions.list({ status: 'on_hold' });
  expectTypeOf<Extract<TransactionQuery['status'], 'failed'>>().toEqualTypeOf<'failed'>();
  expectTypeOf<Extract<TransactionQuery['type'], 'refund'>>().toEqualTypeOf<'refund'>();
  // @ts-expect-error it is per_page
  void service.transactions.list({ perPage: 5 });
  // @ts-expect-error a page is a number
  void service.transactions.list({ page: '2' });
});

test('gives the id of a row as text, or null, and reads a response without a client', () => {
  expectTypeOf<Transaction['id']>().toEqualTypeOf<string | null>();
  const reading = readTransactionPage({ text: '', headers: new Headers(), mode: 'test', page: 1 });
  if ('problem' in reading) return expectTypeOf(reading.problem).toEqualTypeOf<string>();
  return expectTypeOf(reading.rows[0]?.paymentIds).toEqualTypeOf<readonly string[] | undefined>();
});
