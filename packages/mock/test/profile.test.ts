import { describe, expect, it } from 'vitest';
import {
  createMock,
  defaultProfile,
  magicValues,
  type Mock,
  type Profile,
  type ProfileChoice,
} from '@service/mock';
import { openProfile, order } from './support.ts';
import { settingChoices } from '../../../test/support/setting-choices.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// The responses of each profile setting (docs/contract.md#profile-settings). Responses of other profiles deviate from
// openapi.yaml, so they are not checked against it.

const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };
const ok = ['pending', 'processing', 'completed'];
const failed = ['pending', 'processing', 'failed'];
type DebitStatus = 'create' | 'processing' | 'completed';

describe('a profile', () => {
  it('has the first value of every setting by default', () => {
    const { mock } = openProfile({});
    expect(mock.sandbox.profile.get()).toEqual(defaultProfile);
    for (const [name, [first]] of Object.entries(settingChoices))
      expect(defaultProfile[name as keyof Profile]).toBe(first);
  });

  it.each<[choice: unknown, message: string | RegExp]>([
    [{ fees: { mode: 'free' } }, ".fees.mode must be 'inside' or 'onTop', not \"free\""],
    [
      { successStatus: { createPayment: 404 } },
      '.successStatus.createPayment must be 201 or 200 or 202, not 404',
    ],
    [{ debitAt: 'never' }, ".debitAt must be 'create' or 'processing' or 'completed' or an object"],
    [{ refund: { failed: 'half' } }, ".refund.failed must be 'full' or 'lessFee' or 'none', not \"half\""],
    [{ events: ['pending', 'paid'] }, ".events[1] must be one of 'pending', 'processing'"],
    [{ deprecation: { deprecated: '2026-06-01T00:00:00Z' } }, 'has no field "deprecation"'],
    [{ statuses: { pending: ['5s', '2s'] } }, ".statuses.pending must be a duration of at most '3650d'"],
    [{ outcomes: [{ acount: '1', outcome: 'fail' }] }, '.outcomes[0] has no field "acount"'],
    [{ outcomes: [{ amount: 3000, outcome: 'fail' }] }, ".outcomes[0].amount must be text in which one '*'"],
    [{ outcomes: [{ name: '*A*', outcome: 'fail' }] }, ".outcomes[0].name must be text in which one '*'"],
    [{ retrySchedule: ['5s', 'soon'] }, ".retrySchedule[1] must be a duration from '1ms' to '365d'"],
    [{ deliveryFaults: { duplicates: 3 } }, '.deliveryFaults.duplicates must be a probability from 0 to 1'],
    [{ feemode: 'none', fee: 1 }, ' has no field "feemode", "fee"; it takes successStatus, absent, numbers'],
    [{ fees: { percent: 0.5 } }, ".fees.percent must be a percentage as decimal text from '0'"],
    [{ fees: { minimum: '5.00', maximum: '4.99' } }, '.fees must not have a minimum above its maximum'],
    [{ rates: { pairs: { 'USD/EUR': '0' } } }, '.rates.pairs.USD/EUR must be a rate above 0 as decimal text'],
    [{ fees: [{ percent: '1' }] }, '.fees must be an object'],
    [{ transactionShape: 'full' }, ' has no field "transactionShape"'],
    [{ rows: { debit: [{ a: '{amount a=b}' }] } }, '{amount a=b}; its forms are positive, negative, cents'],
    [{ status: 'skip' }, /has no field "status"; it takes .*; the nearest is "statuses"/],
    [{ amounts: { minimum: '9', maximum: '5' } }, '.amounts must not have a minimum above its maximum'],
    [{ texts: { limit: 0 } }, '.texts.limit must be a whole number from 1 to 10000'],
    [{ currencies: ['EUR'] }, ".currencies must be 'default' or currency codes such as 'EUR USD'"],
    [{ wallets: { usd: '1' } }, '.wallets has the name "usd", but names have the form \'USD\''],
    ['iso', 'must be an object of settings'],
    [{ rows: { debit: [{ a: '{amont}' }] } }, 'rows.debit[0] has no value {amont}; it has id, number'],
    [
      { rows: { debit: [{ a: '{amount upper}' }] } },
      '{amount upper}; its forms are positive, negative, cents',
    ],
    [{ rows: { paid: [] } }, 'rows has no field "paid"'],
    [{ rows: { debit: ['x'.repeat(20_000)] } }, 'rows.debit[0] must not be longer than 20000 characters'],
    [{ rows: { debit: [JSON.parse('['.repeat(40) + ']'.repeat(40))] } }, 'must not be nested deeper than 32'],
    [{ pagination: { body: { a: 1 } } }, 'pagination.body must have "{rows}" once'],
    [{ pagination: { body: ['{rows}', '{rows}'] } }, 'pagination.body must have "{rows}" once'],
    [{ pagination: { body: '{rows}', link: '<{id}>' } }, 'pagination.link has no value {id}'],
    [{ pagination: { body: '{rows}', link: 'é' } }, 'pagination.link must be'],
    [{ refusals: { all: { body: '{send_amount}' } } }, 'refusals.all.body has no value {send_amount}'],
    [{ paths: 'similar lenient, unknwn public' }, '.paths has no field "unknwn"; it takes similar, unknown'],
    [{ rates: 'USD/EUR 0.92, EURUSD 1' }, '.rates.pairs'],
    [{ texts: 'limit many' }, '.texts.limit must be a whole number from 1 to 10000'],
  ])('rejects %j without a change', (choice, message) => {
    const { mock } = openProfile({});
    expect(() => mock.sandbox.profile.set(choice as ProfileChoice)).toThrow(message);
    expect(() => mock.sandbox.accounts.create({ profile: choice as ProfileChoice })).toThrow(message);
    expect(() => createMock({ profile: choice as ProfileChoice })).toThrow(message);
    expect(mock.sandbox.profile.get()).toEqual(defaultProfile);
  });

  it('applies to a mock, to an account, and to new accounts', () => {
    const { mock } = openProfile({ numbers: 'string' });
    const { accounts, profile } = mock.sandbox;
    const own = accounts.create({ profile: { numbers: 'floatTail' } });
    expect([profile.get().numbers, profile.get(own).numbers]).toEqual(['string', 'floatTail']);
    profile.set({ absent: 'omit' });
    expect(profile.get(own)).toMatchObject({ numbers: 'floatTail', absent: 'omit' });
    profile.set({ absent: 'empty' }, own);
    expect(profile.get(mock.account).absent).toBe('omit');
    expect(profile.get(accounts.create()).absent).toBe('omit');
  });

  it('takes the fields of a setting in one text, as a saved profile has them', () => {
    const texts = {
      successStatus: 'createQuote 201, replayPayment 200',
      amounts: 'text accept, minimum 1.00',
      currencies: 'codes EUR GBP USD, case normalise',
      fees: 'percent 1, minimum 0.75, mode onTop',
      rates: 'USD/EUR 0.92, EUR/USD 1.08',
      wallets: 'USD 5.00, EUR 0',
      readLag: 'payments 2s',
    };
    const { mock } = openProfile({ amounts: { precision: 'round' } });
    mock.sandbox.profile.set(texts as object);
    expect(mock.sandbox.profile.get()).toMatchObject({
      successStatus: { createQuote: 201, createPayment: 201, replayPayment: 200 },
      amounts: { text: 'accept', precision: 'round', minimum: '1.00' },
      currencies: { codes: 'EUR GBP USD', case: 'normalise' },
      fees: { percent: '1', minimum: '0.75', mode: 'onTop' },
      rates: { pairs: { 'USD/EUR': '0.92', 'EUR/USD': '1.08' } },
      wallets: { USD: '5.00', EUR: '0' },
      readLag: { payments: '2s' },
    });
  });

  it('does not change the terms of existing payments', async () => {
    const { mock, get, pay } = openProfile({ refund: 'none' });
    const { json } = await pay({ amount: 100 });
    mock.sandbox.profile.set({ refund: 'full', debitAt: 'completed', statuses: 'skip' });
    mock.sandbox.payments.advance(json.data.id);
    mock.sandbox.payments.fail(json.data.id);
    expect((await get('/balance')).json.data.balances.at(-1)).toEqual({ currency: 'USD', balance: 99_900 });
  });
});

describe('the response setting', () => {
  it('successStatus of a create and of its replay', async () => {
    const { mock, pay } = openProfile({ successStatus: { createPayment: 202 } });
    const key = { 'idempotency-key': 'k' };
    expect([(await pay({}, key)).status, (await pay({}, key)).status]).toEqual([202, 202]);
    mock.sandbox.profile.set({ successStatus: { replayPayment: 200 } });
    expect([(await pay({}, key)).status, (await pay()).status]).toEqual([200, 202]);
  });

  it('rateLimit limits requests per window, until another one is set', async () => {
    const { mock, get } = openProfile({ rateLimit: { requests: 2, window: '10s' } });
    const ask = async (): Promise<number> => (await get('/balance')).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    await mock.sandbox.clock.advance('10s');
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    mock.sandbox.profile.set({ rateLimit: { requests: 1, window: '1s' } });
    expect([await ask(), await ask()]).toEqual([200, 429]);
    mock.sandbox.profile.set({ numbers: 'string' });
    expect(await ask()).toBe(429);
    mock.sandbox.profile.set({ rateLimit: 'none' });
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  });

  it('retryAfter date', async () => {
    const { mock, get } = openProfile({ retryAfter: 'date', rateLimit: { requests: 0, window: '90s' } });
    const limited = (await get('/balance')).headers;
    expect(limited.get('retry-after')).toBe('Sat, 31 Jan 2026 12:01:30 GMT');
    expect(limited.get('date')).toBe('Sat, 31 Jan 2026 12:00:00 GMT');
    mock.sandbox.profile.set({ rateLimit: 'none' });
    mock.sandbox.faults.inject({ kind: 'status', status: 503, retryAfter: 5 });
    expect((await get('/balance')).headers.get('retry-after')).toBe('Sat, 31 Jan 2026 12:00:05 GMT');
  });

  it('numbers floatTail rounds back to any amount', async () => {
    const { ask } = openProfile({ numbers: 'floatTail' });
    for (const amount of [0.01, 1, 29, 4.35, 1234.56, 999_999_999.99]) {
      const { send_amount } = (await ask('POST', '/quotes', { ...quote, amount })).json.data;
      expect(send_amount).not.toBe(amount);
      expect(send_amount.toFixed(2)).toBe(amount.toFixed(2));
    }
  });
});

describe('the money setting', () => {
  it.each<[debitAt: DebitStatus, balances: number[]]>([
    ['create', [400, 400, 400]],
    ['processing', [1000, 400, 400]],
    ['completed', [1000, 1000, 400]],
  ])('debitAt %s', async (debitAt, wanted) => {
    const { mock, get, pay } = openProfile({ debitAt });
    mock.sandbox.wallets.set({ currency: 'USD', amount: 1000 });
    const { id } = (await pay({ amount: 600, beneficiary_account: 'SIM-PENDING' })).json.data;
    const balance = async (): Promise<number> => (await get('/balance')).json.data.balances.at(-1).balance;
    const seen = [await balance()];
    for (const _ of [1, 2]) {
      // The money is reserved, whatever the balance is.
      expect((await pay({ amount: 400.01 })).json.error.type).toBe('insufficient_funds');
      mock.sandbox.payments.advance(id);
      seen.push(await balance());
    }
    expect(seen).toEqual(wanted);
    const rows = (await get('/transactions?type=payment')).json.data.transactions;
    expect(rows).toMatchObject([{ amount: -600, status: 'completed', balance_after: 400 }]);
  });

  it('debitAt fails a payment if the balance is too low at the debit', async () => {
    const { mock, get, pay } = openProfile({ debitAt: 'processing' });
    const { id } = (await pay()).json.data;
    mock.sandbox.wallets.set({ currency: 'USD', amount: 999 });
    await mock.sandbox.clock.advance('1s');
    expect((await get(`/payments/${id}`)).json.data.status).toBe('failed');
    expect((await get('/transactions?type=payment')).json.data.transactions).toEqual([]);
    expect((await get('/transactions?type=refund')).json.data.transactions).toEqual([]);
  });

  it.each<[status: DebitStatus, last: string]>([
    ['create', 'insufficient_funds'],
    ['processing', 'failed'],
    ['completed', 'failed'],
  ])('debitAt %s without a hold accepts payments until a debit takes the funds', async (status, last) => {
    const { mock, get, pay } = openProfile({ debitAt: { status, hold: 'none' } });
    mock.sandbox.wallets.set({ currency: 'USD', amount: 1000 });
    const first = (await pay({ amount: 600 })).json.data.id;
    const { data, error } = (await pay({ amount: 600 })).json;
    await mock.sandbox.clock.advance('1m');
    const statusOf = async (id: string): Promise<string> => (await get(`/payments/${id}`)).json.data.status;
    expect(await statusOf(first)).toBe('completed');
    expect(error?.type ?? (await statusOf(data.id))).toBe(last);
    expect((await get('/transactions?type=payment')).json.data.transactions).toHaveLength(1);
    expect((await get('/balance')).json.data.balances.at(-1).balance).toBe(400);
  });

  it('refund is that of a failed and of a returned payment', async () => {
    const refundsOf = async (refund: ProfileChoice['refund']): Promise<number[]> => {
      const { mock, get, pay } = openProfile({ refund: refund! });
      for (const beneficiary_account of ['SIM-FAIL', 'SIM-RETURN']) await pay({ beneficiary_account });
      await mock.sandbox.clock.advance('1m');
      const rows = (await get('/transactions?type=refund')).json.data.transactions;
      return rows.map((row: { amount: number }) => row.amount);
    };
    expect(await refundsOf('full')).toEqual([1000, 1000]);
    expect(await refundsOf('lessFee')).toEqual([995, 995]);
    expect(await refundsOf('none')).toEqual([]);
    expect(await refundsOf({ returned: 'lessFee' })).toEqual([995, 1000]);
    expect(await refundsOf({ returned: 'none' })).toEqual([1000]);
    expect(await refundsOf({ failed: 'none', returned: 'full' })).toEqual([1000]);
  });
});

describe('the status setting', () => {
  /** Returns the time of each status of a payment since its create, in milliseconds. */
  const readTimes = (mock: Mock, id: string): Record<string, number> => {
    const { payments } = stateOf(mock.sandbox.snapshot()).accounts[0]!.modes.test;
    const { history } = payments.find((payment) => payment.id === id)!;
    return Object.fromEntries(Object.entries(history).map(([status, at]) => [status, at - history.pending]));
  };
  const timesOf = async (
    profile: ProfileChoice,
    fields: Record<string, unknown> = {},
  ): Promise<Record<string, number>> => {
    const { mock, pay } = openProfile(profile);
    const { id } = (await pay(fields)).json.data;
    await mock.sandbox.clock.advance('1d');
    return readTimes(mock, id);
  };

  /** Profile, fields of the payment, and the time of each status in its order. */
  const walks: [ProfileChoice, Record<string, unknown>, Record<string, number>][] = [
    [{}, {}, { pending: 0, processing: 1000, completed: 4000 }],
    [{ statuses: 'skip' }, {}, { pending: 0, completed: 4000 }],
    [{ statuses: 'skip' }, { beneficiary_account: 'SIM-FAIL' }, { pending: 0, failed: 4000 }],
    [{ statuses: 'skip' }, { beneficiary_account: 'SIM-STUCK' }, { pending: 0 }],
    [
      { statuses: 'skip' },
      { beneficiary_account: 'SIM-RETURN' },
      { pending: 0, completed: 4000, failed: 9000 },
    ],
    [{ statuses: {} }, {}, { pending: 0, processing: 1000, completed: 4000 }],
    [{ statuses: { pending: '7s' } }, {}, { pending: 0, processing: 7000, completed: 10_000 }],
    [
      { statuses: { pending: 250, completed: '1h' } },
      { beneficiary_account: 'SIM-RETURN' },
      { pending: 0, processing: 250, completed: 3250, failed: 3_603_250 },
    ],
    [{ statuses: { pending: '2s', processing: '9s', path: 'skip' } }, {}, { pending: 0, completed: 11_000 }],
    [
      { statuses: { pending: '2s' } },
      { beneficiary_account: 'SIM-INSTANT' },
      { pending: 0, processing: 0, completed: 0 },
    ],
  ];

  it('statuses decides on the path and its times', async () => {
    const entries = (times: object): string => JSON.stringify(times);
    const found = await Promise.all(walks.map(async ([profile, fields]) => timesOf(profile, fields)));
    expect(found.map(entries)).toEqual(walks.map(([, , times]) => entries(times)));
  });

  it('draws each duration of a range from the seed', async () => {
    const run = async (): Promise<readonly number[]> => {
      const { mock, pay } = openProfile({ statuses: { pending: ['2s', '5s'], processing: ['0ms', '1ms'] } });
      const ids: string[] = [];
      for (let count = 0; count < 40; count += 1) ids.push((await pay({ amount: 1 })).json.data.id);
      await mock.sandbox.clock.advance('1d');
      return ids.flatMap((id) => {
        const { processing, completed } = readTimes(mock, id);
        return [processing!, completed! - processing!];
      });
    };
    const drawn = await run();
    const pending = drawn.filter((_, index) => index % 2 === 0);
    expect(Math.min(...pending)).toBeGreaterThanOrEqual(2000);
    expect(Math.max(...pending)).toBeLessThanOrEqual(5000);
    expect(new Set(pending).size).toBeGreaterThan(30);
    expect(new Set(drawn.filter((_, index) => index % 2 === 1))).toEqual(new Set([0, 1]));
    expect(await run()).toEqual(drawn);
  });

  const rules: Profile['outcomes'] = [
    { account: '1*0000', outcome: 'fail' },
    { name: 'Early*', amount: '1*', outcome: 'fail_early' },
    { amount: '66.60', outcome: 'stuck' },
    { amount: '*.13', outcome: 'pending' },
    { name: 'Return*Return', outcome: 'return' },
  ];
  const outcomes: [fields: Record<string, unknown>, statuses: string[]][] = [
    [{ amount: 5, beneficiary_account: '10000' }, failed],
    [{ amount: 5, beneficiary_account: '20000' }, ok],
    [{ amount: 5, beneficiary_account: '1000' }, ok],
    [{ amount: 5, beneficiary_account: '10001' }, ok],
    [{ amount: 5, beneficiary_name: 'Early' }, ok],
    [{ amount: 10, beneficiary_name: 'Early Ltd' }, ['pending', 'failed']],
    [{ amount: 66.6 }, ['pending', 'processing']],
    [{ amount: 66.61 }, ok],
    [{ amount: 2.13 }, ['pending']],
    [{ amount: 5, beneficiary_name: 'Return ReReturn' }, [...ok, 'failed']],
    [{ amount: 5, beneficiary_name: 'Return' }, ok],
    [{ amount: 5, beneficiary_account: 'SIM-FAIL' }, ok],
  ];

  it('outcomes decides on the last status', async () => {
    const found = await Promise.all(
      outcomes.map(async ([fields]) =>
        Object.keys(await timesOf({ outcomes: rules }, { beneficiary_account: 'DE89', ...fields })),
      ),
    );
    expect(found).toEqual(outcomes.map(([, statuses]) => statuses));
  });

  it('outcomes has the magic values by default, and does not apply in live mode', async () => {
    expect(defaultProfile.outcomes.map(({ account, outcome }) => [account, outcome])).toContainEqual([
      'SIM-FAIL-EARLY',
      'fail_early',
    ]);
    expect(defaultProfile.outcomes.map(({ account }) => account)).toEqual(magicValues);
    const { mock, ask } = openProfile({ outcomes: [{ outcome: 'pending' }] });
    const key = { authorization: `Bearer ${mock.account.liveKey}` };
    mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: '2000' });
    const { id } = (await ask('POST', '/payments', order(), key)).json.data;
    await mock.sandbox.clock.advance('4s');
    expect((await ask('GET', `/payments/${id}`, undefined, key)).json.data.status).toBe('completed');
  });
});

describe('the read setting', () => {
  it('readLag shows payments, the balance and the list as they were', async () => {
    const { mock, get, pay } = openProfile({
      readLag: { payments: '500ms', balance: '2s', transactions: '3s' },
    });
    mock.sandbox.wallets.set({ currency: 'USD', amount: 5000 });
    const { id } = (await pay({ beneficiary_account: 'SIM-FAIL' })).json.data;
    const read = async (): Promise<unknown[]> => {
      const payment = await get(`/payments/${id}`);
      const rows = (await get('/transactions')).json.data.transactions;
      return [
        payment.json.data?.status ?? payment.json.error.type,
        (await get('/balance')).json.data.balances.at(-1).balance,
        rows
          .filter((row: { payment_id: string }) => row.payment_id === id)
          .map((row: { type: string; status: string }) => `${row.type} ${row.status}`),
      ];
    };
    const seen: unknown[] = [];
    for (const at of [499, 500, 1499, 1500, 2000, 3000, 4500, 6000, 7000]) {
      await mock.sandbox.clock.set(new Date(Date.parse('2026-01-31T12:00:00Z') + at));
      seen.push([at, ...(await read())]);
    }
    expect(seen).toEqual([
      [499, 'not_found', 5000, []],
      [500, 'pending', 5000, []],
      [1499, 'pending', 5000, []],
      [1500, 'processing', 5000, []],
      [2000, 'processing', 4000, []],
      [3000, 'processing', 4000, ['payment pending']],
      [4500, 'failed', 4000, ['payment processing']],
      [6000, 'failed', 5000, ['payment processing']],
      [7000, 'failed', 5000, ['refund completed', 'payment failed']],
    ]);
  });
});

describe('the list setting', () => {
  async function openRows(profile: ProfileChoice): Promise<ReturnType<typeof openProfile>> {
    const opened = openProfile(profile);
    for (let count = 0; count < 7; count += 1) await opened.pay({ amount: 1 + count });
    return opened;
  }

  it('pagination cursor refuses a wrong cursor, and listQuery can ignore unknown filters', async () => {
    const { get } = await openRows({ pagination: 'cursor', listQuery: { filter: 'ignore' } });
    expect((await get('/transactions?cursor=x')).status).toBe(422);
    expect((await get('/transactions?status=lost')).json.data.transactions).toHaveLength(10);
  });

  it('listQuery clamp uses the nearest page', async () => {
    const { get } = await openRows({ listQuery: { page: 'clamp', pastEnd: 'not_found' } });
    const used: [query: string, page: number, perPage: number][] = [
      ['page=0', 1, 20],
      ['page=x', 1, 20],
      ['page=02&per_page=5', 2, 5],
      ['per_page=007', 1, 7],
      ['per_page=0', 1, 1],
      ['per_page=-5', 1, 1],
      ['per_page=101', 1, 100],
      ['per_page=many', 1, 20],
    ];
    for (const [query, current_page, per_page] of used) {
      const { pagination } = (await get(`/transactions?${query}`)).json.data;
      expect([query, pagination]).toMatchObject([query, { current_page, per_page }]);
    }
  });
});

describe('the request setting', () => {
  it('amounts with a precision', async () => {
    const { mock, ask, pay } = openProfile({});
    const rows: [
      precision: 'reject' | 'round' | 'truncate' | 'roundQuotes' | 'truncateQuotes',
      amount: string,
      sent: number | undefined,
    ][] = [
      ['reject', '1.005', undefined],
      ['round', '1.005', 1.01],
      ['round', '1.00499999999999999999', 1],
      ['truncate', '1.009', 1],
      ['truncate', '0.009', undefined],
      ['round', '0.0099999', undefined],
      ['roundQuotes', '9e-3', undefined],
      ['truncateQuotes', '0.0099999', undefined],
      ['truncateQuotes', '0.01', 0.01],
      ['truncateQuotes', '1.009', 1],
      ['roundQuotes', '1.009', 1.01],
      ['round', '-1', undefined],
      ['round', '1e400', undefined],
      ['round', '999999999.994', 999_999_999.99],
      ['round', '999999999.995', undefined],
    ];
    for (const [precision, amount, sent] of rows) {
      mock.sandbox.profile.set({ amounts: { precision } });
      const body = `{"from_currency":"USD","to_currency":"EUR","amount":${amount}}`;
      const { json } = await ask('POST', '/quotes', body);
      expect([precision, amount, json.data?.send_amount]).toEqual([precision, amount, sent]);
      if (!precision.endsWith('Quotes')) continue;
      const payments = [await pay({ amount: 1.009 }), await pay({ amount: 1.01 })];
      expect(payments.map(({ status }) => status)).toEqual([422, 201]);
    }
  });
});

describe('the error setting', () => {
  it('paths redirect keeps the query and the id', async () => {
    const { mock } = openProfile({ paths: 'redirect' });
    const locationOf = async (path: string): Promise<string | null> => {
      const headers = { 'x-api-key': mock.account.testKey };
      return (await mock.fetch(mock.baseUrl + path, { headers, redirect: 'manual' })).headers.get('location');
    };
    expect(await locationOf('/Balance?x=1')).toBe('/api/v1/balance?x=1');
    expect(await locationOf('/payments/pay_test_Ab/')).toBe('/api/v1/payments/pay_test_Ab');
    expect(await locationOf('/nowhere/')).toBeNull();
  });

  it('headers of all responses join the links of pages', async () => {
    const Link = '</old>; rel="deprecation"';
    const { get } = openProfile({
      pagination: 'link',
      headers: { all: { Deprecation: '@1780272000', Link } },
    });
    const { headers: listed } = await get('/transactions?per_page=1');
    expect(listed.get('link')).toBe(`${Link}, </api/v1/transactions?page=2&per_page=1>; rel="next"`);
    for (const path of ['/balance', '/nowhere'])
      expect((await get(path)).headers.get('deprecation')).toBe('@1780272000');
  });
});

describe('the webhook setting', () => {
  interface Sent {
    event: string;
    created_at: string;
  }
  /** A mock whose receiver responds with the given statuses in order, and the requests that it received. */
  function listen(profile: ProfileChoice, ...statuses: number[]) {
    const opened = openProfile(profile);
    const sent: Sent[] = [];
    opened.mock.sandbox.webhooks.collect({
      receive: async (request) => {
        sent.push((await request.json()) as Sent);
        return new Response(null, { status: statuses[sent.length - 1] ?? 200 });
      },
    });
    return { ...opened, sent };
  }

  it('events are those of the listed statuses', async () => {
    const namesOf = async (events: Profile['events']): Promise<string[]> => {
      const { mock, pay, sent } = listen({ events });
      await pay();
      await mock.sandbox.clock.advance('10s');
      return sent.map(({ event }) => event.replace('payment.', ''));
    };
    expect(await namesOf(['completed'])).toEqual(['completed']);
    expect(await namesOf(['pending', 'failed'])).toEqual(['pending']);
    expect(await namesOf([])).toEqual([]);
    expect(await namesOf(['pending', 'processing', 'completed', 'failed'])).toEqual(ok);
  });

  it('ack decides whether a 204 acknowledges', async () => {
    for (const [ack, state] of [
      [200, 'retrying'],
      ['2xx', 'acknowledged'],
    ] as const) {
      const { mock, pay } = listen({ ack }, 204);
      await pay({ beneficiary_account: 'SIM-PENDING' });
      await mock.sandbox.idle();
      expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state }]);
    }
  });

  it.each<[retrySchedule: Profile['retrySchedule'], counts: number[]]>([
    [
      ['2s', 500],
      [1, 2, 2, 3, 3],
    ],
    ['none', [1, 1, 1, 1, 1]],
  ])('retrySchedule %j', async (retrySchedule, wanted) => {
    const { mock, pay, sent } = listen({ retrySchedule }, 500, 500, 500);
    await pay({ beneficiary_account: 'SIM-PENDING' });
    const counts: number[] = [];
    for (const by of ['1999ms', '1ms', '499ms', '1ms', '30d'] as const) {
      await mock.sandbox.clock.advance(by);
      counts.push(sent.length);
    }
    expect(counts).toEqual(wanted);
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state: 'exhausted' }]);
  });

  it('deliveryFaults sends events twice, out of order and late, the same for each run with a seed', async () => {
    const run = async (deliveryFaults: Profile['deliveryFaults']): Promise<string[]> => {
      const { mock, pay, sent } = listen({ deliveryFaults }, 200);
      const ids: string[] = [];
      for (let count = 0; count < 30; count += 1) ids.push((await pay({ amount: 1 })).json.data.id);
      await mock.sandbox.clock.advance('1d');
      return sent.map((body) => {
        const { data } = body as unknown as { data: { id: string; status: string } };
        return `${ids.indexOf(data.id)} ${data.status}`;
      });
    };
    const count = (all: readonly string[]): number[] =>
      ['pending', 'processing', 'completed'].map(
        (status) => all.filter((each) => each.endsWith(status)).length,
      );
    expect(count(await run('none'))).toEqual([30, 30, 30]);
    const twice = await run({ duplicates: 0.5 });
    expect(await run({ duplicates: 0.5 })).toEqual(twice);
    expect(new Set(twice).size).toBe(90);
    expect(twice.length).toBeGreaterThan(110);
    expect(twice.length).toBeLessThan(160);
    const reordered = await run({ reorder: 1 });
    expect(count(reordered)).toEqual([30, 30, 30]);
    expect(reordered.slice(0, 3)).toEqual(['0 completed', '0 processing', '0 pending']);
  });
});
