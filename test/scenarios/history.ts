import type { Profile } from '@service/mock';
import { create, get, setBalance, order, type Outcome, type Scenario, type Step, wait } from './scenario.ts';

const INVALID = '422 validation_error';

/** Creates payments until the account has 45 transactions, including the three deposits. */
const createRows: Step[] = [
  {
    act: async (mock) => {
      const headers = { 'x-api-key': mock.account.testKey, 'content-type': 'application/json' };
      for (let row = 3; row < 45; row += 1) {
        const body = JSON.stringify(
          order({
            amount: row,
            purpose: `row ${row}`,
            beneficiary_account: row % 5 === 0 ? 'SIM-FAIL-EARLY' : 'SIM-OK',
          }),
        );
        await mock.fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body });
      }
    },
  },
];

const list = (query: string, expected: Outcome = '200'): Step => get(`/transactions${query}`, expected);

const paged = (pagination: Extract<Profile['pagination'], string>, ...queries: string[]): Scenario => ({
  name: `transactions: pagination ${pagination}`,
  options: { profile: { pagination, listQuery: { page: 'clamp', filter: 'empty' } } },
  steps: [
    ...createRows,
    list(''),
    ...queries.map((query) => list(query)),
    list('?page=0&per_page=1000'),
    list('?status=lost'),
    list('?type=payment&per_page=2'),
  ],
});

/** Balances (docs/contract.md#balance) and transactions (docs/contract.md#transactions). */
export const history: Scenario[] = [
  {
    name: 'balance: wallets are sorted and include those with a balance of 0',
    steps: [
      get('/balance'),
      { act: (mock) => mock.sandbox.wallets.set({ currency: 'AED', amount: 0 }) },
      { act: (mock) => mock.sandbox.wallets.credit({ currency: 'ZAR', amount: '999999999.99' }) },
      setBalance(0),
      get('/balance'),
      get('/balance?currency=USD&page=2'),
      { ...get('/balance'), as: 'live' },
      { ...get('/balance'), as: 'other' },
    ],
  },
  {
    name: 'transactions: every type of row, and filters by type and status',
    steps: [
      list(''),
      { act: (mock) => mock.sandbox.wallets.credit({ currency: 'USD', amount: '0.01' }) },
      setBalance('1000.50'),
      create({ purpose: 'INV-1', amount: 999.99 }),
      create({ purpose: 'INV-2', amount: 0.51, beneficiary_account: 'SIM-FAIL-EARLY' }),
      list(''),
      wait('4s'),
      list(''),
      ...['pending', 'processing', 'completed', 'failed'].map((status) => list(`?status=${status}`)),
      ...['deposit', 'payment', 'refund', 'adjustment'].map((type) => list(`?type=${type}`)),
      list('?status=failed&type=refund'),
      list('?status=completed&type=refund'),
      list('?type=payment&status=failed&per_page=1&page=1'),
    ],
  },
  {
    name: 'transactions: pages of every size',
    steps: [
      ...createRows,
      ...[
        '',
        '?page=2',
        '?page=3',
        '?page=4',
        '?per_page=100',
        '?per_page=1&page=45',
        '?page=9007199254740991',
        '?page=1&per_page=7',
        '?x=1',
      ].map((query) => list(query)),
      ...['?per_page=20&page=2&type=payment', '?page=3&status=pending'].map((query) => list(query)),
    ],
  },
  {
    name: 'transactions: invalid pages and filters get 422',
    steps: [
      ...['0', '101', '-1', '1.5', '1e1', '', 'x', '%2B5', '%205', '5%20', '0x5', '９'].flatMap((text) => [
        list(`?per_page=${text}`, INVALID),
        ...(text === '101' ? [] : [list(`?page=${text}`, INVALID)]),
      ]),
      ...['', 'lost', 'Failed', 'failed,pending', '%20failed', 'under_review'].map((text) =>
        list(`?status=${text}`, INVALID),
      ),
      ...['', 'fee', 'PAYMENT', '__proto__'].map((text) => list(`?type=${text}`, INVALID)),
      ...[
        '?page=01',
        '?per_page=007',
        '?per_page=5&per_page=5',
        '?page=1&page=2',
        '?status=failed&status=failed',
        '?page',
        '?page=99999999999999999999',
      ].map((query) => list(query, INVALID)),
      list('?page=0&per_page=0&status=&type=', INVALID),
      list('?Page=0&PER_PAGE=0'),
    ],
  },
  paged('page', '?page=2'),
  paged('laravel', '?page=2', '?page=9'),
  paged('cursor', '?cursor=after_25', '?cursor=after_1'),
  paged('array', '?page=3'),
  paged('link', '?page=2', '?page=3'),
];
