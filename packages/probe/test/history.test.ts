import type { RowTemplate } from '@service/internal';
import type { Finding } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { type Exchange, changeData, probeService, createError } from './probe-service.ts';

type Row = Record<string, unknown>;
interface Page {
  transactions: Row[];
  pagination: Row;
}

/** Changes every page of the history. */
function interceptPages(edit: (page: Page, query: URLSearchParams) => unknown) {
  return async ({ path, forward }: Exchange): Promise<Response> =>
    path.startsWith('/transactions')
      ? changeData(await forward(), (data) =>
          edit(data as unknown as Page, new URLSearchParams(path.split('?')[1])),
        )
      : forward();
}

const valueOf = (finding: Finding | undefined): unknown =>
  finding?.state === 'found' ? finding.value : undefined;

describe('probe, history', () => {
  it.each<[string, (row: Row) => Row]>([
    ['an additional field', (row) => ({ ...row, description: 'Payment' })],
    [
      'a signed amount in a minimal row',
      ({ id, type, status, currency, amount, created_at }) => ({
        id,
        type,
        status,
        currency,
        amount,
        created_at,
      }),
    ],
    ['an unsigned amount in a full row', (row) => ({ ...row, amount: Math.abs(Number(row.amount)) })],
    ['only some of the full fields', (row) => ({ ...row, balance_after: undefined })],
  ])('finds templates of rows with %s', async (_, edit) => {
    const intercept = interceptPages(({ transactions, ...page }) => ({
      ...page,
      transactions: transactions.map(edit),
    }));
    const { find } = await probeService({ intercept });
    const [template] = valueOf(find('transactionShape')) as RowTemplate[];
    const sample = { id: 'a', type: 'b', status: 'c', currency: 'd', amount: 1, fee: 1, balance_after: 1 };
    const wanted = edit({ ...sample, payment_id: 'e', reference: 'f', created_at: 'g' });
    expect(template?.of).toBe('payment');
    expect(Object.keys(template?.row ?? {})).toEqual(
      Object.keys(wanted).filter((name) => wanted[name] !== undefined),
    );
  });

  it('reports other for rows without a payment id, a purpose or a time', async () => {
    const intercept = interceptPages(({ transactions, ...page }) => ({
      ...page,
      transactions: transactions.map(({ id, type, amount }) => ({ uuid: id, kind: type, value: amount })),
    }));
    expect((await probeService({ intercept })).result('transactionShape')).toBe('other');
  });

  it.each<[string, (page: Page, query: URLSearchParams) => unknown, object]>([
    [
      'has_more and the id of a row',
      ({ transactions }) => ({ transactions, pagination: { has_more: true } }),
      { pagination: { has_more: true } },
    ],
    [
      'another field for the next page',
      ({ transactions, pagination }) => ({
        transactions,
        meta: { next: pagination.has_more === true ? Number(pagination.current_page) + 1 : null },
      }),
      { meta: { next: '{next_page}' } },
    ],
  ])('finds the template of pages with %s', async (_, edit, fields) => {
    const options = { payments: false };
    const { find } = await probeService({ options, intercept: interceptPages(edit) });
    expect(valueOf(find('pagination'))).toEqual({
      data: { transactions: ['{each rows}', '{row}'], ...fields },
    });
  });

  it('reports other for pagination if page=2 returns the first page', async () => {
    const intercept = async ({ request, path, forward, mock }: Exchange): Promise<Response> =>
      path.includes('page=2')
        ? mock.fetch(new Request(request.url.replace('page=2', 'page=1'), request))
        : forward();
    expect((await probeService({ options: { payments: false }, intercept })).result('pagination')).toBe(
      'other',
    );
  });

  it('does not report array for a list with page metadata next to it', async () => {
    const intercept = async ({ path, forward }: Exchange): Promise<Response> => {
      const response = await forward();
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
    const { find } = await probeService({ options: { payments: false }, intercept });
    expect(valueOf(find('pagination'))).toEqual({
      data: ['{each rows}', '{row}'],
      beside: { meta: { current_page: '{page}', last_page: '{last_page}' } },
    });
  });

  it('reports unknown for pagination if new rows appear between the requests', async () => {
    const intercept = async ({ path, forward, mock }: Exchange): Promise<Response> => {
      if (path.includes('page=2'))
        mock.sandbox.wallets.credit({ account: mock.account, mode: 'test', currency: 'USD', amount: '1.00' });
      return forward();
    };
    expect((await probeService({ options: { payments: false }, intercept })).result('pagination')).toBe(
      'unknown',
    );
  });

  it('does not report clamp if the service ignores per_page', async () => {
    const intercept = async ({ request, path, forward, mock }: Exchange): Promise<Response> =>
      /per_page=(0|101)$/.test(path)
        ? mock.fetch(new Request(request.url.replace(/per_page=\d+/, 'per_page=20'), request))
        : forward();
    expect((await probeService({ options: { payments: false }, intercept })).result('badPage')).toBe(
      'unknown',
    );
  });

  it.each([[[]], [[{ id: 'a' }]]])('reports unknown for pages that contain only %j', async (transactions) => {
    const intercept = async ({ path, forward }: Exchange): Promise<Response> =>
      path.startsWith('/transactions')
        ? Response.json({
            success: true,
            mode: 'test',
            data: { transactions, pagination: { current_page: 1 } },
          })
        : forward();
    const outcome = await probeService({ options: { payments: false }, intercept });
    expect([outcome.result('pagination'), outcome.result('badPage')]).toEqual(['unknown', 'unknown']);
  });

  it('measures no history setting if the history responds with 404', async () => {
    const outcome = await probeService({
      intercept: async ({ path, forward }) =>
        path.startsWith('/transactions') ? createError(404, 'not_found') : forward(),
    });
    for (const setting of ['transactionShape', 'pagination', 'badPage', 'unknownFilter'])
      expect([setting, outcome.result(setting)]).toEqual([setting, 'unknown']);
  });

  /** Sends the rows of every page in another response body. */
  function sendRows(write: (rows: Row[], page: number, isLast: boolean) => object) {
    return async ({ path, forward }: Exchange): Promise<Response> => {
      const response = await forward();
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

  it.each<[string, Parameters<typeof sendRows>[0], string, object]>([
    [
      'Laravel resources',
      (data, page, isLast) => ({
        data,
        links: { next: isLast ? null : `/transactions?page=${page + 1}` },
        meta: { current_page: page },
      }),
      'rows in data; fields: links beside data, meta beside data',
      {
        data: ['{each rows}', '{row}'],
        beside: { links: { next: '{next_path}' }, meta: { current_page: '{page}' } },
      },
    ],
    [
      'fastapi-pagination',
      (items, page, isLast) => ({ data: { items, page, size: 1, pages: isLast ? page : page + 1 } }),
      'not explained, and written as in the last response: pages',
      { data: { items: ['{each rows}', '{row}'], page: '{page}', size: 1, pages: 1 } },
    ],
    [
      'Django REST framework',
      (results, page, isLast) => ({
        data: { count: 9, next: isLast ? null : `http://x.test/?page=${page + 1}`, previous: null, results },
      }),
      'rows in data.results; fields: count, next, previous, results',
      { data: { count: 9, next: '{next_url}', previous: null, results: ['{each rows}', '{row}'] } },
    ],
  ])('follows the pages of %s, and finds their template', async (_, write, evidence, template) => {
    const outcome = await probeService({ intercept: sendRows(write) });
    expect(outcome.find('pagination')).toMatchObject({
      state: 'found',
      value: template,
      evidence: expect.stringContaining(evidence),
    });
    expect([
      outcome.result('transactionShape'),
      outcome.result('badPage'),
      outcome.result('unknownFilter'),
    ]).toEqual(['full', 'reject', 'reject']);
  });

  it('lists the arrays of a page that it cannot read', async () => {
    const intercept = sendRows((rows) => ({ data: { sent: rows, received: rows } }));
    const outcome = await probeService({
      options: { payments: false },
      intercept,
      profile: { badPage: 'clamp', unknownFilter: 'ignore' },
    });
    for (const setting of ['transactionShape', 'pagination', 'badPage', 'unknownFilter'])
      expect([setting, outcome.find(setting)]).toEqual([
        setting,
        expect.objectContaining({
          state: setting === 'transactionShape' ? 'other' : 'unknown',
          evidence: expect.stringContaining('`data.sent` and `data.received`'),
        }),
      ]);
  });
});
