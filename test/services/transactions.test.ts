import { describe, expect, it } from 'vitest';
import { openService, order, waitUntilVisible, styles } from './support.ts';

const firstIds = { drf: 1n, fastapi: 2n ** 53n + 1n };

describe.each(styles)('transactions of a Fastify service with lists in %s style', (listStyle) => {
  it('have one page with the newest row first', async () => {
    const { service, client } = await openService({ listStyle });
    const payment = await client.payments.create(order);
    await waitUntilVisible(service);
    const { transactions, pagination } = await client.transactions.list();
    const last = firstIds[listStyle] + 2n;
    expect(transactions.map((row) => row.id)).toEqual([last, last - 1n, last - 2n].map(String));
    expect(transactions.map((row) => row.payment_id ?? null)).toEqual([payment.id, payment.id, null]);
    expect(pagination).toMatchObject({ total: 3, has_more: false });
  });

  it.each([20, 7, 100])('return each of 137 rows once in pages of %i', async (per_page) => {
    const { service, client } = await openService({ listStyle });
    for (let cents = 1; cents < 137; cents += 1) service.ledger.topUp('USD', cents);
    await waitUntilVisible(service);
    const ids: (string | null)[] = [];
    for await (const row of client.transactions.list({ per_page })) ids.push(row.id);
    const expected = service.ledger.entries.map((row) => String(firstIds[listStyle] - 1n + BigInt(row.id)));
    expect(ids).toEqual(expected.toReversed());
    const lists = service.requests.filter(({ operation }) => operation.endsWith('/transactions'));
    expect(lists, 'no request past the last page').toHaveLength(Math.ceil(137 / per_page));
  });

  it('return each row once if rows are added during the iteration', async () => {
    const { service, client } = await openService({ listStyle, readLag: 0 });
    for (let cents = 1; cents < 50; cents += 1) service.ledger.topUp('USD', cents);
    const ids: (string | null)[] = [];
    for await (const row of client.transactions.list({ per_page: 10 })) {
      if (ids.push(row.id) % 10 === 0 && ids.length <= 30) service.ledger.topUp('USD', 1);
    }
    expect(ids).toHaveLength(50);
    expect(new Set(ids).size).toBe(50);
  });

  it('are empty for an unknown type', async () => {
    const { client } = await openService({ listStyle, readLag: 0 });
    await expect(client.transactions.list({ type: 'nothing' })).resolves.toMatchObject({ transactions: [] });
  });
});
