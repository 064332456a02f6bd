import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type ProfileChoice, SandboxError } from '@service/mock';
import { order } from './support.ts';

// Settings that are templates. Their responses deviate from openapi.yaml, so they are not checked against it.

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

function open(profile: ProfileChoice): {
  mock: Mock;
  send: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Seen>;
} {
  const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42, profile });
  return {
    mock,
    send: async (path, body, headers = {}) => {
      const response = await mock.fetch(`${mock.baseUrl}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${mock.account.testKey}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson ? JSON.parse(text) : undefined,
      };
    },
  };
}

describe('the setting paymentShape', () => {
  it('writes a text without its spaces and hyphens, and absent as empty', async () => {
    const { send } = open({ paymentShape: { account: '{beneficiary_account compact upper empty}' } });
    const pay = async (fields: Record<string, unknown>): Promise<unknown> =>
      ((await send('/payments', order(fields))).json as { data: unknown }).data;
    expect(await pay({ beneficiary_account: 'de89 3704-0044' })).toEqual({ account: 'DE8937040044' });
    expect(await pay({})).toEqual({ account: '' });
  });
});

describe('the parts of an amount', () => {
  it('are its whole number and its decimals, with its sign', async () => {
    const row = { units: '{amount whole text}', nanos: '{amount fraction=9}', cents: '{amount fraction=2}' };
    const { send } = open({ transactionShape: [{ of: 'payment', row }], pagination: 'array' });
    for (const amount of [16.25, 0.5]) await send('/payments', order({ amount }));
    expect((await send('/transactions')).json).toMatchObject({
      data: [
        { units: '0', nanos: -500_000_000, cents: -50 },
        { units: '-16', nanos: -250_000_000, cents: -25 },
      ],
    });
  });
});

describe('the setting issues', () => {
  const error = { type: '{type}', errors: ['{each issues}', '{issue}'], id: '{request_id}' };
  const profile: ProfileChoice = {
    issues: {
      missing: [{ field: '{field}', code: 'missing' }],
      currency_type: [
        { field: '{field}', code: 'type' },
        { field: '{field}', code: 'pattern' },
      ],
      body: [{ field: null, code: 'object' }],
      other: [{ field: '{field}', code: 'other', text: '{problem}' }],
    },
    refusals: { validation: { body: { error } } },
  };

  it('writes the details of each invalid field in the order of the fields', async () => {
    const { send } = open(profile);
    const { json, headers } = await send('/quotes', { to_currency: 5, amount: 0, from_currency: 'USD' });
    expect(json).toEqual({
      error: {
        type: 'validation_error',
        errors: [
          { field: 'to_currency', code: 'type' },
          { field: 'to_currency', code: 'pattern' },
          {
            field: 'amount',
            code: 'other',
            text: 'must be a number from 0.01 to 999999999.99 with at most 2 decimals',
          },
        ],
        id: headers.get('x-request-id'),
      },
    });
  });
});

/** The rows of a service that counts in cents and lists fees apart. */
const ledgerRows = [
  {
    of: 'payment',
    row: {
      id: '{number}',
      kind: 'supplier_payment',
      direction: '{sign -=debit +=credit}',
      amount: '{amount abs cents}',
      state: '{payment_status completed=posted}',
      reference: '{payment_id}',
      description: '{purpose}',
      posted_at: '{created_at digits=6 zone=+01:00}',
    },
  },
  {
    of: 'fee',
    row: {
      id: '{number}',
      kind: 'fee',
      direction: 'debit',
      amount: '{fee cents}',
      reference: '{payment_id}',
    },
  },
] as const satisfies ProfileChoice['transactionShape'];

/** The pages of Django REST framework. */
const djangoPages = {
  data: {
    count: '{total}',
    next: '{next_url}',
    previous: '{previous_url}',
    results: ['{each rows}', '{row}'],
  },
} as const satisfies ProfileChoice['pagination'];

describe('a template of transaction rows', () => {
  it('names and writes the fields of each kind of row, and lists fees as rows', async () => {
    const { send, mock } = open({ transactionShape: ledgerRows, pagination: 'array', feeMode: 'onTop' });
    const { json } = await send('/payments', order({ amount: 1000, purpose: 'Invoice 7' }));
    const { id } = (json as { data: { id: string } }).data;
    const { json: page } = await send('/transactions?per_page=2');
    expect((page as { data: unknown }).data).toEqual([
      { id: 2, kind: 'fee', direction: 'debit', amount: 500, reference: id },
      {
        id: 1,
        kind: 'supplier_payment',
        direction: 'debit',
        amount: 100_500,
        state: 'pending',
        reference: id,
        description: 'Invoice 7',
        posted_at: '2026-01-31T13:00:00.000000+01:00',
      },
    ]);
    await mock.sandbox.clock.advance('10s');
    const { json: later } = await send('/transactions?per_page=2');
    expect((later as { data: unknown[] }).data[1]).toMatchObject({ state: 'posted' });
  });

  it('gives a row with fees one id, whatever a query selects and whenever reads show its payment', async () => {
    const row = { id: '{number}', amount: '{amount}' };
    const { send, mock } = open({
      transactionShape: [
        { of: 'any', row },
        { of: 'fee', row },
      ],
      pagination: 'array',
      readLag: { transactions: '5s' },
    });
    const list = async (query = ''): Promise<unknown> =>
      ((await send(`/transactions?${query}`)).json as { readonly data: unknown }).data;
    await send('/payments', order({ amount: 100 }));
    mock.sandbox.wallets.credit({ currency: 'USD', amount: 1 });
    const deposits = [6, 3, 2, 1].map((id) => ({ id, amount: id === 6 ? 1 : 100_000 }));
    expect(await list()).toEqual(deposits);
    await mock.sandbox.clock.advance('10s');
    const paid = [
      { id: 5, amount: -0.5 },
      { id: 4, amount: -100 },
    ];
    expect(await list()).toEqual([deposits[0], ...paid, ...deposits.slice(1)]);
    expect(await list('type=payment')).toEqual(paid);
    expect(await list('type=deposit')).toEqual(deposits);
  });

  it('names each type once in the message of an invalid filter', async () => {
    const row = { id: '{id}', type: '{type}' };
    const transactionShape = [
      { of: 'any', row },
      { of: 'fee', row },
    ] as const;
    const { json } = await open({ transactionShape }).send('/transactions?type=unknown');
    expect((json as { readonly error: object }).error).toMatchObject({
      message:
        'The request is invalid: type must be one of deposit, payment, refund, adjustment, given once.',
    });
  });

  it('pages through rows with fees without a repetition', async () => {
    const { send } = open({ transactionShape: ledgerRows, pagination: djangoPages });
    for (let count = 0; count < 5; count += 1) await send('/payments', order({ amount: 100 + count }));
    const ids: unknown[] = [];
    for (let path: string | null = '/transactions?per_page=3'; path !== null;) {
      const { json } = await send(path);
      const { results, next } = (json as { data: { results: { id: number }[]; next: string | null } }).data;
      ids.push(...results.map((row) => row.id));
      path = next && `/transactions${new URL(next).search}`;
    }
    expect(ids).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('the rate limit in headers', () => {
  const limited = {
    rateLimit: { requests: 2, window: '30s' },
    headers: {
      all: {
        'X-RateLimit-Limit': '{limit}',
        'X-RateLimit-Remaining': '{remaining}',
        'X-RateLimit-Reset': '{reset}',
        'X-Window-End': '{reset_at unix}',
        'X-Window-Date': '{reset_at http}',
        'X-Window-Time': '{reset_at zone=Z}',
      },
    },
  } as const satisfies ProfileChoice;
  const read = ({ headers }: Seen, ...names: string[]): (string | null)[] =>
    names.map((name) => headers.get(name));

  it('is in every response of a caller with a limit', async () => {
    const { mock, send } = open(limited);
    const first = await send('/balance');
    expect(read(first, 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset')).toEqual([
      '2',
      '1',
      '30',
    ]);
    expect(read(first, 'x-window-end', 'x-window-date', 'x-window-time')).toEqual([
      '1769860830',
      'Sat, 31 Jan 2026 12:00:30 GMT',
      '2026-01-31T12:00:30Z',
    ]);
    await mock.sandbox.clock.advance('11s');
    const refused = await send('/quotes', '{');
    expect(refused.status).toBe(400);
    expect(read(refused, 'x-ratelimit-remaining', 'x-ratelimit-reset')).toEqual(['0', '19']);
    await mock.sandbox.clock.advance('19s');
    expect(read(await send('/balance'), 'x-ratelimit-remaining')).toEqual(['1']);
  });
});

describe('a template of pages', () => {
  it('writes links of Django REST framework with the host of the request', async () => {
    const { send } = open({ pagination: djangoPages });
    const { json } = await send('/transactions?per_page=1&type=deposit', undefined, {
      host: 'api.test:8080',
    });
    expect((json as { data: unknown }).data).toMatchObject({
      count: 3,
      next: expect.stringMatching(/\/api\/v1\/transactions\?page=2&per_page=1&type=deposit$/),
      previous: null,
      results: [expect.objectContaining({ type: 'deposit' })],
    });
  });

  it.each([
    ['request', 'per_page=1&type=deposit&other=1'],
    ['known', 'per_page=1&type=deposit'],
    ['complete', 'per_page=1&type=deposit'],
    ['place', ''],
  ] as const)('have links with the parameters of %s', async (query, wanted) => {
    const { send } = open({
      pagination: {
        data: { rows: ['{each rows}', '{row}'], next: '{next_path}', first: '{first_path}' },
        query,
      },
    });
    const linksOf = async (search: string): Promise<unknown> =>
      ((await send(`/transactions${search}`)).json as { data: unknown }).data;
    const rest = wanted && `&${wanted}`;
    expect(await linksOf('?per_page=1&type=deposit&other=1')).toMatchObject({
      next: `/api/v1/transactions?page=2${rest}`,
      first: `/api/v1/transactions?page=1${rest}`,
    });
    const added = query === 'complete' ? '&per_page=20' : '';
    expect(await linksOf('')).toMatchObject({ next: null, first: `/api/v1/transactions?page=1${added}` });
  });

  it('can have cursors of the next and the previous page', async () => {
    const { send } = open({
      pagination: {
        data: ['{each rows}', '{row}'],
        beside: { next: '{next_cursor}', previous: '{previous_cursor}', back: '{previous_path}' },
        by: 'cursor',
      },
      wallets: { EUR: '1.00', GBP: '1.00', JPY: '100', USD: '1.00', CHF: '1.00' },
    });
    const get = async (cursor: string): Promise<Record<string, unknown>> => {
      const { json } = await send(`/transactions?per_page=2${cursor && `&cursor=${cursor}`}`);
      return json as Record<string, unknown>;
    };
    const pages = [await get('')];
    while (pages.at(-1)!['next'] !== null) pages.push(await get(String(pages.at(-1)!['next'])));
    const [first, second, third] = pages;
    expect(pages.map(({ data }) => (data as unknown[]).length)).toEqual([2, 2, 1]);
    expect([first!['previous'], first!['back']]).toEqual([null, null]);
    const last = await get(String(third!['previous']));
    expect(last).toEqual(second);
    expect(await get(String(last['previous']))).toEqual(first);
    expect(last['back']).toBe(`/api/v1/transactions?cursor=${String(last['previous'])}&per_page=2`);
  });

  it('can count rows instead of pages, and state the next page in a header', async () => {
    const { send } = open({
      pagination: {
        data: { items: ['{each rows}', '{row}'] },
        headers: { 'X-Next-Offset': '{next_offset}' },
        by: 'offset',
        parameter: 'start',
      },
    });
    const first = await send('/transactions?per_page=2');
    expect(first.headers.get('x-next-offset')).toBe('2');
    const second = await send('/transactions?per_page=2&start=2');
    expect(second.headers.get('x-next-offset')).toBeNull();
    expect((second.json as { data: { items: unknown[] } }).data.items).toHaveLength(1);
  });
});

describe('a template of refusals', () => {
  it('replaces status, type, body and headers of one refusal', async () => {
    const { send } = open({
      refusals: {
        unknown_path: { body: { detail: 'Not Found' } },
        validation: {
          status: 400,
          body: {
            success: false,
            mode: '{mode}',
            error: { type: '{type}', message: '{message}' },
            errors: ['{each fields}', { loc: ['body', '{field}'], msg: '{problem}' }],
          },
        },
        authentication: { headers: { 'WWW-Authenticate': null } },
        key_of_other_body: { status: 409, type: 'idempotency_conflict' },
      },
    });
    expect(await send('/nothing')).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
    expect(await send('/quotes', { from_currency: 'USD', to_currency: 'XXX', amount: 5 })).toMatchObject({
      status: 400,
      json: {
        mode: 'test',
        error: { type: 'validation_error' },
        errors: [{ loc: ['body', 'to_currency'], msg: expect.stringContaining('supported') }],
      },
    });
    const refused = await send('/balance', undefined, { authorization: 'Bearer service_test_wrong' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBeNull();
    await send('/payments', order({}), { 'idempotency-key': 'one' });
    const conflict = await send('/payments', order({ amount: 5 }), { 'idempotency-key': 'one' });
    expect(conflict).toMatchObject({ status: 409, json: { error: { type: 'idempotency_conflict' } } });
  });
});

describe('other templates', () => {
  it('add fields and headers to payments, and choose the form of ids', async () => {
    const { send } = open({
      paymentShape: { id: '{id}', status: '{status}', amount: '{send_amount fixed}', fee: '{fee text}' },
      headers: {
        createPayment: { Location: '/api/v1/payments/{id}' },
        all: { 'X-Request-Id': null, 'X-Trace': 'trace-{request_id}' },
      },
      ids: { payment: 'pay_{mode}_{ulid}', transaction: '{uuid}' },
    });
    const created = await send('/payments', order({ amount: 1000 }));
    const { data } = created.json as { data: { id: string } };
    expect(data).toEqual({
      id: expect.stringMatching(/^pay_test_0[0-9A-HJKMNP-TV-Z]{25}$/),
      status: 'pending',
      amount: '1000.00',
      fee: '5',
    });
    expect(created.headers.get('location')).toBe(`/api/v1/payments/${data.id}`);
    expect(created.headers.get('x-request-id')).toBeNull();
    expect(created.headers.get('x-trace')).toMatch(/^trace-req_/);
    const { json } = await send('/transactions');
    expect((json as { data: { transactions: { id: string }[] } }).data.transactions[0]?.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(await send(`/payments/${data.id}`)).toMatchObject({ status: 200, json: { data } });
  });

  it('change the quote, the balance and the timestamps', async () => {
    const { send } = open({
      quoteShape: { rate: '{rate}', total: '{debit}' },
      balanceShape: {
        balances: [
          '{each wallets}',
          { currency: '{currency}', balance: '{balance}', cents: '{balance cents}' },
        ],
      },
      timestamps: { digits: 6, zone: 'Z' },
    });
    const quote = await send('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 10 });
    expect((quote.json as { data: unknown }).data).toEqual({ rate: 0.9213, total: 10 });
    const balance = await send('/balance');
    expect((balance.json as { data: { balances: unknown[] } }).data.balances[0]).toEqual({
      currency: 'EUR',
      balance: 100_000,
      cents: 10_000_000,
    });
    const { json } = await send('/transactions');
    expect(JSON.stringify(json)).toContain('"created_at":"2026-01-31T12:00:00.000000Z"');
  });

  it('add fields and headers to webhooks', async () => {
    const { mock, send } = open({
      eventShape: { id: '{id}', event: 'payment.{status}', data: { id: '{id}', status: '{status}' } },
      eventHeaders: { 'X-Service-Delivery': '{delivery}', 'X-Attempt': '{attempt}' },
    });
    mock.sandbox.webhooks.collect();
    const { json } = await send('/payments', order({}));
    const { id } = (json as { data: { id: string } }).data;
    await mock.sandbox.clock.advance('1ms');
    const [event] = mock.sandbox.webhooks.collected();
    expect(event?.headers).toMatchObject({
      'X-Service-Delivery': expect.stringMatching(/^dlv_test_/),
      'X-Attempt': '1',
    });
    expect(JSON.parse(String(event?.body))).toEqual({
      id,
      event: 'payment.pending',
      data: { id, status: 'pending' },
    });
  });
});

describe('the values of a request, of open payments and of other pages', () => {
  it('are the origin in links and headers, also of a replay', async () => {
    const { send } = open({
      paymentShape: { id: '{id}', self: '{origin}/payments/{id}' },
      headers: { createPayment: { Location: '{origin}/payments/{id}' } },
    });
    const key = { 'idempotency-key': 'origin-1', host: 'sandbox.example:8080' };
    for (const { headers, json } of [
      await send('/payments', order(), key),
      await send('/payments', order(), key),
    ]) {
      const { data } = json as { data: { id: string; self: string } };
      expect(data.self).toMatch(/^http:\/\/[\w.:-]+\/payments\/pay_test_\w+$/);
      expect(headers.get('location')).toBe(data.self);
    }
  });

  it('are the amounts of payments that have not ended, and the balance with them', async () => {
    const wallet = { currency: '{currency}', balance: '{balance}', open: '{open}', total: '{total}' };
    const { mock, send } = open({
      debitAt: 'create',
      balanceShape: { balances: ['{each wallets}', wallet] },
    });
    const read = async (): Promise<unknown> =>
      ((await send('/balance')).json as { data: { balances: object[] } }).data.balances.find(
        (each) => 'currency' in each && each.currency === 'USD',
      );
    await send('/payments', order({ amount: 40 }));
    expect(await read()).toEqual({ currency: 'USD', balance: 99_960, open: 40, total: 100_000 });
    await mock.sandbox.clock.advance('1m');
    expect(await read()).toEqual({ currency: 'USD', balance: 99_960, open: 0, total: 99_960 });
  });

  it('are links to the first and the last page on the other pages only', async () => {
    const Link = '<{other_first_path}>; rel="first", <{other_last_path}>; rel="last"';
    const { send } = open({ pagination: { data: ['{each rows}', '{row}'], headers: { Link } } });
    const relations = async (page: number): Promise<string[]> =>
      [
        ...((await send(`/transactions?per_page=1&page=${page}`)).headers.get('link') ?? '').matchAll(
          /rel="(\w+)"/g,
        ),
      ].map(([, relation = '']) => relation);
    expect([await relations(1), await relations(2), await relations(3)]).toEqual([
      ['last'],
      ['first', 'last'],
      ['first'],
    ]);
  });
});

describe('templates beside `data`', () => {
  it('add fields to the responses of single operations, in place of those of all', async () => {
    const { send } = open({
      envelope: { meta: { id: '{request_id}' }, version: 1 },
      beside: {
        createPayment: { links: { self: '/payments/{id}' }, meta: { state: '{status}' } },
        getBalance: { links: { self: '{path}' } },
      },
    });
    const created = await send('/payments', order({}), { 'idempotency-key': 'one' });
    const replayed = await send('/payments', order({}), { 'idempotency-key': 'one' });
    const { id } = (created.json as { data: { id: string } }).data;
    const links = { self: `/payments/${id}` };
    const all = { meta: { id: expect.any(String) }, version: 1 };
    const read = await send(`/payments/${id}`);
    const balance = await send('/balance');
    expect(created.json).toMatchObject({ version: 1, links, meta: { state: 'pending' } });
    expect(replayed.json).toEqual(created.json);
    expect(read.json).toEqual({ success: true, mode: 'test', data: expect.any(Object), ...all });
    expect(balance.json).toMatchObject({ ...all, links: { self: '/api/v1/balance' } });
  });
});

describe('a template with cases', () => {
  const failure = {
    '{case status}': {
      failed: { '{case previous_status}': { completed: 'returned', else: { code: 'closed', of: '{id}' } } },
      else: null,
    },
  };
  const paymentShape = {
    id: '{id}',
    status: '{status}',
    failure,
    completed_at: '{completed_at}',
    failed_at: '{failed_at omit}',
    estimate: { '{case status}': { pending: 'soon' } },
  };

  const [fourth, ninth] = ['2026-01-31T12:00:04+00:00', '2026-01-31T12:00:09+00:00'];
  const states = [
    { status: 'pending', failure: null, completed_at: null, estimate: 'soon' },
    { status: 'processing', failure: null, completed_at: null },
    { status: 'completed', failure: null, completed_at: fourth },
    { status: 'failed', failure: 'returned', completed_at: fourth, failed_at: ninth },
  ];

  it('writes the fields of each status of a payment', async () => {
    const { mock, send } = open({ paymentShape });
    const seen: unknown[] = [];
    const { json } = await send('/payments', order({ beneficiary_account: 'SIM-RETURN' }));
    const { id } = (json as { data: { id: string } }).data;
    for (const pause of ['0s', '2s', '2s', '5s'] as const) {
      await mock.sandbox.clock.advance(pause);
      seen.push((await send(`/payments/${id}`)).json);
    }
    expect(seen).toEqual(states.map((state) => ({ success: true, mode: 'test', data: { id, ...state } })));
  });

  it('filters rows by the texts of their cases', async () => {
    const state = { '{case status}': { failed: 'RJCT', else: 'BOOK' } };
    const { send } = open({ transactionShape: [{ of: 'any', row: { id: '{id}', state } }] });
    const listed = ['BOOK', 'RJCT', 'completed'].map(async (text) => send(`/transactions?status=${text}`));
    expect((await Promise.all(listed)).map(({ status }) => status)).toEqual([200, 200, 422]);
  });

  it('has cases of a number', async () => {
    const data = { items: ['{each rows}', '{row}'], empty: { '{case count}': { 0: true, else: false } } };
    const { send } = open({ pagination: { data } });
    const pages = await Promise.all(['1', '9'].map(async (page) => send(`/transactions?page=${page}`)));
    expect(pages.map(({ json }) => (json as { data: object }).data)).toMatchObject([
      { empty: false },
      { empty: true, items: [] },
    ]);
  });

  it.each([null, 'omit', 'empty'] as const)(
    'has the case null for a text that is absent as %s',
    async (absent) => {
      const { send } = open({
        absent: absent ?? 'null',
        paymentShape: { text: { '{case purpose}': { null: 'To {beneficiary_name}', else: '{purpose}' } } },
      });
      const textOf = async (purpose?: string): Promise<unknown> =>
        (await send('/payments', order({ beneficiary_name: 'Ann', purpose }))).json;
      expect([await textOf(), await textOf('Rent')]).toMatchObject([
        { data: { text: 'To Ann' } },
        { data: { text: 'Rent' } },
      ]);
    },
  );
});

describe('a wrong template', () => {
  it.each<[ProfileChoice, string]>([
    [
      { transactionShape: [{ of: 'any', row: { id: '{idd}' } }] },
      'transactionShape[0].row.id: {idd} is no value here',
    ],
    [{ pagination: { data: ['{each row}', '{row}'] } }, '{each row} repeats rows here'],
    [{ pagination: {} as never }, 'data is missing'],
    [{ paymentShape: { id: '{id shout}' } }, '{id shout} has an unknown form'],
    [{ ids: { payment: 'p_{number}' } }, "must be text that starts with 'pay_{mode}_'"],
    [{ ids: { payment: 'pay_{mode}_1' } }, 'has a part that differs'],
    [{ timestamps: { digits: 3, zone: 'CET' } }, 'zone'],
    [{ refusals: { teapot: {} } as never }, 'teapot'],
    [{ headers: { createPayment: { Location: '{total}' } } }, '{total} is no value here'],
  ])('is refused with its place: %j', (profile, message) => {
    expect(() => createMock({ profile })).toThrow(message);
    const { sandbox } = createMock();
    expect(() => sandbox.profile.set(profile)).toThrow(SandboxError);
    expect(() => sandbox.profile.set(profile)).toThrow(message);
  });
});
