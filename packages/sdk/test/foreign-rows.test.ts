// Pages and rows as common frameworks write them.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawAmount, UnreadableResponseError, type Transaction, type Warning } from '../src/index.ts';
import { readTransactionPage } from '../src/entries/transactions.ts';
import { catchRejection, collect, createStubClient } from './service.ts';

type Row = Readonly<Record<string, unknown>>;
type Respond = (query: URLSearchParams, path: string) => object | string;

interface Service {
  readonly list: (
    query?: object,
  ) => ReturnType<ReturnType<typeof createStubClient>['client']['transactions']['list']>;
  readonly warnings: Warning[];
  readonly queries: string[];
}

/** Creates a client of a service that responds with JSON. */
function serve(respond: Respond): Service {
  const queries: string[] = [];
  const warnings: Warning[] = [];
  const answer = ({ url }: Request): Response => {
    const { search, searchParams, pathname } = new URL(url);
    queries.push(search);
    const body = respond(searchParams, pathname);
    return new Response(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const { client } = createStubClient([answer], { onWarning: (one: Warning) => void warnings.push(one) });
  return { list: (query) => client.transactions.list(query), warnings, queries };
}

const success = (data: unknown, besides: object = {}): object => ({
  success: true,
  mode: 'test',
  data,
  ...besides,
});

const history: readonly Row[] = Array.from({ length: 115 }, (_, index) => ({
  id: 115 - index,
  type: 'supplier_payment',
  amount: '10.50',
  currency: 'USD',
}));
const ids = history.map(({ id }) => String(id));

/** One page of the history, as a framework writes it; `page` counts from 1. */
interface Slice {
  readonly rows: readonly Row[];
  readonly page: number;
  readonly size: number;
  readonly last: number;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Returns the page of a service that counts from 0. */
function fromZero(query: URLSearchParams): { page: number; rows: readonly Row[] } {
  const page = Number(query.get('page') ?? 0);
  return { page, rows: history.slice(page * 20, page * 20 + 20) };
}

const frameworks: readonly [title: string, write: (slice: Slice) => object, requests: number][] = [
  [
    'fastapi-pagination',
    ({ rows: items, page, size, last: pages }) => success({ items, page, size, pages, total: 115 }),
    6,
  ],
  [
    'Django REST framework',
    ({ rows: results, page, last, path }) =>
      success({
        count: 115,
        next: page < last ? `http://elsewhere.test${path}?page=${page + 1}&per_page=20` : null,
        previous: page > 1 ? `http://elsewhere.test${path}?page=${page - 1}&per_page=20` : null,
        results,
      }),
    6,
  ],
  [
    "Laravel's paginator",
    ({ rows: data, page, size, last, path }) =>
      success({
        current_page: page,
        data,
        last_page: last,
        links: [
          { url: null, label: 'previous', active: false },
          { url: path, label: '1', active: true },
        ],
        next_page_url: page < last ? `${path}?page=${page + 1}` : null,
        per_page: size,
        total: 115,
      }),
    6,
  ],
  [
    'Laravel resources',
    ({ rows, page, size, last, path }) =>
      success(rows, {
        links: { first: `${path}?page=1`, next: page < last ? `${path}?page=${page + 1}` : null },
        meta: { current_page: page, last_page: last, per_page: size, total: 115, links: [{ url: path }] },
      }),
    6,
  ],
  [
    'Spring Data, which counts pages from 0',
    ({ query }) => {
      const { page, rows } = fromZero(query);
      const sizes = { size: 20, totalElements: 115, totalPages: 6, numberOfElements: rows.length };
      return success({ content: rows, number: page, first: page === 0, last: page >= 5, ...sizes });
    },
    6,
  ],
  [
    'Spring Data with a container, which counts pages from 0',
    ({ query }) => {
      const { page: number, rows: content } = fromZero(query);
      return success({ content, page: { size: 20, number, totalElements: 115, totalPages: 6 } });
    },
    6,
  ],
  [
    'Spring Data with one-indexed parameters',
    ({ rows: content, page, last }) =>
      success({
        content,
        number: page - 1,
        first: page === 1,
        last: page === last,
        totalPages: last,
        totalElements: 115,
      }),
    7,
  ],
  [
    'links as objects',
    ({ rows, page, last, path }) =>
      success(rows, { links: { next: page < last ? { href: `${path}?page=${page + 1}` } : null } }),
    6,
  ],
];

describe('transactions.list', () => {
  it.each(frameworks)('yields each of 115 rows once from %s', async (_, write, requests) => {
    const service = serve((query, path) => {
      const page = Number(query.get('page') ?? 1);
      const rows = history.slice(page * 20 - 20, page * 20);
      return write({ rows, page, size: 20, last: 6, path, query });
    });
    expect((await collect(service.list({ per_page: 20 }))).map(({ id }) => id)).toEqual(ids);
    expect(service.queries).toHaveLength(requests);
    expect(service.warnings).toEqual([]);
  });

  it('reads the figures of fastapi-pagination, with has_more false on the last page', async () => {
    const service = serve(() => success({ items: [{ id: 1 }], page: 1, size: 20, pages: 1, total: 1 }));
    const { pagination } = await service.list();
    expect(pagination).toMatchObject({
      current_page: 1,
      per_page: 20,
      total: 1,
      total_pages: 1,
      has_more: false,
    });
  });

  it('ignores an array without objects beside the rows', async () => {
    const service = serve(() => success({ results: [{ id: 1 }], currencies: ['USD'], data: [] }));
    expect(await collect(service.list())).toHaveLength(1);
  });

  it.each([
    [{ transactions: [], totals: [{ id: 1 }] }],
    [{ items: [], warnings: [] }],
    [{ movements: [], count: 0 }],
    [[]],
  ])('reads %j as an empty page', async (data) => {
    const service = serve(() => success(data));
    expect((await service.list()).transactions).toEqual([]);
  });

  it.each<[object, string]>([
    [success({ results: [{ id: 1 }], rows: [{ id: 2 }] }), '`data.results` and `data.rows`'],
    [success([{ id: 1 }], { included: [{ id: 2 }] }), '`data` and `included`'],
    [success({ items: [], fees: [{ id: 2 }] }), '`data.fees` and `data.items`'],
    [success({ count: 2, movements: ['a', 'b'] }), '`data.count`; `data.movements`.'],
    [success([5]), '`data`'],
    [success(null, { total: 3 }), '`success`; `mode`; `data`; `total`.'],
    [{ success: true }, 'it has no array of transactions. It has the fields `success`.'],
    [
      success({ 'Acme Ltd': 1, DE89370400440532013000: 2, iban_89370400: 3 }),
      '`data.…`; `data.…`; `data.…`.',
    ],
  ])('names in its error the structure of %j', async (body, text) => {
    const service = serve(() => body);
    const error = await catchRejection(service.list());
    expect(error).toMatchObject({ name: 'UnreadableResponseError', status: 200 });
    expect(String(error)).toContain(text);
  });
});

describe('a transaction', () => {
  const read = async (row: object | string): Promise<Transaction | undefined> => {
    const text = typeof row === 'string' ? row : JSON.stringify(row);
    const service = serve(() => `{"success":true,"mode":"test","data":{"items":[${text}]}}`);
    return (await service.list()).transactions[0];
  };

  it.each([
    ['{"id":42}', '42'],
    ['{"id":9007199254740993}', '9007199254740993'],
    ['{"id":-12345678901234567890}', '-12345678901234567890'],
    ['{"id":"00042"}', '00042'],
    ['{"id":null,"uuid":"a-b"}', 'a-b'],
    ['{"id":""}', null],
    ['{"id":{"value":1}}', null],
    ['{"amount":1}', null],
  ])('of %s has the id %j', async (row, id) => {
    expect((await read(row))?.id).toBe(id);
  });

  it('has values of other names under the documented ones, and all fields as received', async () => {
    const row = {
      id: 7,
      kind: 'supplier_payment',
      state: 'posted',
      from_currency: 'USD',
      send_amount: '7.77',
      posted_at: '2026-01-31T12:00:00Z',
      purpose: 'INV-42',
      description: 'Acme',
    };
    const transaction = await read(row);
    expect(transaction).toMatchObject({
      ...row,
      id: '7',
      type: 'supplier_payment',
      status: 'posted',
      currency: 'USD',
      amount: 7.77,
      created_at: '2026-01-31T12:00:00Z',
      reference: 'INV-42',
    });
    expect(rawAmount(transaction as Transaction, 'amount')).toBe('7.77');
  });

  it('has no created_at from a date, which is less precise', async () => {
    expect(await read({ id: 1, date: '2026-01-31T00:00:00Z' })).not.toHaveProperty('created_at');
  });

  it('keeps the digits of an amount that no number can represent', async () => {
    const service = serve(
      () =>
        '{"success":true,"data":{"results":[{"id":1,"amount":1},{"id":2,"send_amount":9007199254740993}]}}',
    );
    const { transactions } = await service.list();
    expect(rawAmount(transactions[1] as Transaction, 'amount')).toBe('9007199254740993');
    expect(service.warnings.map(({ code }) => code)).toEqual(['inexact_money']);
  });

  it.each([
    '{"id":1,"amount":{"value":"-10.50","currency":"USD"},"fee":{"amount":0.25}}',
    '{"id":1,"currency":"USD","send_amount":{"amount":-10.50},"fee":{"value":"0.25","currency":"USD"}}',
    '{"id":1,"amount":{"units":"-10","nanos":-500000000,"currency_code":"USD"},"fee":0.25}',
  ])('has the amounts and the currency of the money objects of %s', async (row) => {
    const transaction = await read(row);
    expect(transaction).toMatchObject({ amount: -10.5, fee: 0.25, currency: 'USD' });
    expect(rawAmount(transaction as Transaction, 'amount')).toBe('-10.50');
    expect(rawAmount(transaction as Transaction, 'fee')).toBe('0.25');
  });

  it.each<[object, string | null]>([
    [{ reference: 'pay_test_B1' }, 'pay_test_B1'],
    [{ details: { payment: { id: 'pay_test_B2' } } }, 'pay_test_B2'],
    [{ description: 'Payment pay_test_B3.' }, 'pay_test_B3'],
    [{ payment_id: 'own-1', reference: 'pay_test_B4' }, 'own-1'],
    [{ payment_id: null, reference: 'pay_live_B5' }, null],
    [{ payment_id: '', links: ['pay_test_B6', 'pay_test_B7'] }, null],
    [{ payment: { id: 7 }, source: { type: 'refund', id: 're_1' } }, null],
  ])('of %j has the payment_id %j', async (row, id) => {
    expect((await read(row))?.payment_id).toBe(id);
  });
});

describe('an amount whose name says that it is in minor units', () => {
  it.each([
    [{ amountMinor: -9_164, currency: 'USD' }, '-91.64'],
    [{ amount_minor: 5, currency: 'EUR' }, '0.05'],
    [{ amount_cents: -9, currency: 'USD' }, '-0.09'],
    [{ amountMinor: 1_000, currency: 'JPY' }, '1000'],
    [{ amountMinor: 9_164, currency: 'KWD' }, '9.164'],
    [{ amount: 7, amountMinor: 700, currency: 'USD' }, '7'],
  ])('%j is %s', async (row, digits) => {
    const service = serve(() => success({ items: [{ id: 1, ...row }], page: 1, pages: 1 }));
    const [read] = (await service.list()).transactions;
    expect([read?.amount, read && rawAmount(read, 'amount')]).toEqual([Number(digits), digits]);
    expect(service.warnings).toEqual([]);
  });
});

describe('an unreadable row', () => {
  const good = { id: 1, amount: 5 };

  it.each<[unknown, string]>([
    [{ id: 2, amount: 'USD 5' }, 'data.items[1].amount is not an amount'],
    [{ id: 2, send_amount: { units: 5 } }, 'data.items[1].send_amount is not an amount'],
    [{ id: 2, amount: { value: 500, rate: 2 } }, 'data.items[1].amount is not an amount'],
    [{ id: 2, amount: { value: 500, exponent: 2 } }, 'data.items[1].amount is not an amount'],
    [{ id: 2, amount: { value: 500 } }, 'data.items[1].amount is not an amount'],
    [{ id: 2, amount: { minor_units: 500 } }, 'data.items[1].amount is not an amount'],
    [
      { id: 2, amountMinor: 5.5, currency: 'USD' },
      'data.items[1].amountMinor is not a whole number of a minor unit of a known currency',
    ],
    [
      { id: 2, amount_cents: 500 },
      'data.items[1].amount_cents is not a whole number of a minor unit of a known currency',
    ],
    [{ id: 2, amount: 5, fee: true }, 'data.items[1].fee is not an amount'],
    ['text', 'data.items[1] is not an object'],
    [null, 'data.items[1] is not an object'],
  ])('such as %j is left out with a warning', async (row, text) => {
    const service = serve(() => success({ items: [good, row], page: 1, pages: 1 }));
    const { data, warnings } = await service.list().withResponse();
    expect(data.transactions).toMatchObject([{ id: '1' }]);
    expect(warnings).toEqual([
      { code: 'unreadable_row', message: `Left out 1 of 2 transactions of a page: ${text}.` },
    ]);
    expect(service.warnings).toEqual(warnings);
  });

  it('is named at most three times per page', async () => {
    const service = serve(() => success({ transactions: ['a', 'b', 'c', 'd', 'e'] }));
    expect((await service.list()).transactions).toEqual([]);
    expect(service.warnings[0]?.message).toMatch(/^Left out 5 of 5 .*\[2\] is not an object; and 2 more\.$/);
  });

  it('does not end the iteration', async () => {
    const bad = { id: 1, amount: 'x' };
    const pages = [[bad], [bad, { id: 2 }], [{ id: 3 }]];
    const service = serve((query) => success({ items: pages[Number(query.get('page') ?? 1) - 1] ?? [] }));
    expect((await collect(service.list())).map(({ id }) => id)).toEqual(['2', '3']);
  });
});

describe('rows without an id', () => {
  const fee = { type: 'fee', amount: -1 };

  it('are kept, even if they are equal', async () => {
    const pages = [
      [fee, { id: 1 }, fee],
      [fee, { id: 2 }, fee],
    ];
    const service = serve((query) => success({ items: pages[Number(query.get('page') ?? 1) - 1] ?? [] }));
    expect((await collect(service.list())).map(({ id }) => id)).toEqual([null, '1', null, null, '2', null]);
  });

  it('are yielded once by a service that ignores the page parameter', async () => {
    const service = serve(() => success({ items: [fee, fee, { amount: 2 }] }));
    expect(await collect(service.list())).toHaveLength(3);
    expect(service.queries).toHaveLength(4);
  });
});

describe('readTransactionPage', () => {
  const source = { headers: new Headers(), page: 1 } as const;

  it('returns rows and the query of the next page', () => {
    const data = { results: [{ id: 1 }], next: '/transactions?page=2&size=1' };
    const reading = readTransactionPage({ ...source, text: JSON.stringify(success(data)) });
    expect(reading).toMatchObject({
      items: [{ id: 1 }],
      path: ['data', 'results'],
      next: { page: '2', size: '1' },
    });
  });

  it.each(['', '<html>', '[]', '{"data":{}}'])('returns the problem of the body %j', (text) => {
    expect(readTransactionPage({ ...source, text })).toEqual({ problem: expect.any(String) });
  });

  it('does not throw for units that have no text', () => {
    const amount = { units: { toString: 1 }, nanos: [{ toString: 1 }] };
    const text = JSON.stringify(success({ transactions: [{ id: 'a', amount }] }));
    expect(readTransactionPage({ ...source, text })).toMatchObject({ path: ['data', 'transactions'] });
  });
});

const names = [
  'success',
  'data',
  'transactions',
  'items',
  'results',
  'rows',
  'meta',
  'links',
  'pagination',
  'next',
  'page',
  'pages',
  'total_pages',
  'has_more',
  'next_cursor',
  'number',
  'first',
  'totalElements',
  'id',
  'amount',
  'fee',
  'payment_id',
  'reference',
  'created_at',
  '__proto__',
  'toString',
];
const anyJson = fc.letrec<{ json: unknown; object: unknown; rows: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      false,
      '',
      'x',
      'pay_test_1',
      '2',
      '?page=2',
      'http://a.test/?cursor=%',
      '1.5',
    ),
    fc.double(),
    fc.integer({ min: -2, max: 3 }),
    tie('rows'),
    tie('object'),
  ),
  rows: fc.array(tie('json'), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 8 }),
}));

describe('transactions.list of arbitrary JSON', () => {
  it('yields rows or rejects with an UnreadableResponseError', async () => {
    const page = fc.record({ data: anyJson.json, besides: anyJson.object });
    const property = fc.asyncProperty(page, async ({ data, besides }) => {
      const body = JSON.stringify({ ...(besides as object), success: true, mode: 'test', data });
      const { client, requests } = createStubClient([new Response(body)], { onWarning: () => {} });
      const outcome = await collect(client.transactions.list()).catch((error: unknown) => error);
      const isRows =
        Array.isArray(outcome) && outcome.every(({ id }) => id === null || typeof id === 'string');
      expect(isRows || (outcome instanceof UnreadableResponseError && /`\w+/.test(outcome.message))).toBe(
        true,
      );
      expect(requests.length).toBeLessThan(6);
    });
    await fc.assert(property);
  });

  it('yields the same rows at any depth of nesting', async () => {
    const deep = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    const { client } = createStubClient([new Response(`{"success":true,"data":{"items":[{"a":${deep}}]}}`)]);
    expect(await collect(client.transactions.list())).toHaveLength(1);
  });
});
