import { expect } from 'vitest';
import type { Transaction, TransactionQuery } from '@service/sdk';
import { type Behavior, errorOf, isTyped, order, outcomeOf, type BehaviorContext } from './context.ts';

/** Creates and completes two payments. With the three deposits, the account then has five transactions. */
async function payTwice({ service, mock }: BehaviorContext): Promise<void> {
  for (const purpose of ['INV-1', 'INV-2']) {
    const { id } = await service.payments.create({ ...order, purpose });
    mock.sandbox.payments.complete(id);
  }
}

async function collectRows({ service }: BehaviorContext, query: TransactionQuery): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const row of service.transactions.list(query)) rows.push(row);
  return rows;
}

async function pagesOf({ service }: BehaviorContext, query: TransactionQuery): Promise<Transaction[][]> {
  const pages: Transaction[][] = [];
  for await (const page of service.transactions.list(query).pages()) pages.push(page.transactions);
  return pages;
}

/** Returns whether a page shows only with a link that it is not the last one. */
function hasOnlyLinks({ profile: { pagination } }: BehaviorContext): boolean {
  if (typeof pagination === 'string') return pagination === 'link';
  const text = JSON.stringify(pagination);
  const hasLastPage = /"\{(has_more|last_page|total_pages)\}"/.test(text);
  return text.includes('{case has_more}') && !hasLastPage;
}

const idsOf = (rows: readonly Transaction[]): (string | null)[] => rows.map(({ id }) => id);

/** Behaviors of transactions.list. */
export const lists: readonly Behavior[] = [
  {
    name: 'await on a list returns the first page',
    async run(context) {
      await payTwice(context);
      const { data, mode, attempts } = await context.service.transactions
        .list({ per_page: 2 })
        .withResponse();
      expect({ mode, attempts }).toEqual({ mode: 'test', attempts: 1 });
      expect(data.transactions).toHaveLength(2);
      expect(data.pagination).toMatchObject({ current_page: 1, has_more: true });
      expect(data).toEqual(await context.service.transactions.list({ per_page: 2 }));
    },
  },
  {
    name: 'iteration returns every transaction once, newest first, for any page size',
    async run(context) {
      await payTwice(context);
      const all = idsOf(await collectRows(context, { per_page: 100 }));
      expect(new Set(all).size).toBe(5);
      for (const per_page of [1, 2, 3, 5]) {
        expect(idsOf(await collectRows(context, { per_page }))).toEqual(all);
        const pages = await pagesOf(context, { per_page });
        expect(
          pages
            .map(({ length }) => length)
            .slice(0, -1)
            .every((length) => length === per_page),
        ).toBe(true);
        expect(idsOf(pages.flat())).toEqual(all);
      }
      expect(context.warnings).toEqual([]);
    },
  },
  {
    name: 'iteration ends at the last page, or at an empty page if the service does not mark the last one',
    async run(context) {
      await payTwice(context);
      const { mock, service, profile } = context;
      const before = mock.sandbox.requests.list({ operation: 'listTransactions' }).length;
      const more: boolean[] = [];
      for await (const { pagination } of service.transactions.list({ per_page: 2 }).pages())
        more.push(pagination.has_more);
      // A page without a link may be the last one, or the service sends no links: `has_more` of one page cannot tell.
      const isUnmarked = profile.pagination === 'array' || hasOnlyLinks(context);
      expect(more).toEqual([true, true, isUnmarked]);
      const requests = mock.sandbox.requests.list({ operation: 'listTransactions' }).length - before;
      // Without page numbers, page 1 is requested again, because it can be the second page.
      expect(requests).toBe(profile.pagination === 'array' ? 5 : 3);
    },
  },
  {
    name: 'transactions added during an iteration cause no gaps and no duplicates',
    async run(context) {
      await payTwice(context);
      const { mock, service } = context;
      const existing = idsOf(await collectRows(context, { per_page: 100 }));
      const ids: (string | null)[] = [];
      for await (const { id } of service.transactions.list({ per_page: 2 })) {
        ids.push(id);
        if (ids.length === 2) mock.sandbox.payments.complete((await service.payments.create(order)).id);
      }
      expect(ids.filter((id) => existing.includes(id))).toEqual(existing);
      expect(new Set(ids).size).toBe(ids.length);
    },
  },
  {
    name: 'transactions have all details, which are null where the service shows none',
    async run(context) {
      await payTwice(context);
      const rows = await collectRows(context, {});
      for (const row of rows) {
        expect(row).toMatchObject({ status: 'completed', currency: expect.stringMatching(/^[A-Z]{3}$/) });
        expect(row.amount).toBeTypeOf('number');
        const isShown = row.type === 'payment' && context.profile.rows !== 'minimal';
        expect(row.reference).toEqual(isShown ? expect.stringMatching(/^INV-[12]$/) : null);
      }
    },
  },
  {
    name: 'filters are sent unchanged',
    async run(context) {
      await payTwice(context);
      expect(await collectRows(context, { type: 'deposit', per_page: 2 })).toHaveLength(3);
      const rows = await collectRows(context, { type: 'payment', status: 'completed', per_page: 1 });
      expect(rows.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'payment completed',
        'payment completed',
      ]);
      expect(await collectRows(context, { status: 'failed' })).toEqual([]);
    },
  },
  {
    name: 'an unknown filter value is sent to the service',
    async run(context) {
      const { profile } = context;
      const result = collectRows(context, { status: 'on_hold' });
      if (profile.listQuery.filter === 'reject') {
        const type = isTyped(profile, 'validation') ? 'validation_error' : undefined;
        expect(await errorOf(result)).toMatchObject({
          name: 'ValidationError',
          type,
          outcome: outcomeOf(profile, 'validation'),
        });
      } else {
        expect(await result).toHaveLength(profile.listQuery.filter === 'empty' ? 0 : 3);
      }
    },
  },
];
