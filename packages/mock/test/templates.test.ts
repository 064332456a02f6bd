import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type ProfileChoice, SandboxError } from '@service/mock';
import { START, openProfile, order, type Seen } from './support.ts';

// Settings that are templates. Their responses deviate from openapi.yaml, so they are not checked against it.

/** A mock with a profile, and a client that sends POST with a body and else GET. */
function open(profile: ProfileChoice): {
  mock: Mock;
  send: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Seen>;
} {
  const { mock, ask } = openProfile(profile);
  return { mock, send: (path, ...rest) => ask(rest[0] === undefined ? 'GET' : 'POST', path, ...rest) };
}

const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 10 };
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

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
      posted_at: '{created_at digits=6 zone=+01:00}',
    },
  },
  { of: 'fee', row: { id: '{number}', kind: 'fee', amount: '{fee cents}', reference: '{payment_id}' } },
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
    const { send, mock } = open({
      transactionShape: ledgerRows,
      pagination: 'array',
      fees: [{ percent: '0.5', mode: 'onTop' }],
    });
    const { id } = (await send('/payments', order({ amount: 1000 }))).json.data;
    const paid = {
      id: 1,
      kind: 'supplier_payment',
      direction: 'debit',
      amount: 100_500,
      state: 'pending',
      reference: id,
      posted_at: '2026-01-31T13:00:00.000000+01:00',
    };
    const fee = { id: 2, kind: 'fee', amount: 500, reference: id };
    expect((await send('/transactions?per_page=2')).json.data).toEqual([fee, paid]);
    await mock.sandbox.clock.advance('10s');
    expect((await send('/transactions?per_page=2')).json.data).toEqual([fee, { ...paid, state: 'posted' }]);
  });

  it('writes the whole number and the decimals of an amount, with its sign', async () => {
    const row = { units: '{amount whole text}', nanos: '{amount fraction=9}', cents: '{amount fraction=2}' };
    const { send } = open({ transactionShape: [{ of: 'payment', row }], pagination: 'array' });
    for (const amount of [16.25, 0.5]) await send('/payments', order({ amount }));
    expect((await send('/transactions')).json.data).toMatchObject([
      { units: '0', nanos: -500_000_000, cents: -50 },
      { units: '-16', nanos: -250_000_000, cents: -25 },
    ]);
  });

  it('gives a row with fees one id, whatever a query selects and whenever reads show its payment', async () => {
    const row = { id: '{number}', amount: '{amount}' };
    const { send, mock } = open({
      transactionShape: ['any', 'fee'].map((of) => ({ of: of as 'any', row })),
      pagination: 'array',
      readLag: { transactions: '5s' },
    });
    const list = async (query = ''): Promise<number[][]> =>
      (await send(`/transactions?${query}`)).json.data.map((each: Record<string, number>) => [
        each['id'],
        each['amount'],
      ]);
    await send('/payments', order({ amount: 100 }));
    mock.sandbox.wallets.credit({ currency: 'USD', amount: 1 });
    const deposits = [6, 3, 2, 1].map((id) => [id, id === 6 ? 1 : 100_000]);
    expect(await list()).toEqual(deposits);
    await mock.sandbox.clock.advance('10s');
    const paid = [
      [5, -0.5],
      [4, -100],
    ];
    expect(await list()).toEqual([deposits[0], ...paid, ...deposits.slice(1)]);
    expect(await list('type=payment')).toEqual(paid);
    expect(await list('type=deposit')).toEqual(deposits);
  });

  it('names each type once in the message of an invalid filter', async () => {
    const row = { id: '{id}', type: '{type}' };
    const { send } = open({ transactionShape: ['any', 'fee'].map((of) => ({ of: of as 'any', row })) });
    expect((await send('/transactions?type=unknown')).json.error.message).toContain(
      'type must be one of deposit, payment, refund, adjustment, given once.',
    );
  });
});

describe('a template of pages', () => {
  it('pages through rows with fees without a repetition', async () => {
    const { send } = open({ transactionShape: ledgerRows, pagination: djangoPages });
    for (let count = 0; count < 5; count += 1) await send('/payments', order({ amount: 100 + count }));
    const ids: unknown[] = [];
    for (let path: string | null = '/transactions?per_page=3'; path !== null;) {
      const { results, next }: { results: { id: number }[]; next: string | null } = (await send(path)).json
        .data;
      ids.push(...results.map((row) => row.id));
      path = next && `/transactions${new URL(next).search}`;
    }
    expect(ids).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('has links with the parameters of the request, the known ones, all, or only the place', async () => {
    const { send, mock } = open({});
    for (const [query, first, others] of [
      ['request', '?page=1&per_page=1&type=deposit&other=1', '?page=1'],
      ['known', '?page=1&per_page=1&type=deposit', '?page=1'],
      ['complete', '?page=1&per_page=1&type=deposit', '?page=1&per_page=20'],
      ['place', '?page=1', '?page=1'],
    ] as const) {
      const data = { rows: ['{each rows}', '{row}'], next: '{next_path}', first: '{first_path}' };
      mock.sandbox.profile.set({ pagination: { data, query } });
      const path = '/api/v1/transactions';
      expect([query, (await send('/transactions?per_page=1&type=deposit&other=1')).json.data]).toMatchObject([
        query,
        { first: path + first, next: path + first.replace('=1', '=2') },
      ]);
      expect((await send('/transactions')).json.data).toMatchObject({ first: path + others, next: null });
    }
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
    const get = async (cursor: string | null) =>
      (await send(`/transactions?per_page=2${cursor === null ? '' : `&cursor=${cursor}`}`)).json;
    const first = await get(null);
    const second = await get(first.next);
    const third = await get(second.next);
    expect([first, second, third].map(({ data }) => data.length)).toEqual([2, 2, 1]);
    expect([first.previous, first.back, third.next]).toEqual([null, null, null]);
    expect(await get(third.previous)).toEqual(second);
    expect(await get(second.previous)).toEqual(first);
    expect(second.back).toBe(`/api/v1/transactions?cursor=${second.previous}&per_page=2`);
  });

  it('can count rows instead of pages, and link to the other pages in headers', async () => {
    const Link = '<{other_first_path}>; rel="first", <{other_last_path}>; rel="last"';
    const data = { items: ['{each rows}', '{row}'], empty: { '{case count}': { 0: true, else: false } } };
    const headers = { 'X-Next-Offset': '{next_offset}', Link };
    const { send } = open({ pagination: { data, headers, by: 'offset', parameter: 'start' } });
    const seen: unknown[] = [];
    for (const start of [0, 1, 2, 3]) {
      const { headers: sent, json } = await send(`/transactions?per_page=1&start=${start}`);
      const relations = [...(sent.get('link') ?? '').matchAll(/rel="(\w+)"/g)].map(([, name]) => name);
      seen.push([json.data.items.length, json.data.empty, sent.get('x-next-offset'), ...relations]);
    }
    expect(seen).toEqual([
      [1, false, '1', 'last'],
      [1, false, '2', 'first', 'last'],
      [1, false, null, 'first'],
      [0, true, null, 'first'],
    ]);
  });
});

describe('a template of headers', () => {
  it('has the rate limit in every response of a caller with a limit', async () => {
    const { mock, send } = open({
      rateLimit: { requests: 2, window: '30s' },
      headers: {
        all: {
          'X-Limit': '{limit} {remaining} {reset}',
          'X-End': '{reset_at unix} {reset_at http} {reset_at zone=Z}',
        },
      },
    });
    const first = await send('/balance');
    expect(first.headers.get('x-limit')).toBe('2 1 30');
    expect(first.headers.get('x-end')).toBe('1769860830 Sat, 31 Jan 2026 12:00:30 GMT 2026-01-31T12:00:30Z');
    await mock.sandbox.clock.advance('11s');
    const refused = await send('/quotes', '{');
    expect([refused.status, refused.headers.get('x-limit')]).toEqual([400, '2 0 19']);
    await mock.sandbox.clock.advance('19s');
    expect((await send('/balance')).headers.get('x-limit')).toBe('2 1 30');
  });

  it('names the payment of a create and of its replay, whatever the name of its id in the body', async () => {
    const { send } = open({
      paymentShape: { reference: '{id}', self: '{origin}/payments/{id}' },
      headers: {
        createPayment: { Location: '{origin}/payments/{id}' },
        all: { 'X-Request-Id': null, 'X-Trace': 'trace-{request_id}' },
      },
      ids: { payment: 'pay_{mode}_{ulid}' },
      beside: { all: { trace: '{request_id uuid}' } },
    });
    const key = { 'idempotency-key': 'origin-1', host: 'sandbox.example:8080' };
    const [first, second] = [await send('/payments', order(), key), await send('/payments', order(), key)];
    expect(second.json.data).toEqual(first.json.data);
    expect(second.json.trace).not.toBe(first.json.trace);
    expect(first.json.data.reference).toMatch(/^pay_test_0[0-9A-HJKMNP-TV-Z]{25}$/);
    for (const { headers, json } of [first, second]) {
      expect(json.data.self).toMatch(/^http:\/\/[\w.:-]+\/payments\/pay_test_\w+$/);
      expect(headers.get('location')).toBe(json.data.self);
      expect(headers.get('x-request-id')).toBeNull();
      expect(headers.get('x-trace')).toMatch(/^trace-req_/);
    }
    expect((await send(`/payments/${first.json.data.reference}`)).json.data).toMatchObject({
      reference: first.json.data.reference,
    });
  });
});

describe('a template of refusals', () => {
  it('replaces status, type, body and headers of one refusal', async () => {
    const { send } = open({
      refusals: {
        unknown_path: { body: { detail: '{method} {path}' } },
        validation: {
          status: 400,
          body: {
            mode: '{mode}',
            error: { type: '{type}', message: '{message}' },
            errors: ['{each fields}', { loc: ['body', '{field}'], msg: '{problem}' }],
          },
        },
        authentication: { headers: { 'WWW-Authenticate': null } },
        key_of_other_body: { status: 409, type: 'idempotency_conflict' },
      },
    });
    expect(await send('/nothing')).toMatchObject({ status: 404, json: { detail: 'GET /api/v1/nothing' } });
    expect(await send('/quotes', { ...quote, to_currency: 'XXX' })).toMatchObject({
      status: 400,
      json: {
        mode: 'test',
        error: { type: 'validation_error' },
        errors: [{ loc: ['body', 'to_currency'], msg: expect.stringContaining('supported') }],
      },
    });
    const refused = await send('/balance', undefined, { authorization: 'Bearer service_test_wrong' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null]);
    await send('/payments', order({}), { 'idempotency-key': 'one' });
    const conflict = await send('/payments', order({ amount: 5 }), { 'idempotency-key': 'one' });
    expect(conflict).toMatchObject({ status: 409, json: { error: { type: 'idempotency_conflict' } } });
  });

  it('writes the issues of each invalid field in the order of the fields', async () => {
    const error = { type: '{type}', errors: ['{each issues}', '{issue}'], id: '{request_id}' };
    const { send } = open({
      issues: {
        currency_type: [{ field: '{field}', code: 'type' }, '{field} pattern'],
        other: [{ field: '{field}', text: '{problem}' }],
      },
      refusals: { validation: { body: { error } } },
    });
    const { json, headers } = await send('/quotes', { to_currency: 5, amount: 0, from_currency: 'USD' });
    const text = 'must be a number from 0.01 to 999999999.99 with at most 2 decimals';
    expect(json.error).toEqual({
      type: 'validation_error',
      errors: [{ field: 'to_currency', code: 'type' }, 'to_currency pattern', { field: 'amount', text }],
      id: headers.get('x-request-id'),
    });
  });
});

describe('templates of the other responses', () => {
  it('write quotes, balances and timestamps', async () => {
    const wallet = {
      currency: '{currency}',
      balance: '{balance}',
      cents: '{balance cents}',
      open: '{open}',
      total: '{total}',
    };
    const { mock, send } = open({
      quoteShape: { id: 'quo_{request_id lower=20}', total: '{debit}', expires_at: '{now plus=30s}' },
      balanceShape: { balances: ['{each wallets}', wallet] },
      timestamps: { digits: 6, zone: 'Z' },
      wallets: { USD: '100000.00' },
    });
    expect((await send('/quotes', quote)).json.data).toEqual({
      id: expect.stringMatching(/^quo_[\da-z]{20}$/),
      total: 10,
      expires_at: '2026-01-31T12:00:30.000000Z',
    });
    await send('/payments', order({ amount: 40 }));
    const usd = { currency: 'USD', balance: 99_960, cents: 9_996_000 };
    // The amounts of payments that have not ended are in `open`.
    expect((await send('/balance')).json.data.balances).toEqual([{ ...usd, open: 40, total: 100_000 }]);
    await mock.sandbox.clock.advance('1m');
    expect((await send('/balance')).json.data.balances).toEqual([{ ...usd, open: 0, total: 99_960 }]);
  });

  it('write webhooks and their headers', async () => {
    const { mock, send } = open({
      eventShape: { event: 'payment.{status}', data: { id: '{id}', status: '{status}' } },
      headers: {
        event: {
          'X-Service-Delivery': '{delivery}',
          'X-Attempt': '{attempt}',
          'content-type': 'application/json; charset=utf-8',
        },
      },
    });
    mock.sandbox.webhooks.collect();
    const { id } = (await send('/payments', order({}))).json.data;
    await mock.sandbox.clock.advance('1ms');
    const [event] = mock.sandbox.webhooks.collected();
    const delivery = expect.stringMatching(/^dlv_test_/) as string;
    expect(event?.headers).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': expect.any(String),
      'X-Service-Delivery': delivery,
      'X-Attempt': '1',
      'X-Service-Signature': expect.any(String),
    });
    expect(JSON.parse(event!.body)).toEqual({ event: 'payment.pending', data: { id, status: 'pending' } });
  });

  it('add fields beside `data` to every response, and to those of single operations', async () => {
    const { send } = open({
      beside: {
        all: { meta: { id: '{request_id uuid}', at: '{now digits=3 zone=Z}', unix: '{now unix}' }, v: 1 },
        createPayment: { links: { self: '/payments/{id}' }, meta: { state: '{status}' } },
        getBalance: { links: { self: '{path}' } },
      },
    });
    const created = await send('/payments', order({}), { 'idempotency-key': 'one' });
    const { id } = created.json.data;
    expect(created.json).toMatchObject({ v: 1, links: { self: `/payments/${id}` } });
    expect(created.json.meta).toEqual({ state: 'pending' });
    expect((await send('/payments', order({}), { 'idempotency-key': 'one' })).json).toEqual(created.json);
    const metas = [
      (await send('/quotes', quote)).json.meta,
      (await send(`/payments/${id}`)).json.meta,
      (await send('/transactions')).json.meta,
      (await send('/balance')).json.meta,
    ];
    const unix = Date.parse(START) / 1000;
    for (const meta of metas)
      expect(meta).toEqual({ id: expect.stringMatching(UUID), at: '2026-01-31T12:00:00.000Z', unix });
    expect(new Set(metas.map((meta) => meta.id)).size).toBe(4);
    expect((await send('/balance')).json).toMatchObject({ v: 1, links: { self: '/api/v1/balance' } });
  });

  it('write a text without its spaces and hyphens, and absent as empty', async () => {
    const { send } = open({ paymentShape: { account: '{beneficiary_account compact upper empty}' } });
    const account = async (beneficiary_account?: string): Promise<unknown> =>
      (await send('/payments', order({ beneficiary_account }))).json.data.account;
    expect([await account('de89 3704-0044'), await account()]).toEqual(['DE8937040044', '']);
  });
});

describe('a template with cases', () => {
  it('writes the fields of each status of a payment', async () => {
    const { mock, send } = open({
      paymentShape: {
        id: '{id}',
        status: '{status}',
        failure: {
          '{case status}': {
            failed: { '{case previous_status}': { completed: 'returned', else: { of: '{id}' } } },
            else: null,
          },
        },
        completed_at: '{completed_at}',
        failed_at: '{failed_at omit}',
        estimate: { '{case status}': { pending: 'soon' } },
      },
    });
    const seen: unknown[] = [];
    const { id } = (await send('/payments', order({ beneficiary_account: 'SIM-RETURN' }))).json.data;
    for (const pause of ['0s', '2s', '2s', '5s'] as const) {
      await mock.sandbox.clock.advance(pause);
      seen.push((await send(`/payments/${id}`)).json.data);
    }
    const [completed_at, failed_at] = ['2026-01-31T12:00:04+00:00', '2026-01-31T12:00:09+00:00'];
    expect(seen).toEqual([
      { id, status: 'pending', failure: null, completed_at: null, estimate: 'soon' },
      { id, status: 'processing', failure: null, completed_at: null },
      { id, status: 'completed', failure: null, completed_at },
      { id, status: 'failed', failure: 'returned', completed_at, failed_at },
    ]);
  });

  it('filters rows by the texts of their cases', async () => {
    const state = { '{case status}': { failed: 'RJCT', else: 'BOOK' } };
    const { send } = open({ transactionShape: [{ of: 'any', row: { id: '{id}', state } }] });
    const listed = ['BOOK', 'RJCT', 'completed'].map(async (text) => send(`/transactions?status=${text}`));
    expect((await Promise.all(listed)).map(({ status }) => status)).toEqual([200, 200, 422]);
  });

  it('has the case null for an absent text, in whatever form it is written', async () => {
    for (const absent of ['null', 'omit', 'empty'] as const) {
      const text = { '{case purpose}': { null: 'To {beneficiary_name}', else: '{purpose}' } };
      const { send } = open({ absent, paymentShape: { text } });
      const textOf = async (purpose?: string): Promise<unknown> =>
        (await send('/payments', order({ beneficiary_name: 'Ann', purpose }))).json.data.text;
      expect([await textOf(), await textOf('Rent')]).toEqual(['To Ann', 'Rent']);
    }
  });
});

describe('a wrong template', () => {
  const wrong: [ProfileChoice, string][] = [
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
  ];

  it('is refused with its place', () => {
    const { sandbox } = createMock();
    for (const [profile, message] of wrong) {
      expect(() => createMock({ profile })).toThrow(message);
      expect(() => sandbox.profile.set(profile)).toThrow(SandboxError);
      expect(() => sandbox.profile.set(profile)).toThrow(message);
    }
  });
});
