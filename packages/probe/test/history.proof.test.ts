import type { RowTemplate } from '@service/internal';
import type { Finding } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { type Exchange, changeData, probeService } from './probe-service.ts';

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
    ['an unsigned amount in a full row', (row) => ({ ...row, amount: Math.abs(Number(row.amount)) })],
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

  it.each<[string, (page: Page, query: URLSearchParams) => unknown, object]>([
    [
      'has_more and the id of a row',
      ({ transactions }) => ({ transactions, pagination: { has_more: true } }),
      { pagination: { has_more: true } },
    ],
  ])('finds the template of pages with %s', async (_, edit, fields) => {
    const options = { payments: false };
    const { find } = await probeService({ options, intercept: interceptPages(edit) });
    expect(valueOf(find('pagination'))).toEqual({
      data: { transactions: ['{each rows}', '{row}'], ...fields },
    });
  });

  it('reports no value for pagination if page=2 returns the first page', async () => {
    const intercept = async ({ request, path, forward, mock }: Exchange): Promise<Response> =>
      path.includes('page=2')
        ? mock.fetch(new Request(request.url.replace('page=2', 'page=1'), request))
        : forward();
    expect((await probeService({ options: { payments: false }, intercept })).result('pagination')).toBe(
      'partly',
    );
  });

  it('plays a list that ignores the number of a page', async () => {
    const { find } = await probeService({
      intercept: async ({ request, path, forward, mock }: Exchange) => {
        if (!path.startsWith('/transactions')) return forward();
        const url = new URL(request.url);
        url.searchParams.delete('page');
        return changeData(await mock.fetch(new Request(url, request)), ({ transactions }) => ({
          transactions,
        }));
      },
    });
    expect(find('pagination')).toMatchObject({ state: 'partly', value: { by: 'cursor' } });
  });

  it('reports no wrong pagination if new rows appear between the requests', async () => {
    const intercept = async ({ path, forward, mock }: Exchange): Promise<Response> => {
      if (path.includes('page=2'))
        mock.sandbox.wallets.credit({ account: mock.account, mode: 'test', currency: 'USD', amount: '1.00' });
      return forward();
    };
    const outcome = await probeService({ options: { payments: false }, intercept });
    expect(['page', 'unknown']).toContain(outcome.result('pagination'));
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
      outcome.result('listQuery.page'),
      outcome.result('listQuery.filter'),
    ]).toEqual(['full', 'reject', 'reject']);
  });
});
