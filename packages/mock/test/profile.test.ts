import { describe, expect, it } from 'vitest';
import {
  createMock,
  defaultProfile,
  magicValues,
  type Mock,
  type Profile,
  type ProfileChoice,
  profileSettings,
} from '@service/mock';
import { START, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// The responses of each profile setting (docs/contract.md#profile-settings). Responses of other profiles deviate from
// openapi.yaml, so they are not checked against it.

interface Seen {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of other profiles have no type
  json: any;
}
type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Seen>;

function open(profile: ProfileChoice): {
  mock: Mock;
  ask: Ask;
  get: (path: string) => Promise<Seen>;
  pay: (fields?: Record<string, unknown>, headers?: Record<string, string>) => Promise<Seen>;
} {
  const mock = createMock({ clock: 'manual', start: START, seed: 42, profile });
  const ask: Ask = async (method, path, body, headers = {}) => {
    const response = await mock.fetch(`${mock.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${mock.account.testKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  const pay = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Seen> =>
    ask('POST', '/payments', order(fields), headers);
  return { mock, ask, get: (path) => ask('GET', path), pay };
}
const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };
const reviewed = [{ status: 'under_review', after: 'processing' }] as const;
type DebitStatus = 'create' | 'processing' | 'completed';

describe('a profile', () => {
  it('has the first value of every setting by default', () => {
    const { mock } = open({});
    expect(mock.sandbox.profile.get()).toEqual(defaultProfile);
    for (const [name, [first]] of Object.entries(profileSettings))
      expect(defaultProfile[name as keyof Profile]).toBe(first);
  });

  it.each<[choice: unknown, message: string | RegExp]>([
    [{ fees: [{ mode: 'free' }] }, ".fees[0].mode must be 'inside' or 'onTop' or 'inRate', not \"free\""],
    [{ createStatus: 404 }, '.successStatus.createPayment must be 201 or 200 or 202, not 404'],
    [{ debitAt: 'never' }, ".debitAt must be 'create' or 'processing' or 'completed' or an object"],
    [{ refund: { failed: 'half' } }, ".refund.failed must be 'full' or 'lessFee' or 'none', not \"half\""],
    [{ events: ['pending', 'paid'] }, ".events[1] must be one of 'pending', 'processing'"],
    [{ deprecation: { deprecated: '2026-06-01T00:00:00Z' } }, 'has no field "deprecation"'],
    [{ durations: { pending: ['5s', '2s'] } }, ".durations.pending must be a duration of at most '3650d'"],
    [{ outcomes: [{ acount: { equals: '1' }, outcome: 'fail' }] }, '.outcomes[0] has no field "acount"'],
    [
      { outcomes: [{ amount: { from: 3000 }, outcome: 'fail' }] },
      '.outcomes[0].amount.from must be an amount',
    ],
    [{ retrySchedule: ['5s', 'soon'] }, ".retrySchedule[1] must be a duration from '1ms' to '365d'"],
    [{ deliveryFaults: { duplicates: 3 } }, '.deliveryFaults.duplicates must be a probability from 0 to 1'],
    [{ feemode: 'none', fee: 1 }, ' has no field "feemode", "fee"; it takes successStatus, absent, numbers'],
    [{ fees: [{ percent: 0.5 }] }, ".fees[0].percent must be a percentage as decimal text from '0'"],
    [{ fees: [{ minimum: '5.00', maximum: '4.99' }] }, '.fees[0].minimum must not be above'],
    [{ rates: { pairs: { 'USD/EUR': '0' } } }, '.rates.pairs.USD/EUR must be a rate above 0 as decimal text'],
    [
      { rates: { moves: { by: '0.1', every: 0 } } },
      ".rates.moves.every must be a duration from '1ms' to '1d'",
    ],
    [{ amounts: { minimum: '9', maximum: '5' } }, '.amounts.minimum must not be above'],
    [{ texts: { limit: 0 } }, '.texts.limit must be a whole number from 1 to 10000'],
    [{ currencies: [] }, ".currencies must be 'default' or a list of currency codes"],
    [{ wallets: { usd: '1' } }, '.wallets has the name "usd", but names have the form \'USD\''],
    ['iso', 'must be an object of settings'],
  ])('rejects %j without a change', (choice, message) => {
    const { mock } = open({});
    expect(() => mock.sandbox.profile.set(choice as ProfileChoice)).toThrow(message);
    expect(() => mock.sandbox.accounts.create({ profile: choice as ProfileChoice })).toThrow(message);
    expect(() => createMock({ profile: choice as ProfileChoice })).toThrow(message);
    expect(mock.sandbox.profile.get()).toEqual(defaultProfile);
  });

  it('applies to a mock, to an account, and to new accounts', () => {
    const { mock } = open({ numbers: 'string' });
    const { accounts, profile } = mock.sandbox;
    const own = accounts.create({ profile: { numbers: 'floatTail' } });
    expect([profile.get().numbers, profile.get(own).numbers]).toEqual(['string', 'floatTail']);
    profile.set({ absent: 'omit' });
    expect(profile.get(own)).toMatchObject({ numbers: 'floatTail', absent: 'omit' });
    profile.set({ absent: 'empty' }, own);
    expect(profile.get(mock.account).absent).toBe('omit');
    expect(profile.get(accounts.create()).absent).toBe('omit');
  });

  it('does not change the terms of existing payments', async () => {
    const { mock, get, pay } = open({ refund: 'none' });
    const { json } = await pay({ amount: 100 });
    mock.sandbox.profile.set({ refund: 'full', debitAt: 'completed', transitions: 'skip' });
    mock.sandbox.payments.advance(json.data.id);
    mock.sandbox.payments.fail(json.data.id);
    expect((await get('/balance')).json.data.balances.at(-1)).toEqual({ currency: 'USD', balance: 99_900 });
  });
});

describe('the response setting', () => {
  it.each([200, 201, 202] as const)('successStatus of a create %i', async (createPayment) => {
    const { mock, pay } = open({ successStatus: { createPayment } });
    expect((await pay({}, { 'idempotency-key': 'k' })).status).toBe(createPayment);
    expect((await pay({}, { 'idempotency-key': 'k' })).status).toBe(createPayment);
    mock.sandbox.profile.set({ successStatus: { replayPayment: 200 } });
    expect((await pay({}, { 'idempotency-key': 'k' })).status).toBe(200);
    expect((await pay()).status).toBe(createPayment);
  });

  it('rateLimit limits requests per window, until another one is set', async () => {
    const { mock, get } = open({ rateLimit: { requests: 2, window: '10s' } });
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
    const { mock, get } = open({ retryAfter: 'date', rateLimit: { requests: 0, window: '90s' } });
    const limited = (await get('/balance')).headers;
    expect(limited.get('retry-after')).toBe('Sat, 31 Jan 2026 12:01:30 GMT');
    expect(limited.get('date')).toBe('Sat, 31 Jan 2026 12:00:00 GMT');
    mock.sandbox.profile.set({ rateLimit: 'none' });
    mock.sandbox.faults.inject({ kind: 'status', status: 503, retryAfter: 5 });
    expect((await get('/balance')).headers.get('retry-after')).toBe('Sat, 31 Jan 2026 12:00:05 GMT');
  });

  it('latency delays every response by real time', async () => {
    const { ask, get } = open({ latency: ['30ms', '60ms'] });
    const measure = async (run: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await run();
      return performance.now() - start;
    };
    // Timers can fire 1 ms early.
    expect(await measure(() => get('/balance'))).toBeGreaterThan(28);
    expect(await measure(() => get('/nowhere'))).toBeGreaterThan(28);
    expect(
      await measure(() => ask('GET', '/balance', undefined, { authorization: 'Bearer x' })),
    ).toBeGreaterThan(28);
  });

  it('successStatus of a quote 201', async () => {
    expect((await open({ successStatus: { createQuote: 201 } }).ask('POST', '/quotes', quote)).status).toBe(
      201,
    );
  });

  it.each<[absent: Profile['absent'], beneficiary: unknown, purpose: unknown]>([
    ['null', { name: 'A', bank: null, account: null, country: null }, null],
    ['omit', { name: 'A' }, undefined],
    ['empty', { name: 'A', bank: '', account: '', country: '' }, ''],
  ])('absent %s', async (absent, beneficiary, purpose) => {
    const { get, pay } = open({ absent });
    const { data } = (await pay({ beneficiary_name: 'A' })).json;
    expect(data.beneficiary).toEqual(beneficiary);
    expect(data.purpose).toBe(purpose);
    const row = (await get('/transactions')).json.data.transactions[0];
    expect(row.reference).toBe(purpose);
    expect('reference' in row).toBe(absent !== 'omit');
  });

  it.each<[numbers: Profile['numbers'], send: string, receive: string, rate: string]>([
    ['number', '1000', '916.69', '0.9213'],
    ['string', '"1000"', '"916.69"', '"0.9213"'],
    ['floatTail', '1000.000000000001', '916.6900000000001', '0.9213000000000001'],
  ])('numbers %s', async (numbers, send, receive, rate) => {
    const { text } = await open({ numbers }).pay();
    expect(text).toContain(`"send_amount":${send},"rate":${rate},"receive_amount":${receive},`);
  });

  it('numbers floatTail rounds back to any amount', async () => {
    const { ask } = open({ numbers: 'floatTail' });
    for (const amount of [0.01, 1, 29, 4.35, 1234.56, 999_999_999.99]) {
      const { send_amount } = (await ask('POST', '/quotes', { ...quote, amount })).json.data;
      expect(send_amount).not.toBe(amount);
      expect(send_amount.toFixed(2)).toBe(amount.toFixed(2));
    }
  });

  it.each<[timestamps: 'offset' | 'zulu' | 'compactOffset' | 'fraction', text: string]>([
    ['offset', '2026-01-31T12:00:00+00:00'],
    ['zulu', '2026-01-31T12:00:00Z'],
    ['compactOffset', '2026-01-31T12:00:00+0000'],
    ['fraction', '2026-01-31T12:00:00.000+00:00'],
  ])('timestamps %s', async (timestamps, text) => {
    const { get, pay } = open({ timestamps });
    expect((await pay()).json.data.created_at).toBe(text);
    expect((await get('/transactions')).json.data.transactions[0].created_at).toBe(text);
  });

  it('transactionShape minimal', async () => {
    const { get, pay } = open({ transactionShape: 'minimal' });
    await pay();
    const row = (await get('/transactions')).json.data.transactions[0];
    expect(Object.keys(row)).toEqual(['id', 'type', 'status', 'currency', 'amount', 'created_at']);
    expect(row.amount).toBe(1000);
  });
});

describe('the access setting', () => {
  it.each<[template: string | null, key: string, mode: unknown]>([
    ['{mode}', 'service_test_x', undefined],
    [null, 'service_test_x', null],
    ['{mode or=key_mode}', 'service_test_x', 'test'],
    ['{mode or=key_mode}', 'service_live_x', 'live'],
  ])('refusals with the mode %j for %s', async (template, key, mode) => {
    const { ask } = open({ refusals: { authentication: { body: { mode: template } } } });
    const { status, json } = await ask('GET', '/balance', undefined, { authorization: `Bearer ${key}` });
    expect([status, json.mode, 'mode' in json]).toEqual([401, mode, mode !== undefined]);
  });

  it.each<[bothKeys: Profile['bothKeys'], mode: string | undefined]>([
    ['reject', undefined],
    ['bearer', 'test'],
    ['apiKey', 'live'],
  ])('bothKeys %s', async (bothKeys, mode) => {
    const { mock, ask } = open({ bothKeys });
    const { json } = await ask('GET', '/balance', undefined, { 'x-api-key': mock.account.liveKey });
    expect(json.mode).toBe(mode);
  });

  it.each<[refusals: Profile['refusals'], status: number]>([
    [{}, 404],
    [{ unknown_payment: { message: 'Not here.' } }, 404],
    [{ foreign_payment: { status: 403, type: 'permission_error' } }, 403],
  ])('refusals %j of a payment of another account', async (refusals, status) => {
    const { mock, ask, pay } = open({ refusals });
    const { id } = (await pay()).json.data;
    const headers = { authorization: `Bearer ${mock.sandbox.accounts.create().testKey}` };
    expect((await ask('GET', `/payments/${id}`, undefined, headers)).status).toBe(status);
    expect((await ask('GET', '/payments/pay_test_unknown', undefined, headers)).status).toBe(404);
  });
});

describe('the money setting', () => {
  it.each<[fees: Profile['fees'], fee: number, rate: number, receive: number, debit: number]>([
    [[{ percent: '0.5', mode: 'inside' }], 5, 0.9213, 916.69, 1000],
    [[{ percent: '0.5', mode: 'onTop' }], 5, 0.9213, 921.3, 1005],
    [[{ percent: '0.5', mode: 'inRate' }], 0, 0.916694, 916.69, 1000],
    [[], 0, 0.9213, 921.3, 1000],
  ])('fees %j', async (fees, fee, rate, receive, debit) => {
    const { ask, get, pay } = open({ fees });
    expect((await ask('POST', '/quotes', quote)).json.data).toMatchObject({
      fee,
      rate,
      receive_amount: receive,
    });
    await pay();
    const [row] = (await get('/transactions')).json.data.transactions;
    expect(row).toMatchObject({ amount: -debit, fee });
  });

  it.each<[debitAt: DebitStatus, balances: number[]]>([
    ['create', [400, 400, 400]],
    ['processing', [1000, 400, 400]],
    ['completed', [1000, 1000, 400]],
  ])('debitAt %s', async (debitAt, wanted) => {
    const { mock, get, pay } = open({ debitAt });
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
    const { mock, get, pay } = open({ debitAt: 'processing' });
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
    const { mock, get, pay } = open({ debitAt: { status, hold: 'none' } });
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

  it.each<[choice: ProfileChoice, refunds: number[]]>([
    [{ refund: 'full' }, [1000, 1000]],
    [{ refund: 'lessFee' }, [995, 995]],
    [{ refund: 'none' }, []],
    [{ refund: { returned: 'lessFee' } }, [995, 1000]],
    [{ refund: { returned: 'none' } }, [1000]],
    [{ refund: { failed: 'none', returned: 'full' } }, [1000]],
  ])('%j', async (choice, refunds) => {
    const { mock, get, pay } = open(choice);
    for (const beneficiary_account of ['SIM-FAIL', 'SIM-RETURN']) await pay({ beneficiary_account });
    await mock.sandbox.clock.advance('1m');
    const rows = (await get('/transactions?type=refund')).json.data.transactions;
    expect(rows.map((row: { amount: number }) => row.amount)).toEqual(refunds);
  });

  it.each<[rounding: Profile['rounding'], fee: number]>([
    ['half_up', 0.15],
    ['half_even', 0.14],
    ['down', 0.14],
  ])('rounding %s', async (rounding, fee) => {
    expect((await open({ rounding }).ask('POST', '/quotes', { ...quote, amount: 29 })).json.data.fee).toBe(
      fee,
    );
  });
});

describe('the status setting', () => {
  const walk = async (profile: ProfileChoice, fields: Record<string, unknown> = {}): Promise<string[]> => {
    const { mock, get, pay } = open(profile);
    const { id } = (await pay(fields)).json.data;
    const seen: string[] = [];
    for (let second = 0; second < 12; second += 1) {
      const { status } = (await get(`/payments/${id}`)).json.data;
      if (seen.at(-1) !== status) seen.push(status);
      await mock.sandbox.clock.advance('1s');
    }
    return seen;
  };

  it.each<[choice: ProfileChoice, account: string | undefined, statuses: string[]]>([
    [{}, undefined, ['pending', 'processing', 'completed']],
    [{ transitions: 'skip' }, undefined, ['pending', 'completed']],
    [{ transitions: 'skip' }, 'SIM-FAIL', ['pending', 'failed']],
    [{ transitions: 'skip' }, 'SIM-STUCK', ['pending']],
    [{ transitions: 'skip' }, 'SIM-RETURN', ['pending', 'completed', 'failed']],
    [{ extraStatuses: reviewed }, undefined, ['pending', 'processing', 'under_review', 'completed']],
    [{ extraStatuses: reviewed }, 'SIM-FAIL', ['pending', 'processing', 'failed']],
    [{ extraStatuses: reviewed, transitions: 'skip' }, undefined, ['pending', 'completed']],
  ])('%j with %s', async (choice, beneficiary_account, statuses) => {
    expect(await walk(choice, { beneficiary_account })).toEqual(statuses);
  });

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
    const { mock, pay } = open(profile);
    const { id } = (await pay(fields)).json.data;
    await mock.sandbox.clock.advance('1d');
    return readTimes(mock, id);
  };

  it.each<[choice: ProfileChoice, account: string | undefined, times: Record<string, number>]>([
    [{ durations: {} }, undefined, { pending: 0, processing: 1000, completed: 4000 }],
    [{ durations: { pending: '7s' } }, undefined, { pending: 0, processing: 7000, completed: 10_000 }],
    [
      { durations: { pending: 250, completed: '1h' } },
      'SIM-RETURN',
      { pending: 0, processing: 250, completed: 3250, failed: 3_603_250 },
    ],
    [
      { extraStatuses: [{ status: 'under_review', after: 'processing', duration: '1m' }] },
      undefined,
      { pending: 0, processing: 1000, under_review: 4000, completed: 64_000 },
    ],
    [
      { durations: { pending: '2s', processing: '9s' }, transitions: 'skip' },
      undefined,
      { pending: 0, completed: 11_000 },
    ],
    [{ durations: { pending: '2s' } }, 'SIM-INSTANT', { pending: 0, processing: 0, completed: 0 }],
  ])('%j with %s', async (choice, beneficiary_account, times) => {
    expect(await timesOf(choice, { beneficiary_account })).toEqual(times);
  });

  it('draws each duration of a range from the seed', async () => {
    const run = async (): Promise<readonly number[]> => {
      const { mock, pay } = open({ durations: { pending: ['2s', '5s'], processing: ['0ms', '1ms'] } });
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
    { account: { suffix: '0000', prefix: '1' }, outcome: 'fail' },
    { name: { prefix: 'Early' }, amount: { from: '10' }, outcome: 'fail_early' },
    { amount: { equals: '66.60' }, outcome: 'stuck' },
    { amount: { suffix: '.13' }, outcome: 'pending' },
    { amount: { from: '900', to: '1000' }, outcome: 'return' },
  ];
  const [ok, failed] = [
    ['pending', 'processing', 'completed'],
    ['pending', 'processing', 'failed'],
  ];
  it.each<[fields: Record<string, unknown>, statuses: string[] | undefined]>([
    [{ amount: 5, beneficiary_account: '10000' }, failed],
    [{ amount: 5, beneficiary_account: '20000' }, ok],
    [{ amount: 5, beneficiary_account: '10001' }, ok],
    [{ amount: 5, beneficiary_name: 'Early' }, ok],
    [{ amount: 10, beneficiary_name: 'Early Ltd' }, ['pending', 'failed']],
    [{ amount: 66.6 }, ['pending', 'processing']],
    [{ amount: 66.61 }, ok],
    [{ amount: 2.13 }, ['pending']],
    [{ amount: 900 }, ['pending', 'processing', 'completed', 'failed']],
    [{ amount: 1000 }, ['pending', 'processing', 'completed', 'failed']],
    [{ amount: 899.99 }, ok],
    [{ amount: 5, beneficiary_account: 'SIM-FAIL' }, ok],
  ])('outcomes with %j', async (fields, statuses) => {
    expect(await walk({ outcomes: rules }, { beneficiary_account: 'DE89', ...fields })).toEqual(statuses);
  });

  it('outcomes has the magic values by default, and does not apply in live mode', async () => {
    expect(defaultProfile.outcomes.map(({ account, outcome }) => [account?.equals, outcome])).toContainEqual([
      'SIM-FAIL-EARLY',
      'fail_early',
    ]);
    expect(defaultProfile.outcomes.map(({ account }) => account?.equals)).toEqual(magicValues);
    const { mock, ask } = open({ outcomes: [{ outcome: 'pending' }] });
    const key = { authorization: `Bearer ${mock.account.liveKey}` };
    mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: '2000' });
    const { id } = (await ask('POST', '/payments', order(), key)).json.data;
    await mock.sandbox.clock.advance('4s');
    expect((await ask('GET', `/payments/${id}`, undefined, key)).json.data.status).toBe('completed');
  });
});

describe('the read setting', () => {
  it('readLag shows payments, the balance and the list as they were', async () => {
    const { mock, get, pay } = open({ readLag: { payments: '500ms', balance: '2s', transactions: '3s' } });
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
  async function openRows(profile: ProfileChoice): Promise<ReturnType<typeof open>> {
    const opened = open(profile);
    for (let count = 0; count < 7; count += 1) await opened.pay({ amount: 1 + count });
    return opened;
  }
  const all = 10;

  it('laravel has rows under data next to the page fields', async () => {
    const { get } = await openRows({ pagination: 'laravel' });
    const { data } = (await get('/transactions?per_page=4&page=2')).json;
    const { data: rows, ...figures } = data;
    expect(rows).toHaveLength(4);
    expect(figures).toEqual({
      current_page: 2,
      from: 5,
      last_page: 3,
      next_page_url: '/api/v1/transactions?page=3&per_page=4',
      per_page: 4,
      prev_page_url: '/api/v1/transactions?page=1&per_page=4',
      to: 8,
      total: all,
    });
  });

  it('cursor returns each row once, also while new ones arrive', async () => {
    const { get, pay } = await openRows({ pagination: 'cursor' });
    const ids: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const query: string = next === '' ? '' : `&cursor=${next}`;
      const { transactions, pagination } = (await get(`/transactions?per_page=3${query}`)).json.data;
      ids.push(...transactions.map((row: { id: string }) => row.id));
      next = pagination.next_cursor;
      expect(pagination.has_more).toBe(next !== null);
      await pay({ amount: 1 });
    }
    expect([ids.length, new Set(ids).size]).toEqual([all, all]);
    expect((await get('/transactions?cursor=x')).status).toBe(422);
  });

  it('array has only rows, and none past the end', async () => {
    const { get } = await openRows({ pagination: 'array' });
    expect((await get('/transactions')).json.data).toHaveLength(all);
    expect((await get('/transactions?page=2')).json.data).toEqual([]);
  });

  it('link has the next page in the Link header, until the last page', async () => {
    const { get } = await openRows({ pagination: 'link' });
    const first = await get('/transactions?per_page=5&type=payment');
    expect(Object.keys(first.json.data)).toEqual(['transactions']);
    expect(first.headers.get('link')).toBe(
      '</api/v1/transactions?page=2&per_page=5&type=payment>; rel="next"',
    );
    expect((await get('/transactions?page=2&per_page=5&type=payment')).headers.get('link')).toBeNull();
  });

  it.each<[query: string, page: number, perPage: number]>([
    ['page=0', 1, 20],
    ['page=x', 1, 20],
    ['page=02', 2, 20],
    ['per_page=007', 1, 7],
    ['per_page=0', 1, 1],
    ['per_page=-5', 1, 1],
    ['per_page=101', 1, 100],
    ['per_page=many', 1, 20],
  ])('listQuery clamp uses %s for page %i of %i', async (query, current_page, per_page) => {
    const { get } = await openRows({ listQuery: { page: 'clamp' } });
    const { pagination } = (await get(`/transactions?${query}`)).json.data;
    expect(pagination).toMatchObject({ current_page, per_page });
  });

  it.each<[filter: 'reject' | 'empty' | 'ignore', rows: number | undefined]>([
    ['reject', undefined],
    ['empty', 0],
    ['ignore', all],
  ])('listQuery with an unknown filter: %s', async (filter, rows) => {
    const { get } = await openRows({ listQuery: { filter } });
    const { status, json } = await get('/transactions?status=lost');
    expect([status, json.data?.transactions.length]).toEqual([rows === undefined ? 422 : 200, rows]);
  });

  it.each(['COMPLETED', '{status upper}'])('filters rows with %s also in lowercase', async (status) => {
    const { get } = await openRows({ transactionShape: [{ of: 'any', row: { id: '{id}', status } }] });
    const asked = ['COMPLETED', 'completed', 'Completed'].map(async (text) =>
      get(`/transactions?status=${text}`),
    );
    const counts = (await Promise.all(asked)).map(({ json }) => json.data?.transactions.length);
    expect(counts).toEqual([counts[1], expect.any(Number), undefined]);
    expect(counts[0]).toBeGreaterThan(0);
  });

  it.each<[query: string, status: number]>([
    ['per_page=0', 400],
    ['per_page=101', 200],
    ['page=0', 400],
    ['page=999', 404],
    ['status=lost', 400],
    ['type=lost', 200],
  ])('listQuery refuses kinds with their own refusal: %s', async (query, wanted) => {
    const refused = { status: 400 };
    const { get } = await openRows({
      listQuery: { page: 'default', pastEnd: 'not_found', filter: 'empty' },
      refusals: { per_page_small: refused, page: refused, status: refused },
    });
    expect((await get(`/transactions?${query}`)).status).toBe(wanted);
  });
});

describe('the request setting', () => {
  it('currencies with the same one twice: reject', async () => {
    const { ask } = open({ currencies: { same: 'reject' } });
    const { status, json } = await ask('POST', '/quotes', { ...quote, to_currency: 'USD' });
    expect(status).toBe(422);
    expect(json.error.message).toContain('to_currency must differ from from_currency');
  });

  it('currencies in lower case: normalise', async () => {
    const { ask } = open({ currencies: { case: 'normalise' } });
    const { json } = await ask('POST', '/quotes', { ...quote, from_currency: 'usd', to_currency: 'eUr' });
    expect(json.data).toMatchObject({ from_currency: 'USD', to_currency: 'EUR' });
    expect((await ask('POST', '/quotes', { ...quote, from_currency: 5 })).status).toBe(422);
  });

  it.each<[precision: 'reject' | 'round' | 'truncate', amount: string, sent: number | undefined]>([
    ['reject', '1.005', undefined],
    ['round', '1.005', 1.01],
    ['round', '1.00499999999999999999', 1],
    ['truncate', '1.009', 1],
    ['truncate', '0.009', undefined],
    ['round', '-1', undefined],
    ['round', '1e400', undefined],
    ['round', '999999999.994', 999_999_999.99],
    ['round', '999999999.995', undefined],
  ])('amounts with precision %s: %s is %s', async (precision, amount, sent) => {
    const { ask } = open({ amounts: { precision } });
    const body = `{"from_currency":"USD","to_currency":"EUR","amount":${amount}}`;
    const { status, json } = await ask('POST', '/quotes', body);
    expect([status, json.data?.send_amount]).toEqual([sent === undefined ? 422 : 200, sent]);
  });

  it.each([
    ['roundQuotes', 1.01],
    ['truncateQuotes', 1],
  ] as const)('amounts with precision %s rejects those of payments', async (precision, sent) => {
    const { ask, pay } = open({ amounts: { precision } });
    const body = { from_currency: 'USD', to_currency: 'EUR', amount: 1.009 };
    expect((await ask('POST', '/quotes', body)).json.data.send_amount).toBe(sent);
    expect((await pay({ amount: 1.009 })).status).toBe(422);
    expect((await pay({ amount: 1.01 })).status).toBe(201);
  });

  it('requestBody with unknown fields: reject', async () => {
    const { ask, pay } = open({ requestBody: { unknownFields: 'reject' } });
    const { status, json } = await ask('POST', '/quotes', { ...quote, purpose: 'x', foo: 1 });
    expect(status).toBe(422);
    expect(json.error.message).toBe('The request is invalid: foo is not known; purpose is not known.');
    expect((await pay({ purpose: 'x' })).status).toBe(201);
  });

  it('a malformed body with a status and type of its own', async () => {
    const { ask } = open({ refusals: { malformed_body: { status: 422, type: 'validation_error' } } });
    for (const body of ['{', '', '\uFEFF{}']) {
      const { status, json } = await ask('POST', '/quotes', body);
      expect([status, json.error.type]).toEqual([422, 'validation_error']);
    }
  });

  it.each<[idempotency: Profile['idempotency'], statuses: number[], payments: number]>([
    ['replayed', [201, 201], 1],
    ['ignored', [201, 201], 2],
    ['conflict', [201, 409], 1],
  ])('idempotency %s', async (idempotency, statuses, payments) => {
    const { get, pay } = open({ idempotency });
    const key = { 'idempotency-key': 'k' };
    expect([(await pay({}, key)).status, (await pay({}, key)).status]).toEqual(statuses);
    expect((await get('/transactions?type=payment')).json.data.transactions).toHaveLength(payments);
  });
});

describe('the error setting', () => {
  const noLimit = { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null };
  const ietf = {
    'RateLimit-Policy': '"default";q={limit}',
    RateLimit: '"default";r={remaining};t={reset}',
  };
  it.each<[changed: Record<string, string | null>, headers: Record<string, string>]>([
    [
      {},
      {
        'retry-after': '60',
        'x-ratelimit-limit': '0',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Date.parse('2026-01-31T12:01:00Z') / 1000),
      },
    ],
    [
      { ...noLimit, ...ietf },
      { 'retry-after': '60', 'ratelimit-policy': '"default";q=0', ratelimit: '"default";r=0;t=60' },
    ],
    [{ ...noLimit, 'Retry-After': null }, {}],
  ])('a rate limit with the headers %j', async (changed, wanted) => {
    const { mock, get } = open({ refusals: { rate_limit: { headers: changed } } });
    mock.sandbox.profile.set({ rateLimit: { requests: 0, window: '1m' } });
    const { status, headers } = await get('/balance');
    const limits = [...headers].filter(([name]) => name.includes('ratelimit') || name === 'retry-after');
    expect(status).toBe(429);
    expect(Object.fromEntries(limits)).toEqual(wanted);
  });

  it.each<[errorShape: 'envelope' | 'extra' | 'bare', body: unknown]>([
    [
      'envelope',
      { success: false, mode: 'test', error: { type: 'validation_error', message: expect.any(String) } },
    ],
    [
      'extra',
      {
        success: false,
        mode: 'test',
        error: {
          type: 'validation_error',
          message: expect.any(String),
          status: 422,
          fields: { amount: ['is required'] },
        },
      },
    ],
    ['bare', { message: 'The request is invalid: amount is required.' }],
  ])('errorShape %s', async (errorShape, body) => {
    const { ask } = open({ errorShape });
    const { json } = await ask('POST', '/quotes', { from_currency: 'USD', to_currency: 'EUR' });
    expect(json).toEqual(body);
  });

  it('errorShape html', async () => {
    const { status, headers, text } = await open({ errorShape: 'html' }).get('/nowhere');
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html']);
    expect(text).toContain('<h1>404</h1><p>There is no such path. Use one of: ');
  });

  it.each<[path: string, location: string | undefined]>([
    ['/balance/', '/api/v1/balance'],
    ['//balance', '/api/v1/balance'],
    ['/Balance?x=1', '/api/v1/balance?x=1'],
    ['/payments/pay_test_Ab/', '/api/v1/payments/pay_test_Ab'],
    ['/nowhere/', undefined],
  ])('paths redirect sends %s to %s', async (path, location) => {
    const { mock } = open({ paths: 'redirect' });
    const response = await mock.fetch(`${mock.baseUrl}${path}`, {
      headers: { 'x-api-key': mock.account.testKey },
      redirect: 'manual',
    });
    expect(response.status).toBe(location === undefined ? 404 : 308);
    expect(response.headers.get('location') ?? undefined).toBe(location);
  });

  it('headers of all responses have dates of a deprecation, and join links', async () => {
    const { get } = open({
      pagination: 'link',
      headers: {
        all: {
          Deprecation: '@1780272000',
          Sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
          Link: '</old>; rel="deprecation"',
        },
      },
    });
    const { headers: listed } = await get('/transactions?per_page=1');
    expect(listed.get('link')).toBe(
      '</old>; rel="deprecation", </api/v1/transactions?page=2&per_page=1>; rel="next"',
    );
    for (const path of ['/balance', '/nowhere']) {
      const { headers } = await get(path);
      expect(headers.get('deprecation')).toBe('@1780272000');
      expect(headers.get('sunset')).toBe('Fri, 01 Jan 2027 00:00:00 GMT');
    }
  });
});

describe('the webhook setting', () => {
  interface Sent {
    event: string;
    created_at: string;
  }
  /** A mock whose receiver responds with the given statuses in order, and the requests that it received. */
  function listen(profile: ProfileChoice, ...statuses: number[]): ReturnType<typeof open> & { sent: Sent[] } {
    const opened = open(profile);
    const sent: Sent[] = [];
    opened.mock.sandbox.webhooks.collect({
      receive: async (request) => {
        sent.push((await request.json()) as Sent);
        return new Response(null, { status: statuses[sent.length - 1] ?? 200 });
      },
    });
    return { ...opened, sent };
  }

  it.each<[events: Profile['events'], sent: string[]]>([
    [['completed'], ['payment.completed']],
    [['pending', 'failed'], ['payment.pending']],
    [[], []],
    [
      ['pending', 'processing', 'completed', 'failed'],
      ['payment.pending', 'payment.processing', 'payment.completed'],
    ],
  ])('events %j', async (events, names) => {
    const { mock, pay, sent } = listen({ events });
    await pay();
    await mock.sandbox.clock.advance('10s');
    expect(sent.map(({ event }) => event)).toEqual(names);
  });

  it.each<[ack: Profile['ack'], state: string]>([
    [200, 'retrying'],
    ['2xx', 'acknowledged'],
  ])('ack %s marks a 204 as %s', async (ack, state) => {
    const { mock, pay } = listen({ ack }, 204);
    await pay({ beneficiary_account: 'SIM-PENDING' });
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state }]);
  });

  it('retrySchedule with a list of delays', async () => {
    const { mock, pay, sent } = listen({ retrySchedule: ['2s', 500] }, 500, 500, 500);
    await pay({ beneficiary_account: 'SIM-PENDING' });
    const counts: number[] = [];
    for (const by of ['1999ms', '1ms', '499ms', '1ms', '30d'] as const) {
      await mock.sandbox.clock.advance(by);
      counts.push(sent.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
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

  it('retrySchedule none', async () => {
    const { mock, pay, sent } = listen({ retrySchedule: 'none' }, 500);
    await pay({ beneficiary_account: 'SIM-PENDING' });
    await mock.sandbox.clock.advance('1d');
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([{ state: 'exhausted' }]);
    expect(sent).toHaveLength(1);
  });

  it.each<[value: string, times: string[]]>([
    ['{at}', ['2026-01-31T12:00:00+00:00', '2026-01-31T12:00:00+00:00']],
    ['{renewed_at}', ['2026-01-31T12:00:00+00:00', '2026-01-31T12:00:05+00:00']],
  ])('eventShape with the time %s in a later attempt', async (time, times) => {
    const { mock, pay, sent } = listen({ eventShape: { created_at: time } }, 500);
    await pay({ beneficiary_account: 'SIM-PENDING' });
    await mock.sandbox.clock.advance('1m');
    expect(sent.map(({ created_at }) => created_at)).toEqual(times);
  });
});
