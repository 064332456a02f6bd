import { describe, expect, it } from 'vitest';
import type { TransactionPage } from '@service/contract';
import { createCaller, createStillMock, order } from './support.ts';

async function withPayments(
  count: number,
): Promise<ReturnType<typeof createStillMock> & { list: (query?: string) => Promise<TransactionPage> }> {
  const still = createStillMock();
  const account = still.mock.sandbox.accounts.create({ balances: { USD: 1000 } });
  const caller = createCaller(still.mock, account.testKey);
  for (let i = 0; i < count; i += 1) await caller.post('/payments', order({ amount: 1, purpose: `P${i}` }));
  const list = async (query = ''): Promise<TransactionPage> =>
    (await caller.get(`/transactions${query}`)).body.data as unknown as TransactionPage;
  return { ...still, ...caller, list };
}

describe('GET /transactions', () => {
  it('returns every field of a deposit and of a payment', async () => {
    const { list } = await withPayments(1);
    const { transactions } = await list();
    expect(transactions).toEqual([
      {
        id: expect.stringMatching(/^txn_test_[0-9A-Za-z]{24}$/),
        type: 'payment',
        status: 'pending',
        currency: 'USD',
        amount: -1,
        fee: 0.01,
        balance_after: 999,
        payment_id: expect.stringMatching(/^pay_test_/),
        reference: 'P0',
        created_at: '2026-01-31T12:00:00+00:00',
      },
      {
        id: expect.stringMatching(/^txn_test_/),
        type: 'deposit',
        status: 'completed',
        currency: 'USD',
        amount: 1000,
        fee: null,
        balance_after: 1000,
        payment_id: null,
        reference: null,
        created_at: '2026-01-31T12:00:00+00:00',
      },
    ]);
  });

  it('returns 45 rows in pages of 20, and an empty page past the end', async () => {
    const { list } = await withPayments(44);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?page=${page}`)));
    expect(pages.map(({ transactions }) => transactions.length)).toEqual([20, 20, 5, 0]);
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, true, false, false]);
    expect(pages[0]?.pagination).toEqual({
      current_page: 1,
      per_page: 20,
      total: 45,
      total_pages: 3,
      has_more: true,
    });
  });

  it.each([1, 2, 7, 45, 100])('returns each row exactly once with %i per page', async (perPage) => {
    const { list } = await withPayments(44);
    const ids: string[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { transactions, pagination } = await list(`?per_page=${perPage}&page=${page}`);
      ids.push(...transactions.map(({ id }) => id));
      more = pagination.has_more;
    }
    expect([ids.length, new Set(ids).size]).toEqual([45, 45]);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it('combines filters', async () => {
    const { mock, list } = await withPayments(3);
    const [first] = (await list('?type=payment')).transactions as unknown as { payment_id: string }[];
    mock.sandbox.payments.fail(first?.payment_id ?? '');
    const count = async (query: string): Promise<unknown> => (await list(query)).pagination.total;
    expect(await count('?status=failed')).toBe(1);
    expect(await count('?type=refund')).toBe(1);
    expect(await count('?status=failed&type=refund')).toBe(0);
    expect(await count('?status=pending&type=payment')).toBe(2);
    expect(await count('?status=completed')).toBe(2);
  });

  it.each([
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['per_page=1.5', 'per_page'],
    ['per_page=1e1', 'per_page'],
    ['per_page=%2B5', 'per_page'],
    ['per_page=', 'per_page'],
    ['per_page=5&per_page=5', 'per_page'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=99999999999999999999', 'page'],
    ['status=', 'status'],
    ['status=unknown', 'status'],
    ['status=Pending', 'status'],
    ['type=fee', 'type'],
    ['type=payment&type=refund', 'type'],
  ])('rejects ?%s, naming %s', async (query, name) => {
    const { get } = createStillMock();
    const { status, body } = await get(`/transactions?${query}`);
    expect([status, body.error.type]).toEqual([422, 'validation_error']);
    expect(body.error.message).toMatch(new RegExp(`^The request is invalid: ${name} must be`));
  });

  it('names every invalid parameter and the allowed values', async () => {
    const { get } = createStillMock();
    const { body } = await get('/transactions?status=x&page=0&type=y');
    expect(body.error.message).toBe(
      'The request is invalid: page must be a whole number from 1, given once; ' +
        'status must be one of pending, processing, completed, failed, given once; ' +
        'type must be one of deposit, payment, refund, adjustment, given once.',
    );
  });

  it('ignores unknown parameters', async () => {
    const { get } = createStillMock();
    expect((await get('/transactions?cursor=abc')).status).toBe(200);
    expect((await get('/balance?currency=USD')).status).toBe(200);
  });
});
