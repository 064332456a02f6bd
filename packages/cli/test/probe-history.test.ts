// What the probe makes of histories that look like one of the shapes that it knows, and are none of them.
import { expect, it } from 'vitest';
import { type Asked, change, probeService, refuse } from './probe-world.ts';

type Row = Record<string, unknown>;
type Page = { transactions: Row[]; pagination: Row };

/** Changes every page of the history. */
function bendPages(edit: (page: Page, query: URLSearchParams) => unknown) {
  return async ({ path, answer }: Asked): Promise<Response> =>
    path.startsWith('/transactions')
      ? change(await answer(), (data) =>
          edit(data as unknown as Page, new URLSearchParams(path.split('?')[1])),
        )
      : answer();
}

it.each<[string, (row: Row) => Row]>([
  ['names of its own', ({ id, type, amount }) => ({ uuid: id, kind: type, value: amount })],
  ['a field more', (row) => ({ ...row, description: 'Payment' })],
  [
    'a sign in a short row',
    ({ id, type, status, currency, amount, created_at }) => ({
      id,
      type,
      status,
      currency,
      amount,
      created_at,
    }),
  ],
  ['no sign in a full row', (row) => ({ ...row, amount: Math.abs(Number(row.amount)) })],
  ['a part of what is full', (row) => ({ ...row, balance_after: undefined })],
])('takes rows with %s for a shape of their own', async (_, edit) => {
  const bend = bendPages(({ transactions, ...page }) => ({ ...page, transactions: transactions.map(edit) }));
  expect((await probeService({ bend })).said('transactionShape')).toBe('other');
});

it.each<[string, (page: Page, query: URLSearchParams) => unknown]>([
  ['has_more and the id of a row', ({ transactions }) => ({ transactions, pagination: { has_more: true } })],
  ['a next page by another name', ({ transactions }) => ({ transactions, meta: { next: 2 } })],
])('takes pages with %s for a shape of their own', async (_, edit) => {
  expect((await probeService({ pays: false, bend: bendPages(edit) })).said('pagination')).toBe('other');
});

it('takes pages that page=2 does not turn for a shape of their own', async () => {
  const bend = async ({ request, path, answer, mock }: Asked): Promise<Response> =>
    path.includes('page=2')
      ? mock.fetch(new Request(request.url.replace('page=2', 'page=1'), request))
      : answer();
  expect((await probeService({ pays: false, bend })).said('pagination')).toBe('other');
});

it('does not take a list with a word on its pages beside it for a plain one', async () => {
  const bend = async ({ path, answer }: Asked): Promise<Response> => {
    const response = await answer();
    if (!path.startsWith('/transactions') || !response.ok) return response;
    const { data } = (await response.json()) as { data: Page };
    const { current_page, total_pages } = data.pagination;
    return Response.json({
      success: true,
      mode: 'test',
      data: data.transactions,
      meta: { current_page, last_page: total_pages },
    });
  };
  expect((await probeService({ pays: false, bend })).said('pagination')).toBe('other');
});

it('does not blame the pages for rows that come while it reads them', async () => {
  const bend = async ({ path, answer, mock }: Asked): Promise<Response> => {
    if (path.includes('page=2'))
      mock.sandbox.wallets.credit({ account: mock.account, mode: 'test', currency: 'USD', amount: '1.00' });
    return answer();
  };
  expect((await probeService({ pays: false, bend })).said('pagination')).toBe('unknown');
});

it('does not take pages that ignore their size for clamped ones', async () => {
  const bend = async ({ request, path, answer, mock }: Asked): Promise<Response> =>
    /per_page=(0|101)$/.test(path)
      ? mock.fetch(new Request(request.url.replace(/per_page=\d+/, 'per_page=20'), request))
      : answer();
  expect((await probeService({ pays: false, bend })).said('badPage')).toBe('other');
});

it.each([[[]], [[{ id: 'a' }]]])('tells nothing of pages that hold only %j', async (transactions) => {
  const bend = async ({ path, answer }: Asked): Promise<Response> =>
    path.startsWith('/transactions')
      ? Response.json({
          success: true,
          mode: 'test',
          data: { transactions, pagination: { current_page: 1 } },
        })
      : answer();
  const seen = await probeService({ pays: false, bend });
  expect([seen.said('pagination'), seen.said('badPage')]).toEqual(['unknown', 'unknown']);
});

it('reads no rule out of a history that there is not', async () => {
  const seen = await probeService({
    bend: async (asked) =>
      asked.path.startsWith('/transactions') ? refuse(404, 'not_found') : asked.answer(),
  });
  for (const setting of ['transactionShape', 'pagination', 'badPage', 'unknownFilter'])
    expect([setting, seen.said(setting)]).toEqual([setting, 'unknown']);
});

/** Sends the rows of every page in another response body. */
function sendRows(write: (rows: Row[], page: number, isLast: boolean) => object) {
  return async ({ path, answer }: Asked): Promise<Response> => {
    const response = await answer();
    if (!path.startsWith('/transactions') || !response.ok) return response;
    const { data } = (await response.json()) as { data: Page };
    const { current_page, has_more } = data.pagination;
    return Response.json({
      success: true,
      mode: 'test',
      ...write(data.transactions, Number(current_page), has_more !== true),
    });
  };
}

it.each<[string, Parameters<typeof sendRows>[0], string]>([
  [
    'Laravel resources',
    (data, page, isLast) => ({
      data,
      links: { next: isLast ? null : `/transactions?page=${page + 1}` },
      meta: { current_page: page },
    }),
    'per_page=1&page=2 leads to the next row, and no value describes the page; rows in data; fields: links beside data, meta beside data',
  ],
  [
    'fastapi-pagination',
    (items, page, isLast) => ({ data: { items, page, size: 1, pages: isLast ? page : page + 1 } }),
    'per_page=1&page=2 leads to the next row, and no value describes the page; rows in data.items; fields: items, page, size, pages',
  ],
  [
    'Django REST framework',
    (results, page, isLast) => ({
      data: { count: 9, next: isLast ? null : `http://x.test/?page=${page + 1}`, previous: null, results },
    }),
    'rows in data.results; fields: count, next, previous, results',
  ],
])('follows the pages of %s, which it says no value describes', async (_, write, evidence) => {
  const seen = await probeService({ bend: sendRows(write) });
  expect(seen.of('pagination')).toMatchObject({
    state: 'other',
    evidence: expect.stringContaining(evidence),
  });
  expect([seen.said('transactionShape'), seen.said('badPage'), seen.said('unknownFilter')]).toEqual([
    'full',
    'reject',
    'reject',
  ]);
});

it('names the arrays of a page that it cannot read', async () => {
  const bend = sendRows((rows) => ({ data: { sent: rows, received: rows } }));
  const seen = await probeService({
    pays: false,
    bend,
    profile: { badPage: 'clamp', unknownFilter: 'ignore' },
  });
  for (const setting of ['transactionShape', 'pagination', 'badPage', 'unknownFilter'])
    expect([setting, seen.of(setting)]).toEqual([
      setting,
      expect.objectContaining({
        state: setting === 'transactionShape' ? 'other' : 'unknown',
        evidence: expect.stringContaining('`data.sent` and `data.received`'),
      }),
    ]);
});
