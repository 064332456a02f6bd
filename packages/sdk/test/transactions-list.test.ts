import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../src/index.ts';
import { runs } from '../../../test/support/runs.ts';
import { baseUrl, collect, createStubClient, failure, json, expectRefused, success } from './service.ts';

const row = (n: number): object => ({ id: `txn_test_${n}`, amount: n });
const rows = (from: number, to: number): object[] =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

function page(transactions: object[], has_more: boolean): Response {
  const pagination = { current_page: 1, per_page: 20, total: 45, total_pages: 3, has_more };
  return success({ transactions, pagination });
}

const threePages = [page(rows(1, 20), true), page(rows(21, 40), true), page(rows(41, 45), false)];

const numbers = (all: Transaction[]): number[] => all.map(({ amount }) => amount);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const cannotContinue = { name: 'UnreadableResponseError', code: 'list_cannot_continue', status: 200 };

/** Iterates over a list, and returns its rows and its error. */
async function walk(list: AsyncIterable<Transaction>): Promise<{ seen: number[]; error: unknown }> {
  const seen: number[] = [];
  try {
    for await (const { amount } of list) seen.push(amount);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

/** Creates a client of a service with rows, newest first; `meanwhile` returns the number of rows that are added after each page. */
function clientOfLedger(
  count: number,
  meanwhile: (given: number) => number,
  options: object = {},
): ReturnType<typeof createStubClient> {
  let newest = count;
  let given = 0;
  const response = ({ url }: Request): Response => {
    const { searchParams } = new URL(url);
    const size = Number(searchParams.get('per_page'));
    const end = Number(searchParams.get('page') ?? 1) * size;
    const all = rows(1, newest).toReversed();
    newest += meanwhile((given += 1));
    return page(all.slice(end - size, end), end < all.length);
  };
  return createStubClient([response], options);
}

/** Creates a client of a service that returns 45 rows, 20 per page, in a custom format. */
function clientOfShape(
  shape: (shown: { rows: object[]; at: number; isLast: boolean; after: string }) => Response,
): ReturnType<typeof createStubClient> {
  return createStubClient([
    ({ url }) => {
      const { searchParams } = new URL(url);
      const at = Number(searchParams.get('cursor') ?? searchParams.get('page') ?? 1);
      const after = `/api/v1/transactions?page=${at + 1}&per_page=20`;
      const shown = rows(at * 20 - 19, Math.min(45, at * 20));
      return shape({ rows: shown, at, isLast: at * 20 >= 45, after });
    },
  ]);
}

const body = (data: unknown, more: object = {}): object => ({ success: true, data, ...more });

describe('transactions.list', () => {
  it('returns the first page when awaited', async () => {
    const { client, requests } = createStubClient(threePages);
    const { transactions, pagination } = await client.transactions.list();
    expect(numbers(transactions)).toEqual(upTo(20));
    expect(pagination.has_more).toBe(true);
    expect(requests.map(({ url }) => url)).toEqual([`${baseUrl}/transactions`]);
  });

  it('yields the rows of all pages and requests each page once', async () => {
    const { client, requests } = createStubClient(threePages);
    expect(numbers(await collect(client.transactions.list({ per_page: 20, status: 'failed' })))).toEqual(
      upTo(45),
    );
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?per_page=20&status=failed',
      '?per_page=20&status=failed&page=2',
      '?per_page=20&status=failed&page=3',
    ]);
  });

  it('starts at the requested page', async () => {
    const { client, requests } = createStubClient(threePages.slice(1));
    expect(await collect(client.transactions.list({ page: 2 }))).toHaveLength(25);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?page=2', '?page=3']);
  });

  it('requests the next page only when it is needed', async () => {
    const { client, requests } = createStubClient(threePages);
    for await (const { amount } of client.transactions.list()) if (amount === 20) break;
    expect(requests).toHaveLength(1);
  });

  it('does not request the first page again if the list is awaited and iterated', async () => {
    const { client, requests } = createStubClient(threePages);
    const list = client.transactions.list();
    await list;
    expect(await collect(list)).toHaveLength(45);
    expect((await list.withResponse()).requestId).toBe('req_1');
    expect(requests).toHaveLength(3);
  });

  it('yields every old row once, or throws, whatever is added meanwhile', async () => {
    const scenario = fc.record({
      count: fc.integer({ min: 0, max: 60 }),
      per_page: fc.integer({ min: 1, max: 20 }),
      added: fc.array(fc.integer({ min: 0, max: 45 }), { maxLength: 6 }),
    });
    const property = fc.asyncProperty(scenario, async ({ count, per_page, added }) => {
      const { client } = clientOfLedger(count, (given) => added[given - 1] ?? 0);
      const { seen, error } = await walk(client.transactions.list({ per_page }));
      const old = seen.filter((amount) => amount <= count);
      const complete = old.join() === upTo(count).toReversed().join();
      expect(new Set(seen).size).toBe(seen.length);
      const { code } = (error ?? {}) as { code?: string };
      expect(complete || code === cannotContinue.code).toBe(true);
    });
    await fc.assert(property);
  });

  it('yields every old row after one burst of new rows, whatever its size and time', async () => {
    const scenario = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      per_page: fc.integer({ min: 1, max: 20 }),
      burst: fc.integer({ min: 0, max: 100 }),
      after: fc.integer({ min: 1, max: 60 }),
    });
    const property = fc.asyncProperty(scenario, async ({ count, per_page, burst, after }) => {
      const { client } = clientOfLedger(count, (given) => (given === after ? burst : 0));
      const { seen, error } = await walk(client.transactions.list({ per_page }));
      const old = seen.filter((amount) => amount <= count);
      expect(error).toBe(undefined);
      expect(old).toEqual(upTo(count).toReversed());
    });
    await fc.assert(property);
  });

  it.each([
    ['an empty page', [page(rows(1, 20), true), page([], true)], 2],
    ['a repeated page', [page(rows(1, 20), true)], 3],
    ['a first page without rows', [page([], true)], 1],
  ])('rejects at %s that announces more', async (_, responses, asked) => {
    const { client, requests } = createStubClient(responses);
    const { error, seen } = await walk(client.transactions.list());
    expect(error).toMatchObject(cannotContinue);
    expect(String(error)).toContain('`data.pagination.has_more`');
    expect(seen).toEqual(asked === 1 ? [] : upTo(20));
    expect(requests).toHaveLength(asked);
  });

  it('rejects at a cycle of pages', async () => {
    const circle = [page(rows(1, 20), true), page(rows(21, 40), true), page(rows(41, 60), true)];
    const { client, requests } = createStubClient([...circle, ...circle, ...circle]);
    const { seen, error } = await walk(client.transactions.list());
    expect(error).toMatchObject(cannotContinue);
    expect(seen).toEqual(upTo(60));
    expect(requests).toHaveLength(7);
  });

  it('rejects the iteration with the error of a page', async () => {
    const { client } = createStubClient([page(rows(1, 20), true), failure(500, 'server_error')]);
    const { seen, error } = await walk(client.transactions.list());
    expect(error).toMatchObject({ name: 'ServerError' });
    expect(seen).toHaveLength(20);
  });

  it('rejects an invalid query before sending', async () => {
    const queries = [
      ...[0, 101, 1.5, -1, '20', 5n, Number.NaN, null].map(
        (per_page) => [{ per_page }, 'per_page must be a whole number from 1 to 100'] as const,
      ),
      [{ page: 0 }, 'page must be a whole number from 1'],
      [{ status: '' }, 'status must be a string that is not empty'],
      [{ type: 5 }, 'type must be a string'],
      [{ perPage: 5 }, '"perPage" is unknown. Use one of: page, per_page,'],
      ['failed', 'must be an object'],
    ] as const;
    await expectRefused((client, query) => client.transactions.list(query), queries);
    await expectRefused((client, query) => collect(client.transactions.list(query)), queries);
  });

  it('sends undocumented filter values', async () => {
    const { client, requests } = createStubClient(threePages);
    await client.transactions.list({ status: 'on_hold', type: 'a b&c' });
    expect(requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams))).toEqual([
      { status: 'on_hold', type: 'a b&c' },
    ]);
  });

  it.each<[string, number, Parameters<typeof clientOfShape>[0]]>([
    [
      'a Link header with first and last on its last page',
      3,
      ({ rows: transactions, isLast, after }) =>
        json(body({ transactions }), 200, {
          link: `</x>; rel="first", </y>; rel="last"${isLast ? '' : `, <${after}>; rel="next"`}`,
        }),
    ],
    [
      'a total that is reached without a statement, at an empty page',
      5,
      ({ rows: transactions }) => json(body({ transactions, total: 45 })),
    ],
    [
      'a Link header with first and last, and never the next one',
      4,
      ({ rows: transactions }) =>
        json(body({ transactions }), 200, { link: '</x?page=1>; rel="first", </x?page=3>; rel="last"' }),
    ],
    [
      'a Link header whose next link has a title',
      3,
      ({ rows: transactions, isLast, after }) =>
        json(body({ transactions }), 200, {
          link: `</x>; rel="first"${isLast ? '' : `, <${after}>; title="more, later"; rel="next"`}`,
        }),
    ],
    [
      'a cursor beside data that is null at the end',
      3,
      ({ rows: transactions, at, isLast }) =>
        json(body({ transactions }, { next_cursor: isLast ? null : at + 1 })),
    ],
  ])('reads %s', async (_, asked, shape) => {
    const { client, requests } = clientOfShape(shape);
    expect(numbers(await collect(client.transactions.list({ per_page: 20 })))).toEqual(upTo(45));
    expect(requests).toHaveLength(asked);
    expect(requests.every(({ url }) => url.startsWith(`${baseUrl}/transactions?`))).toBe(true);
  });
});

describe('a list of any service', () => {
  /** The parameters by which services select a page, and the number of the first row in each value. */
  const positions: Readonly<Record<string, (value: string, size: number) => number>> = {
    page: (value, size) => (Number(value) - 1) * size,
    page_from_0: (value, size) => Number(value) * size,
    offset: Number,
    cursor: Number,
    page_token: Number,
    pageToken: Number,
    token: Number,
    after: Number,
    before: Number,
    startingAfter: Number,
    none: () => 0,
  };
  const statements = [
    'has_more',
    'next',
    'url',
    'total',
    'total_pages',
    'page',
    'link',
    'last_link',
  ] as const;

  it('is complete, or rejects', async () => {
    const scenario = fc.record({
      count: fc.integer({ min: 0, max: 50 }),
      per_page: fc.integer({ min: 1, max: 20 }),
      by: fc.constantFrom(...Object.keys(positions)),
      stated: fc.uniqueArray(fc.constantFrom(...statements)),
      isInMeta: fc.boolean(),
    });
    const property = fc.asyncProperty(scenario, async ({ count, per_page, by, stated, isInMeta }) => {
      const parameter = by.replace('_from_0', '');
      const isNumber = parameter === 'page';
      const shift = by === 'page' ? 1 : 0;
      const respond = ({ url }: Request): Response => {
        const value = new URL(url).searchParams.get(parameter);
        const start = value === null ? 0 : (positions[by]?.(value, per_page) ?? 0);
        const end = Math.min(count, start + per_page);
        const isMore = end < count;
        const next = isNumber ? Math.floor(start / per_page) + 1 + shift : end;
        const last = Math.max(0, Math.ceil(count / per_page) - 1) + shift;
        const target = `/x?${parameter}=${next}`;
        const facts: Record<(typeof statements)[number], object> = {
          has_more: { has_more: isMore },
          next: { [`next_${parameter}`]: isMore ? (isNumber ? next : String(next)) : null },
          url: { next: isMore ? target : null },
          total: { total: count },
          total_pages: { total_pages: last - shift + 1 },
          page: isNumber ? { page: next - 1 } : {},
          link: {},
          last_link: {},
        };
        const links = [
          ...(stated.includes('link') && isMore ? [`<${target}>; rel="next"`] : []),
          ...(stated.includes('link') || (stated.includes('last_link') && isNumber)
            ? [`</x?${parameter}=${shift}>; rel="first"`]
            : []),
          ...(stated.includes('last_link') && isNumber ? [`</x?page=${last}>; rel="last"`] : []),
        ];
        const envelope = Object.assign({}, ...stated.map((name) => facts[name])) as object;
        const items = rows(1, count).slice(start, end);
        const content = body({ items, ...(!isInMeta && envelope) }, isInMeta ? { meta: envelope } : {});
        return json(content, 200, links.length > 0 ? { link: links.join(', ') } : {});
      };
      const { client, requests } = createStubClient([respond]);
      const { seen, error } = await walk(client.transactions.list({ per_page }));
      const isComplete = seen.join() === upTo(count).join();
      expect(isComplete || (error as { code?: string } | undefined)?.code === cannotContinue.code).toBe(true);
      expect(new Set(seen).size).toBe(seen.length);
      expect(requests.length).toBeLessThan(2 * Math.ceil(count / per_page) + 5);
    });
    await fc.assert(property, { numRuns: runs(200, 5_000) });
  });
});

describe('a list by cursors', () => {
  interface Form {
    readonly parameter: string;
    /** Returns the members that describe a page. `cursor` is that of its last row; undefined for an empty page. */
    readonly write: (cursor: string | undefined, isMore: boolean, end: null | '' | undefined) => object;
  }
  const named = (name: string, parameter: string): Form => ({
    parameter,
    write: (cursor, isMore, end) => ({ [name]: isMore ? cursor : end }),
  });
  const forms: Readonly<Record<string, Form>> = {
    nextBefore: named('nextBefore', 'before'),
    next_before: named('next_before', 'before'),
    next_after: named('next_after', 'after'),
    nextAfter: named('nextAfter', 'after'),
    nextCursor: named('nextCursor', 'cursor'),
    nextPageToken: named('nextPageToken', 'pageToken'),
    next_starting_after: named('next_starting_after', 'starting_after'),
    nextStartingAfter: named('nextStartingAfter', 'startingAfter'),
    next_cursor: named('next_cursor', 'cursor'),
    next_page_token: named('next_page_token', 'page_token'),
    next_token: named('next_token', 'token'),
  };
  const scenario = fc.record({
    count: fc.integer({ min: 0, max: 60 }),
    per_page: fc.integer({ min: 1, max: 20 }),
    end: fc.constantFrom(null, '' as const, undefined),
    /** Whether the service finds out that rows have ended only on an empty page. */
    hasEmptyPage: fc.boolean(),
    isInData: fc.boolean(),
    hasIds: fc.boolean(),
  });

  it('yields each row once, and ends', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...Object.keys(forms)),
      scenario,
      async (name, given) => {
        const { parameter, write } = forms[name] as Form;
        const { count, per_page, hasEmptyPage, isInData, hasIds } = given;
        // A single full page without any member can be that of a service that ignores the query.
        const end = count > per_page ? given.end : (given.end ?? null);
        const respond = ({ url }: Request): Response => {
          const cursor = new URL(url).searchParams.get(parameter);
          const start = cursor === null ? 0 : Number(cursor.replace('c', ''));
          const all = rows(1, count).map((each) => (hasIds ? each : { ...each, id: undefined }));
          const items = all.slice(start, start + per_page);
          const next = start + items.length;
          const envelope = write(
            items.length > 0 ? `c${next}` : undefined,
            next < count || (hasEmptyPage && items.length > 0),
            end,
          );
          return json(body({ items, ...(isInData && envelope) }, isInData ? {} : envelope));
        };
        const { client, requests } = createStubClient([respond]);
        const { seen, error } = await walk(client.transactions.list({ per_page }));
        expect(error).toBe(undefined);
        expect(seen).toEqual(upTo(count));
        expect(requests.length).toBeLessThan(Math.ceil(count / per_page) + 4);
      },
    );
    await fc.assert(property, { numRuns: runs(200, 5_000) });
  });

  it('rejects without an endless loop if the service ignores or repeats the cursor', async () => {
    const repeat = fc.record({
      name: fc.constantFrom(...Object.keys(forms)),
      count: fc.integer({ min: 1, max: 60 }),
      length: fc.integer({ min: 1, max: 5 }),
    });
    const property = fc.asyncProperty(repeat, async ({ name, count, length }) => {
      const { parameter, write } = forms[name] as Form;
      const pages = Array.from({ length }, (__, index) => rows(index * 60 + 1, index * 60 + count));
      const respond = ({ url }: Request): Response => {
        const at = Number(new URL(url).searchParams.get(parameter)?.replace('c', '') ?? 0) % length;
        return json(body({ items: pages[at] }, write(`c${at + 1}`, true, null)));
      };
      const { client, requests } = createStubClient([respond]);
      const { seen, error } = await walk(client.transactions.list({ per_page: 60 }));
      expect(error).toMatchObject(cannotContinue);
      expect(seen).toEqual(pages.flat().map((each) => (each as { amount: number }).amount));
      expect(requests.length).toBeLessThan(2 * length + 2);
    });
    await fc.assert(property, { numRuns: runs(80, 3_000) });
  });

  it.each(['next_payout_at', 'nextRun', 'next_statement', 'next_retry_token_hint'])(
    'sends no parameter for the member %s',
    async (name) => {
      const { client, requests } = createStubClient([
        json(body({ items: rows(1, 3), has_more: false, [name]: 'x' })),
      ]);
      expect(numbers(await collect(client.transactions.list()))).toEqual(upTo(3));
      expect(requests).toHaveLength(1);
    },
  );
});

describe('a list of a service that ignores the page parameter', () => {
  const first = (envelope: object, count = 3, headers = {}): Response =>
    json(body({ items: rows(1, count), ...envelope }), 200, headers);
  const link = (rel: string): object => ({ link: `</api/v1/transactions/2>; rel="${rel}"` });

  it.each<[string, Response, string]>([
    ['that says there is more', first({ more: true }), '`data.more`'],
    ['whose page is full', first({}, 20), '`data.items`'],
    ['that says so under an unknown name', first({ window: { moreRows: true } }), '`data.window.moreRows`'],
    ['that has a token of its own', first({ position: { next_page_token: 'secret' } }), 'next_page_token'],
    ['that is not complete', first({ complete: false }), '`data.complete`'],
    ['that says more beside a cursor that is null', first({ next_cursor: null, nextKey: 'k' }), 'nextKey'],
    ['that ignores its token', first({ next_page_token: 'secret' }), '`data.next_page_token`'],
    ['that links a later last page', first({}, 3, { link: '</x?page=9>; rel="last"' }), '`data.items`'],
    ['that repeats its cursor', first({ next_cursor: 'same' }), '`data.next_cursor`'],
    ['that links a path', first({}, 3, link('next')), '`data.items`'],
    ['whose total is not reached', first({ total: 8 }), '`data.total`'],
    ['whose offset does not change', first({ offset: 0, total: 8 }), '`data.offset`'],
    ['whose page number is below the last', first({ page: 1, pages: 3 }), '`data.pages`'],
    ['whose rows cannot be read', json(body({ items: [{ amount: 'a' }], more: true })), '`data.more`'],
  ])('rejects for one %s, and names the fields of the page', async (_, response, fields) => {
    const { client, requests } = createStubClient([response], { onWarning: () => {} });
    const { seen, error } = await walk(client.transactions.list());
    expect(error).toMatchObject(cannotContinue);
    expect(String(error)).toContain(fields);
    expect(String(error)).not.toContain('secret');
    expect(new Set(seen).size).toBe(seen.length);
    expect(requests.length).toBeLessThan(5);
  });

  it.each<[string, Response, number]>([
    ['a page shorter than asked, without a hint', first({}), 4],
    ['a full page with the total', first({ total: 20 }, 20), 4],
    ['a cursor that is null', first({ next_cursor: null }, 20), 1],
    ['more that is false', first({ more: false }, 20), 1],
    ['the last page by number', first({ page: 1, pages: 1 }, 20), 1],
    ['a Link with first and last only', first({}, 20, link('first')), 1],
    ['an end that is stated beside a cursor', first({ has_more: false, next_cursor: 'later' }, 20), 1],
  ])('ends at %s', async (_, response, asked) => {
    const { client, requests } = createStubClient([response]);
    expect(await walk(client.transactions.list())).toMatchObject({ error: undefined });
    expect(requests).toHaveLength(asked);
  });
});
