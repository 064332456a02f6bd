import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Transaction, Warning } from '../src/index.ts';
import { baseUrl, clientAnswering, failure, json, polluteObjects, rejection, success } from './service.ts';

const row = (n: number): object => ({ id: `txn_test_${n}`, amount: n });
const rows = (from: number, to: number): object[] =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

function page(transactions: object[], has_more: boolean): Response {
  const pagination = { current_page: 1, per_page: 20, total: 45, total_pages: 3, has_more };
  return success({ transactions, pagination });
}

const threePages = [page(rows(1, 20), true), page(rows(21, 40), true), page(rows(41, 45), false)];

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

const numbers = (all: Transaction[]): number[] => all.map(({ amount }) => amount);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('awaited, gives the first page', async () => {
  const { service, requests } = clientAnswering(threePages);
  const { transactions, pagination } = await service.transactions.list();
  expect(numbers(transactions)).toEqual(upTo(20));
  expect(pagination.has_more).toBe(true);
  expect(requests.map(({ url }) => url)).toEqual([`${baseUrl}/transactions?page=1`]);
});

test('goes through the rows of all pages, asking for each page once', async () => {
  const { service, requests } = clientAnswering(threePages);
  expect(numbers(await collect(service.transactions.list({ per_page: 20, status: 'failed' })))).toEqual(
    upTo(45),
  );
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?page=1&per_page=20&status=failed',
    '?page=2&per_page=20&status=failed',
    '?page=3&per_page=20&status=failed',
  ]);
});

test('goes through the pages', async () => {
  const { service } = clientAnswering(threePages);
  const pages = await collect(service.transactions.list().pages());
  expect(pages.map(({ transactions }) => transactions.length)).toEqual([20, 20, 5]);
});

test('begins at the page that it is told', async () => {
  const { service, requests } = clientAnswering(threePages.slice(1));
  expect(await collect(service.transactions.list({ page: 2 }))).toHaveLength(25);
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?page=2', '?page=3']);
});

test('asks for the next page only when it is needed', async () => {
  const { service, requests } = clientAnswering(threePages);
  for await (const { amount } of service.transactions.list()) if (amount === 20) break;
  expect(requests).toHaveLength(1);
});

test('does not ask for the first page again when the list is awaited and walked', async () => {
  const { service, requests } = clientAnswering(threePages);
  const list = service.transactions.list();
  await list;
  expect(await collect(list)).toHaveLength(45);
  expect((await list.withResponse()).requestId).toBe('req_1');
  expect(requests).toHaveLength(3);
});

test('takes nothing from a polluted prototype', async () => {
  polluteObjects({ page: 7, per_page: 500, timeout: -1 });
  const { service, requests } = clientAnswering(threePages);
  await service.transactions.list({ status: 'failed' });
  await service.transactions.list();
  expect(requests.map(({ url }) => new URL(url).searchParams.get('page'))).toEqual(['1', '1']);
});

const cutShort = { code: 'list_cut_short', message: expect.stringContaining('Rows may be missing') };

/** Walks a list, and returns the rows that it gave with what it failed with, if it did. */
async function walk(list: AsyncIterable<Transaction>): Promise<{ seen: number[]; error: unknown }> {
  const seen: number[] = [];
  try {
    for await (const { amount } of list) seen.push(amount);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

/** A service that keeps rows, newest first; `meanwhile` may add some after each page that it gave. */
function clientOfLedger(
  count: number,
  meanwhile: (given: number) => number,
  options: object = {},
): ReturnType<typeof clientAnswering> {
  let newest = count;
  let given = 0;
  const answer = ({ url }: Request): Response => {
    const { searchParams } = new URL(url);
    const size = Number(searchParams.get('per_page'));
    const end = Number(searchParams.get('page')) * size;
    const all = rows(1, newest).toReversed();
    newest += meanwhile((given += 1));
    return page(all.slice(end - size, end), end < all.length);
  };
  return clientAnswering([answer], options);
}

test('goes on past pages that only repeat what was seen, while there is more', async () => {
  const { service, requests } = clientOfLedger(64, (given) => (given === 1 ? 20 : 0));
  expect(numbers(await collect(service.transactions.list({ per_page: 20 })))).toEqual(upTo(64).toReversed());
  expect(requests).toHaveLength(5);
});

test('gives every row that was there once, or warns, whatever is added meanwhile', async () => {
  const scenario = fc.record({
    count: fc.integer({ min: 0, max: 60 }),
    per_page: fc.integer({ min: 1, max: 20 }),
    added: fc.array(fc.integer({ min: 0, max: 45 }), { maxLength: 6 }),
  });
  const property = fc.asyncProperty(scenario, async ({ count, per_page, added }) => {
    const warnings: Warning[] = [];
    const onWarning = (one: Warning): unknown => warnings.push(one);
    const { service } = clientOfLedger(count, (given) => added[given - 1] ?? 0, { onWarning });
    const { seen } = await walk(service.transactions.list({ per_page }));
    const old = seen.filter((amount) => amount <= count);
    const complete = old.join() === upTo(count).toReversed().join();
    expect(new Set(seen).size).toBe(seen.length);
    expect(complete || warnings.length > 0).toBe(true);
  });
  await fc.assert(property);
});

test('gives every row after one burst of new ones, whatever its size and time', async () => {
  const scenario = fc.record({
    count: fc.integer({ min: 1, max: 60 }),
    per_page: fc.integer({ min: 1, max: 20 }),
    burst: fc.integer({ min: 0, max: 100 }),
    after: fc.integer({ min: 1, max: 60 }),
  });
  const property = fc.asyncProperty(scenario, async ({ count, per_page, burst, after }) => {
    const { service } = clientOfLedger(count, (given) => (given === after ? burst : 0));
    const { seen, error } = await walk(service.transactions.list({ per_page }));
    const old = seen.filter((amount) => amount <= count);
    expect(error).toBe(undefined);
    expect(old).toEqual(upTo(count).toReversed());
  });
  await fc.assert(property);
});

test.each([
  ['an empty page', [page(rows(1, 20), true), page([], true)], 2],
  ['the same page again and again', [page(rows(1, 20), true)], 3],
  ['nothing but an empty page', [page([], true)], 1],
])('ends at %s that promises more, and says so', async (_, answers, asked) => {
  const warnings: Warning[] = [];
  const { service, requests } = clientAnswering(answers, { onWarning: (one: Warning) => warnings.push(one) });
  const { error, seen } = await walk(service.transactions.list());
  expect(error).toBe(undefined);
  expect(warnings).toEqual([cutShort]);
  expect(seen).toEqual(asked === 1 ? [] : upTo(20));
  expect(requests).toHaveLength(asked);
});

test('ends at pages that go round in a circle', async () => {
  const circle = [page(rows(1, 20), true), page(rows(21, 40), true), page(rows(41, 60), true)];
  const warnings: Warning[] = [];
  const { service, requests } = clientAnswering([...circle, ...circle, ...circle], {
    onWarning: (one: Warning) => warnings.push(one),
  });
  const { seen } = await walk(service.transactions.list());
  expect(warnings).toEqual([cutShort]);
  expect(seen).toEqual(upTo(60));
  expect(requests).toHaveLength(7);
});

test('ends at a page that only repeats what was seen and is the last', async () => {
  const { service, requests } = clientAnswering([page(rows(1, 20), true), page(rows(11, 20), false)]);
  expect(numbers(await collect(service.transactions.list()))).toEqual(upTo(20));
  expect(requests).toHaveLength(2);
});

test('gives a row once that moved to the next page, and goes on', async () => {
  const { service } = clientAnswering([
    page(rows(1, 20), true),
    page(rows(20, 39), true),
    page(rows(40, 41), false),
  ]);
  expect(numbers(await collect(service.transactions.list()))).toEqual(upTo(41));
});

test('gives an empty history', async () => {
  const { service } = clientAnswering([page([], false)]);
  expect(await collect(service.transactions.list())).toEqual([]);
  expect(await collect(service.transactions.list().pages())).toHaveLength(1);
});

test('rejects the walk with what failed a page', async () => {
  const { service } = clientAnswering([page(rows(1, 20), true), failure(500, 'server_error')]);
  const { seen, error } = await walk(service.transactions.list());
  expect(error).toMatchObject({ name: 'ServerError' });
  expect(seen).toHaveLength(20);
});

test.each([0, 101, 1.5, -1, '20', Number.NaN, null])(
  'refuses per_page %o before sending',
  async (per_page) => {
    const { service, requests } = clientAnswering(threePages);
    const error = await rejection(service.transactions.list({ per_page } as never));
    expect(error).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
    expect(String(error)).toContain('per_page must be a whole number from 1 to 100');
    expect(await rejection(collect(service.transactions.list({ per_page } as never)))).toMatchObject({
      outcome: 'not_sent',
    });
    expect(requests).toHaveLength(0);
  },
);

test.each([
  [{ page: 0 }, 'page must be a whole number from 1'],
  [{ status: '' }, 'status must be a string that is not empty'],
  [{ type: 5 }, 'type must be a string'],
  [{ perPage: 5 }, 'Did you mean "per_page"?'],
  ['failed', 'must be an object'],
])('refuses %o before sending', async (query, message) => {
  const { service, requests } = clientAnswering(threePages);
  expect(String(await rejection(service.transactions.list(query as never)))).toContain(message);
  expect(requests).toHaveLength(0);
});

test('passes on filters that are not documented', async () => {
  const { service, requests } = clientAnswering(threePages);
  await service.transactions.list({ status: 'on_hold', type: 'a b&c' });
  expect(requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams))).toEqual([
    { page: '1', status: 'on_hold', type: 'a b&c' },
  ]);
});

test.each([
  [{ transactions: {}, pagination: { has_more: false } }],
  [{ pagination: { has_more: false } }],
  [[5]],
])('reports a page that it cannot read rather than an end that is none: %o', async (data) => {
  const { service } = clientAnswering([json({ success: true, data })]);
  expect(await rejection(service.transactions.list())).toMatchObject({ name: 'UnreadableResponseError' });
});

/** A service that shows its 45 rows, 20 at a time, in a shape of its own. */
function clientOfShape(
  shape: (shown: { rows: object[]; at: number; isLast: boolean; after: string }) => Response,
): ReturnType<typeof clientAnswering> {
  return clientAnswering([
    ({ url }) => {
      const { searchParams } = new URL(url);
      const at = Number(searchParams.get('cursor') ?? searchParams.get('page'));
      const after = `/api/v1/transactions?page=${at + 1}&per_page=20`;
      const shown = rows(at * 20 - 19, Math.min(45, at * 20));
      return shape({ rows: shown, at, isLast: at * 20 >= 45, after });
    },
  ]);
}

const body = (data: unknown, more: object = {}): object => ({ success: true, data, ...more });

test.each<[string, number, Parameters<typeof clientOfShape>[0]]>([
  ['an array alone', 4, ({ rows: data }) => json(body(data))],
  ['rows without a word of pages', 4, ({ rows: transactions }) => json(body({ transactions }))],
  [
    'what Laravel makes',
    3,
    ({ rows: data, at: current_page, isLast, after }) =>
      json(
        body({ data, current_page, last_page: 3, next_page_url: isLast ? null : `https://x.test${after}` }),
      ),
  ],
  [
    'what Laravel makes of resources',
    3,
    ({ rows: data, at: current_page, isLast, after }) =>
      json(body(data, { meta: { current_page, last_page: 3 }, links: { next: isLast ? null : after } })),
  ],
  [
    'a last page alone',
    3,
    ({ rows: items, at: current_page }) => json(body({ items, meta: { current_page, last_page: 3 } })),
  ],
  [
    'a cursor',
    3,
    ({ rows: transactions, at, isLast }) =>
      json(body({ transactions, pagination: { next_cursor: isLast ? null : String(at + 1) } })),
  ],
  [
    'a cursor and has_more',
    3,
    ({ rows: transactions, at, isLast }) =>
      json(body({ transactions, has_more: !isLast, next_cursor: isLast ? '' : String(at + 1) })),
  ],
  [
    'a Link header',
    3,
    ({ rows: transactions, isLast, after }) =>
      json(body({ transactions }), 200, isLast ? {} : { link: `</x>; rel="first", <${after}>; rel="next"` }),
  ],
])('reads %s', async (_, asked, shape) => {
  const { service, requests } = clientOfShape(shape);
  expect(numbers(await collect(service.transactions.list({ per_page: 20 })))).toEqual(upTo(45));
  expect(requests).toHaveLength(asked);
  expect(requests.every(({ url }) => url.startsWith(`${baseUrl}/transactions?`))).toBe(true);
});
