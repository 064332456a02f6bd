import { describe, expectTypeOf, it } from 'vitest';
import {
  type Client,
  type Mode,
  type Transaction,
  type TransactionPage,
  type TransactionQuery,
} from '../src/index.ts';
import { readTransactionPage } from '../src/entries/transactions.ts';
import type { Pagination } from '@service/contract';

declare const client: Client;

describe('transactions.list', () => {
  it('returns a page, and iterates over rows and pages', async () => {
    const list = client.transactions.list({ status: 'failed', type: 'refund', per_page: 100 });
    expectTypeOf(list).resolves.toEqualTypeOf<TransactionPage>();
    for await (const transaction of list) expectTypeOf(transaction).toEqualTypeOf<Transaction>();
    for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<TransactionPage>();
    expectTypeOf((await list.withResponse()).mode).toEqualTypeOf<Mode | undefined>();
  });

  it('has the pagination of the contract', () => {
    expectTypeOf<keyof TransactionPage['pagination']>().toEqualTypeOf<keyof Pagination>();
  });

  it('accepts undocumented filter values, and rejects unknown names', () => {
    expectTypeOf<keyof TransactionQuery>().toEqualTypeOf<'page' | 'per_page' | 'status' | 'type'>();
    void client.transactions.list({ status: 'on_hold' });
    expectTypeOf<Extract<TransactionQuery['status'], 'failed'>>().toEqualTypeOf<'failed'>();
    expectTypeOf<Extract<TransactionQuery['type'], 'refund'>>().toEqualTypeOf<'refund'>();
    // @ts-expect-error the field is per_page
    void client.transactions.list({ perPage: 5 });
    // @ts-expect-error a page is a number
    void client.transactions.list({ page: '2' });
  });
});

describe('readTransactionPage', () => {
  it('returns ids as strings or null, without a client', () => {
    expectTypeOf<Transaction['id']>().toEqualTypeOf<string | null>();
    const reading = readTransactionPage({ text: '', headers: new Headers(), mode: 'test', page: 1 });
    if ('problem' in reading) return expectTypeOf(reading.problem).toEqualTypeOf<string>();
    return expectTypeOf(reading.transactions).toEqualTypeOf<Transaction[]>();
  });
});
