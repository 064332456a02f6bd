import { describe, expect, it } from 'vitest';
import type { ProfileChoice } from '@service/mock';
import { openProfile } from './support.ts';

// Rows and pages of the transaction list by example. Their responses deviate from openapi.yaml, so they are not checked
// against it.

interface Row {
  readonly [name: string]: unknown;
}

/** The lines of a service: a hold, a payment with its fee apart, what the beneficiary gets, a failure and its refund. */
const bankRows = {
  create: [{ n: '{number}', kind: 'HOLD', of: '{payment_id}', amount: '{amount}', left: '{balance_after}' }],
  debit: [
    { n: '{number}', kind: 'PAYOUT', amount: '{net negative cents}', left: '{balance_before_fee fixed}' },
    { n: '{number}', kind: 'FEE', amount: '{fee negative cents}', left: '{balance_after fixed}' },
  ],
  completion: [{ n: '{number}', kind: 'SENT', amount: '{receive_amount}', in: '{to_currency}' }],
  failure: [
    {
      n: '{number}',
      kind: 'FAILED',
      state: '{status upper failed=RETURNED}',
      amount: 0,
      memo: 'Return of {payment_id}',
    },
  ],
  refund: [{ n: '{number}', kind: 'REFUND', amount: '{amount text}', left: '{balance_after}' }],
} as const satisfies ProfileChoice['rows'];

const plain = { body: '{rows}' } as const satisfies ProfileChoice['pagination'];
const oldest = { order: 'oldest' } as const;

describe('the rows of a profile', () => {
  it('are those of each event of a payment, in the order of the events', async () => {
    const { mock, get, pay } = openProfile({
      rows: bankRows,
      pagination: plain,
      listQuery: oldest,
      fees: { flat: '1.00' },
      debitAt: 'processing',
    });
    mock.sandbox.wallets.set({ currency: 'USD', amount: 1000 });
    const { id } = (await pay({ amount: 100 })).json.data;
    await mock.sandbox.clock.advance('1s');
    const failed = (await pay({ amount: 10, beneficiary_account: 'SIM-FAIL' })).json.data.id;
    await mock.sandbox.clock.advance('1m');
    expect((await get('/transactions')).json).toEqual([
      { n: 1, kind: 'HOLD', of: id, amount: -100, left: 1000 },
      { n: 2, kind: 'PAYOUT', amount: -9900, left: '901.00' },
      { n: 3, kind: 'FEE', amount: -100, left: '900.00' },
      { n: 4, kind: 'HOLD', of: failed, amount: -10, left: 900 },
      { n: 5, kind: 'PAYOUT', amount: -900, left: '891.00' },
      { n: 6, kind: 'FEE', amount: -100, left: '890.00' },
      { n: 7, kind: 'SENT', amount: 91.21, in: 'EUR' },
      { n: 8, kind: 'FAILED', state: 'RETURNED', amount: 0, memo: `Return of ${failed}` },
      { n: 9, kind: 'REFUND', amount: '10', left: 900 },
    ]);
  });

  const debits = ['create', 'processing', 'completed'] as const;
  it.each(debits)('are in this order at one time with a debit at %s', async (debitAt) => {
    const moments = ['create', 'debit', 'completion', 'failure', 'refund'];
    const rows = Object.fromEntries(moments.map((moment) => [moment, [moment]]));
    const { mock, get, pay } = openProfile({
      rows,
      debitAt,
      pagination: plain,
      listQuery: oldest,
      statuses: { pending: 0, processing: 0, completed: 0 },
    });
    await pay({ amount: 1, beneficiary_account: 'SIM-RETURN' });
    await mock.sandbox.clock.advance('1s');
    expect((await get('/transactions')).json).toEqual(moments);
  });

  it('of deposits and adjustments have no values of a payment', async () => {
    const row = {
      amount: '{amount}',
      payment: '{payment_id}',
      purpose: '{purpose}',
      fee: '{fee}',
      at: '{payment_created_at}',
      state: '{status}',
      text: 'Deposit {payment_id}',
    };
    const { mock, get } = openProfile({ rows: { deposit: [row], adjustment: [row] }, pagination: plain });
    mock.sandbox.wallets.set({ currency: 'EUR', amount: '99000.00' });
    const none = { payment: null, purpose: null, fee: null, at: null, state: 'completed', text: null };
    expect((await get('/transactions?per_page=2')).json).toEqual([
      { amount: -1000, ...none },
      { amount: 100_000, ...none },
    ]);
    mock.sandbox.profile.set({ absent: 'omit' });
    expect((await get('/transactions?per_page=1')).json[0]).not.toHaveProperty('purpose');
  });

  it('have amounts and times in the forms that they select, else in those of the profile', async () => {
    const forms = ['', ' positive', ' cents', ' positive cents', ' text', ' fixed', ' number', ' cents text'];
    const row = {
      amounts: forms.map((form) => `{amount${form}}`),
      times: ['{created_at}', '{created_at unix}', '{created_at unix_ms}', 'at {created_at}'],
      texts: ['{{id} {status upper}', '{number text}'],
    } as const;
    const { get, pay } = openProfile({ rows: { debit: [row] }, pagination: plain, numbers: 'string' });
    await pay({ amount: 20.5 });
    expect((await get('/transactions')).json).toEqual([
      {
        amounts: ['-20.5', '20.5', -2050, 2050, '-20.5', '-20.50', -20.5, '-2050'],
        times: [
          '2026-01-31T12:00:00+00:00',
          1_769_860_800,
          1_769_860_800_000,
          'at 2026-01-31T12:00:00+00:00',
        ],
        texts: ['{id} PENDING', '1'],
      },
    ]);
  });

  it.each(['newest', 'oldest'] as const)(
    'are on all pages once in the order %s, while others are added',
    async (order) => {
      for (const by of ['cursor', 'page'] as const) {
        const body = { rows: '{rows}', next: by === 'page' ? '{next_page}' : '{next_cursor}' };
        const { get, pay } = openProfile({
          rows: bankRows,
          listQuery: { order },
          pagination: { body, by, parameter: 'after' },
        });
        for (let count = 0; count < 5; count += 1) await pay({ amount: 1 });
        const seen: number[] = [];
        let next: string | number | null = '';
        while (next !== null) {
          const query: string = next === '' ? '' : `&after=${next}`;
          const page = (await get(`/transactions?per_page=4${query}`)).json;
          seen.push(...page.rows.map(({ n }: Row) => n));
          // New rows move the pages of the newest first.
          if (seen.length < 10 && (by === 'cursor' || order === 'oldest')) await pay({ amount: 1 });
          ({ next } = page);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(seen.toSorted((a, b) => (order === 'newest' ? b - a : a - b)));
        expect(seen.filter((n) => n <= 15)).toHaveLength(15);
      }
    },
  );

  it('show their number of a page past the end, and their ids stay the same', async () => {
    const { get, pay } = openProfile({
      rows: { create: ['{id}'], debit: ['{id}', '{id}'] },
      pagination: plain,
    });
    await pay({ amount: 1 });
    const before = (await get('/transactions')).json;
    await pay({ amount: 1 });
    expect((await get('/transactions')).json.slice(3)).toEqual(before);
    expect(new Set((await get('/transactions')).json).size).toBe(6);
    expect((await get('/transactions?page=9')).json).toEqual([]);
  });
});

describe('the pages of a profile', () => {
  const body = {
    items: '{rows}',
    ...Object.fromEntries(
      'page per_page total total_pages count offset from to next_page previous_page next_offset has_more has_previous next previous first last'
        .split(' ')
        .map((name) => [name, `{${name}}`]),
    ),
    url: '{next url}',
    mode: '{mode}',
  };

  it('have the counts and links of the page', async () => {
    const { get } = openProfile({ rows: { deposit: ['{currency}'] }, pagination: { body, first: 0 } });
    const path = (page: number): string => `/api/v1/transactions?page=${page}&per_page=2&type=deposit`;
    expect((await get('/transactions?per_page=2&type=deposit')).json).toEqual({
      items: ['GBP', 'EUR'],
      page: 0,
      per_page: 2,
      total: 3,
      total_pages: 2,
      count: 2,
      offset: 0,
      from: 1,
      to: 2,
      next_page: 1,
      previous_page: null,
      next_offset: 2,
      has_more: true,
      has_previous: false,
      next: path(1),
      previous: null,
      first: path(0),
      last: path(1),
      url: `http://localhost${path(1)}`,
      mode: 'test',
    });
    expect((await get('/transactions?page=1&per_page=2&type=deposit')).json).toMatchObject({
      items: ['USD'],
      count: 1,
      next_page: null,
      previous_page: 0,
      previous: path(0),
    });
    expect((await get('/transactions?page=7&per_page=2')).json).toMatchObject({
      count: 0,
      from: null,
      to: null,
    });
  });

  it('have a Link header with the links that have a page', async () => {
    const link = '<{next url}>; rel="next", <{previous}>; rel="prev", <{first}>; rel="first"';
    const { get } = openProfile({ pagination: { body: '{rows}', link, by: 'offset', parameter: 'skip' } });
    const linkOf = async (query: string) => (await get(`/transactions?${query}`)).headers.get('link');
    expect(await linkOf('per_page=2')).toBe(
      '<http://localhost/api/v1/transactions?skip=2&per_page=2>; rel="next", </api/v1/transactions?skip=0&per_page=2>; rel="first"',
    );
    expect(await linkOf('per_page=2&skip=2')).toContain(
      '</api/v1/transactions?skip=0&per_page=2>; rel="prev"',
    );
    expect(await linkOf('per_page=2&skip=2')).not.toContain('next');
  });
});
