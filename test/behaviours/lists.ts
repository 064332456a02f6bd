import { expect } from 'vitest';
import type { Transaction, TransactionQuery } from '@service/sdk';
import { type Behaviour, errorOf, isTyped, order, outcomeOf, type World } from './world.ts';

/** Pays twice and lets both be completed: with the opening deposits there are five records then. */
async function payTwice({ service, mock }: World): Promise<void> {
  for (const purpose of ['INV-1', 'INV-2']) {
    const { id } = await service.payments.create({ ...order, purpose });
    mock.sandbox.payments.complete(id);
  }
}

async function walk({ service }: World, query: TransactionQuery): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const row of service.transactions.list(query)) rows.push(row);
  return rows;
}

async function pagesOf({ service }: World, query: TransactionQuery): Promise<Transaction[][]> {
  const pages: Transaction[][] = [];
  for await (const page of service.transactions.list(query).pages()) pages.push(page.transactions);
  return pages;
}

const inOrder = (rows: readonly Transaction[]): (string | null)[] => rows.map(({ id }) => id);

/** Lists what the client does about lists. */
export const lists: readonly Behaviour[] = [
  {
    name: 'awaiting a list gives its first page',
    async run(world) {
      await payTwice(world);
      const { data, mode, attempts } = await world.service.transactions.list({ per_page: 2 }).withResponse();
      expect({ mode, attempts }).toEqual({ mode: 'test', attempts: 1 });
      expect(data.transactions).toHaveLength(2);
      expect(data.pagination).toMatchObject({ current_page: 1, has_more: true });
      expect(data).toEqual(await world.service.transactions.list({ per_page: 2 }));
    },
  },
  {
    name: 'walking a list gives every record once, newest first, in pages of any size',
    async run(world) {
      await payTwice(world);
      const all = inOrder(await walk(world, { per_page: 100 }));
      expect(new Set(all).size).toBe(5);
      for (const per_page of [1, 2, 3, 5]) {
        expect(inOrder(await walk(world, { per_page }))).toEqual(all);
        const pages = await pagesOf(world, { per_page });
        expect(
          pages
            .map(({ length }) => length)
            .slice(0, -1)
            .every((length) => length === per_page),
        ).toBe(true);
        expect(inOrder(pages.flat())).toEqual(all);
      }
      expect(world.warnings).toEqual([]);
    },
  },
  {
    name: 'the end of a list is where the service says so, else where nothing more comes',
    async run(world) {
      await payTwice(world);
      const { mock, service, profile } = world;
      const before = mock.sandbox.requests.list({ operation: 'listTransactions' }).length;
      const more: boolean[] = [];
      for await (const { pagination } of service.transactions.list({ per_page: 2 }).pages())
        more.push(pagination.has_more);
      const isTold = profile.pagination !== 'array';
      // A page without a `Link` may be the last one or one of a service that has none: only the walk can tell.
      expect(more).toEqual([true, true, !isTold || profile.pagination === 'link']);
      const asked = mock.sandbox.requests.list({ operation: 'listTransactions' }).length - before;
      expect(asked).toBe(isTold ? 3 : 4);
    },
  },
  {
    name: 'records that arrive during a walk push none of the others out, and give none twice',
    async run(world) {
      await payTwice(world);
      const { mock, service } = world;
      const there = inOrder(await walk(world, { per_page: 100 }));
      const walked: (string | null)[] = [];
      for await (const { id } of service.transactions.list({ per_page: 2 })) {
        walked.push(id);
        if (walked.length === 2) mock.sandbox.payments.complete((await service.payments.create(order)).id);
      }
      expect(walked.filter((id) => there.includes(id))).toEqual(there);
      expect(new Set(walked).size).toBe(walked.length);
    },
  },
  {
    name: 'records are read, the four details all there or left out',
    async run(world) {
      await payTwice(world);
      const rows = await walk(world, {});
      for (const row of rows) {
        expect(row).toMatchObject({ status: 'completed', currency: expect.stringMatching(/^[A-Z]{3}$/) });
        expect(row.amount).toBeTypeOf('number');
        const reference = row.type === 'payment' ? expect.stringMatching(/^INV-[12]$/) : null;
        if (world.profile.transactionShape === 'full') expect(row).toMatchObject({ reference });
        else expect(row).not.toHaveProperty('reference');
      }
    },
  },
  {
    name: 'filters go out as they are',
    async run(world) {
      await payTwice(world);
      expect(await walk(world, { type: 'deposit', per_page: 2 })).toHaveLength(3);
      const rows = await walk(world, { type: 'payment', status: 'completed', per_page: 1 });
      expect(rows.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'payment completed',
        'payment completed',
      ]);
      expect(await walk(world, { status: 'failed' })).toEqual([]);
    },
  },
  {
    name: 'a filter that is not known is the service to judge',
    async run(world) {
      const { profile } = world;
      const asked = walk(world, { status: 'on_hold' });
      if (profile.unknownFilter === 'reject') {
        const type = isTyped(profile) ? 'validation_error' : undefined;
        expect(await errorOf(asked)).toMatchObject({
          name: 'ValidationError',
          type,
          outcome: outcomeOf(profile),
        });
      } else {
        expect(await asked).toHaveLength(profile.unknownFilter === 'empty' ? 0 : 3);
      }
    },
  },
  {
    name: 'pages that cannot be never leave',
    async run({ service, mock }) {
      for (const query of [
        { per_page: 0 },
        { per_page: 101 },
        { per_page: 1.5 },
        { page: 0 },
        { page: -1 },
      ]) {
        expect(await errorOf(service.transactions.list(query))).toMatchObject({
          name: 'ValidationError',
          outcome: 'not_sent',
        });
      }
      expect(mock.sandbox.requests.list({ operation: 'listTransactions' })).toHaveLength(0);
    },
  },
  {
    name: 'a walk goes on after an answer that failed',
    async run(world) {
      world.mock.sandbox.faults.inject({ operation: 'listTransactions', kind: 'truncated', after: 1 });
      world.mock.sandbox.faults.inject({
        operation: 'listTransactions',
        kind: 'html',
        status: 502,
        after: 1,
      });
      expect(new Set(inOrder(await walk(world, { per_page: 1 }))).size).toBe(3);
    },
  },
];
