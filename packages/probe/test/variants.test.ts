import { documentedEvent, documentedQuote } from '@service/internal';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { type Finding, probe, type ProbeOptions } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { learnHeaders } from '../src/templates/headers.ts';
import { learnKeyForm } from '../src/templates/ids.ts';
import { learnLimits, learnLimitsByMethod, readStatedLimit } from '../src/templates/limits.ts';
import { probeService } from './probe-service.ts';

/** Probes a mock that plays a profile, and returns the values that were found. */
async function probeMock(
  profile: ProfileChoice,
  options: ProbeOptions = {},
  wrap: (fetch: Mock['fetch'], now: () => number) => Mock['fetch'] = (fetch) => fetch,
): Promise<Readonly<Record<string, unknown>>> {
  const {
    account,
    baseUrl,
    fetch: send,
    sandbox,
  } = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 7, profile });
  const fetch = wrap(send, () => sandbox.clock.now().getTime());
  const clock: ProbeOptions['clock'] = {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
  const { findings } = await probe({ apiKey: account.testKey, baseUrl, fetch }, { clock, ...options });
  const values = findings.map((each: Finding) => [
    each.setting,
    each.state === 'found' ? each.value : each.state,
  ]);
  return Object.fromEntries(values) as Record<string, unknown>;
}

const second = 1_000;
const readings = (rows: readonly [at: number, headers: Record<string, string>][]) =>
  rows.map(([at, headers]) => ({ at: at * second, headers: new Headers(headers) }));

describe('probe, numbers of a rate limit in headers', () => {
  it('tells the requests that are left from the seconds until the next window, whatever their names', () => {
    const rows = [9, 8, 7, 6, 9, 8].map((left, index): [number, Record<string, string>] => [
      1_800_000_000 + index * 10,
      { 'x-a': String(left), 'x-b': String([60, 50, 40, 30, 60, 50][index]), 'x-c': '10' },
    ]);
    expect(Object.fromEntries(learnLimits(readings(rows)))).toEqual({
      'x-a': '{remaining}',
      'x-b': '{reset}',
    });
  });

  it('reads several numbers of one header, and the time of the next window', () => {
    const rows = [9, 8, 7, 6, 5].map((left, index): [number, Record<string, string>] => [
      1_800_000_000 + index,
      {
        budget: `limit=10, left=${left}, in=${60 - index}`,
        ends: '1800000060',
        since: '1700000000',
        'ends-at': new Date(1_800_000_060_000 + Math.floor(index / 3) * 60_000).toISOString(),
        'served-at': new Date(1_800_000_000_000 + index * second).toUTCString(),
      },
    ]);
    expect(Object.fromEntries(learnLimits(readings(rows)))).toEqual({
      ends: '{reset_at unix}',
      'ends-at': '{reset_at digits=3 zone=Z}',
      'served-at': '{now http}',
    });
    const apart = rows.map(([at, headers], index): [number, Record<string, string>] => [
      at + index * 9,
      { budget: headers['budget']!.replace(/in=\d+/, `in=${60 - index * 10}`) },
    ]);
    const learned = learnLimits(readings(apart));
    expect(learned.get('budget')).toBe('limit=10, left={remaining}, in={reset}');
    expect(readStatedLimit(readings(apart), learned)).toEqual({ requests: 10, seconds: 60 });
  });

  it('leaves out numbers that do not count down', () => {
    const rows = [12, 3, 7, 9, 4].map((ms, index): [number, Record<string, string>] => [
      index,
      { 'x-runtime': `${ms} ms` },
    ]);
    expect(learnLimits(readings(rows)).size).toBe(0);
  });

  it('finds the requests that are left in the responses to one method', () => {
    const rows = readings(
      [29, 28, 27, 26].flatMap((left, index): [number, Record<string, string>][] => [
        [index * 10, { 'x-a': String(left) }],
        [index * 10 + 1, { 'x-b': '1' }],
      ]),
    ).map((each, index) => ({ ...each, method: index % 2 === 0 ? 'POST' : 'GET' }));
    expect(learnLimitsByMethod(rows)).toEqual({
      headers: new Map(),
      own: new Map([['x-a', '{remaining}']]),
    });
    const shared = rows.map((each) => ({ ...each, method: 'POST' }));
    expect(learnLimitsByMethod(shared).own.size).toBe(0);
  });

  it('finds the limit in a constant header of the responses to one method', () => {
    const rows = [29, 28, 27, 26].flatMap((left, index) => [
      {
        at: index * 10_000,
        method: 'POST',
        headers: new Headers({ 'x-a': String(left), 'x-most': '30', 'x-version': '2', 'x-both': '30' }),
      },
      { at: index * 10_000, method: 'GET', headers: new Headers({ 'x-both': '30' }) },
    ]);
    const { own } = learnLimitsByMethod(rows);
    expect(Object.fromEntries(own)).toEqual({ 'x-a': '{remaining}', 'x-most': '{limit}' });
    const timed = rows
      .filter(({ method }) => method === 'POST')
      .map((row, index) => ({
        ...row,
        headers: new Headers([...row.headers, ['x-in', String(39 - 10 * index)]]),
      }));
    expect(readStatedLimit(timed, new Map([...own, ['x-in', '{reset}']]))).toEqual({
      requests: 30,
      seconds: 39,
    });
  });

  it('finds the limit of requests that write', async () => {
    const rateLimit = { requests: 60, window: '30s', method: 'POST' } as const;
    const all = { 'x-left': '{remaining}' };
    expect(await probeMock({ rateLimit, headers: { all } }, { burst: 100 })).toMatchObject({
      rateLimit,
      headers: { all },
    });
    expect(await probeMock({ rateLimit }, { burst: 100 })).toMatchObject({ rateLimit });
  });

  it('finds a limit that fills up again steadily', async () => {
    const addBucket = (fetch: Mock['fetch'], now: () => number): Mock['fetch'] => {
      let [left, at] = [60, now()];
      return async (...args) => {
        left = Math.min(60, left + ((now() - at) / second) * 20);
        at = now();
        if (left < 1) return Response.json({ success: false }, { status: 429 });
        left -= 1;
        const response = await fetch(...args);
        response.headers.set('x-left', String(Math.floor(left)));
        return response;
      };
    };
    const { rateLimit, headers } = await probeMock({}, { burst: 100 }, addBucket);
    expect(rateLimit).toEqual({ requests: 60, window: '3s' });
    expect(headers).toEqual({ all: { 'x-left': '{remaining}' } });
  });

  it('finds a short window whose 429 has no Retry-After', async () => {
    const addWindow = (fetch: Mock['fetch'], now: () => number): Mock['fetch'] => {
      let [left, end] = [60, 0];
      return async (...args) => {
        if (now() >= end) [left, end] = [60, now() + 3 * second];
        if (left === 0) return Response.json({ success: false }, { status: 429 });
        left -= 1;
        const response = await fetch(...args);
        response.headers.set('x-left', String(left));
        return response;
      };
    };
    const { rateLimit } = await probeMock({}, { burst: 100 }, addWindow);
    expect(rateLimit).toEqual({ requests: 60, window: '3s' });
  });

  it('finds a limit that no request reaches', async () => {
    const rateLimit = { requests: 5_000, window: '60s' } as const;
    const all = { 'x-quota': '5000', 'x-quota-left': '{remaining}', 'x-quota-ends': '{reset_at unix}' };
    const found = await probeMock({ rateLimit, headers: { all } });
    expect(found).toMatchObject({ rateLimit, headers: { all } });
  });
});

describe('probe, headers of created payments', () => {
  it('have the id of the payment, even if ids are numbers that decrease', () => {
    const samples = ['94', '81', '70', '39', '12']
      .map((start) => `${start}71640628620899862`)
      .map((text) => ({
        headers: new Headers({ location: `/payments/${text}`, 'x-left': text.slice(0, 2) }),
        known: { id: { kind: 'text', text } as const },
      }));
    expect(learnHeaders(samples)).toMatchObject({ location: '/payments/{id}', 'x-left': '{remaining}' });
  });
});

describe('probe, random ids', () => {
  it.each([
    [['a1b2c3d4e5f60718', '0011223344556677'], '{key hex=16}'],
    [['req-ABCDEFGHIJKL', 'req-MNOPQRSTUVWX'], 'req-{key upper=12}'],
    [['4f8c1e0a-0000-4000-8000-000000000001', '4f8c1e0a-0000-4000-8000-000000000002'], '{key uuid}'],
    [['same-same-same-same', 'same-same-same-same'], undefined],
    [
      [
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
        '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
      ],
      '00-{key hex=32}-{key hex=16}-00',
    ],
    [['evt_1', 'evt_2'], undefined],
    [['REF047017018281547', 'REF150732607672110'], 'REF{key digits=15}'],
    [['REF000000000000041', 'REF000000000000042'], undefined],
    [[1, 2], undefined],
  ])('learns the form of %j', (ids, form) => {
    expect(learnKeyForm(ids, { name: 'key' })).toBe(form);
  });

  it('finds the forms of ids and times of every response, also in errors', async () => {
    const profile = {
      headers: { all: { 'x-correlation-id': '{request_id uuid}' } },
      envelope: { meta: { trace: 'tr_{request_id hex=20}', served_at: '{now digits=3 zone=Z}' } },
      errorShape: {
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}', path: '{path}', method: '{method}' },
          timestamp: '{now digits=3 zone=Z}',
        },
      },
    } as const;
    expect(await probeMock(profile)).toMatchObject(profile);
  });

  it('finds the id and the end of a quote', async () => {
    const quoteShape = {
      id: 'quo_{request_id lower=20}',
      ...documentedQuote,
      expires_at: '{now plus=30s digits=3 zone=Z}',
    };
    expect((await probeMock({ quoteShape }))['quoteShape']).toEqual(quoteShape);
  });

  it('finds the ids of events, deliveries and attempts in webhooks', async () => {
    const eventShape = { id: 'evt_{event_key hex=32}', ...documentedEvent };
    const eventHeaders = { 'x-hook': '{delivery uuid}', 'x-hook-attempt': 'at_{attempt_key base62=20}' };
    const { result } = await probeService({ profile: { eventShape, eventHeaders } });
    expect(result('eventShape')).toEqual(eventShape);
    expect(result('eventHeaders')).toEqual(eventHeaders);
  });
});

describe('probe, fees of other currencies', () => {
  it.each<NonNullable<ProfileChoice['fees']>>([
    [
      { from: 'EUR', percent: '0.45', minimum: '1.75' },
      { from: 'GBP', percent: '0.45', minimum: '1.50', maximum: '120' },
      { percent: '0.45', minimum: '2' },
    ],
    [{ to: 'CHF', percent: '0.9' }, { to: 'NGN', percent: '0.9' }, { percent: '0.5' }],
    [{ from: 'GBP', to: 'CHF', percent: '1.2' }, { to: 'CHF', percent: '0.9' }, { percent: '0.5' }],
    [
      { from: 'USD', to: 'USD' },
      { percent: '0.5', flat: '0.25' },
    ],
  ])('finds %j', async (...fees) => {
    const profile: ProfileChoice = {
      feeMode: 'onTop',
      fees,
      currencies: ['CHF', 'EUR', 'GBP', 'NGN', 'USD'],
    };
    const found = await probeMock(profile, { payments: false });
    const mocks = [profile, { ...profile, fees: found['fees'] } as ProfileChoice].map((each) =>
      createMock({ profile: each }),
    );
    for (const from_currency of ['USD', 'EUR', 'GBP'])
      for (const to_currency of ['USD', 'EUR', 'GBP', 'CHF', 'NGN'])
        for (const amount of [25, 333.33, 48_000]) {
          const quotes = mocks.map(async ({ fetch, baseUrl, account }) => {
            const response = await fetch(`${baseUrl}/quotes`, {
              method: 'POST',
              headers: { authorization: `Bearer ${account.testKey}`, 'content-type': 'application/json' },
              body: JSON.stringify({ from_currency, to_currency, amount }),
            });
            return (await response.json()) as { readonly data: { readonly fee: number } };
          });
          const [original, played] = await Promise.all(quotes);
          expect([from_currency, to_currency, amount, played?.data.fee]).toEqual([
            from_currency,
            to_currency,
            amount,
            original?.data.fee,
          ]);
        }
  });
});

describe('probe, rows of failed payments', () => {
  it('finds the row that returns the money by its amount, and the status of fees', async () => {
    const rest = { ref: '{payment_id}', currency: '{currency}', at: '{created_at}' };
    const transactionShape = [
      {
        of: 'payment',
        row: { id: '{number}', code: 'PAY', state: '{status}', amount: '{send_amount cents}', ...rest },
      },
      {
        of: 'fee',
        row: { id: '{number}', code: 'COST', state: '{status}', amount: '{amount abs cents}', ...rest },
      },
      {
        of: 'refund',
        row: { id: '{number}', code: 'BACK', state: '{status}', amount: '{amount cents}', ...rest },
      },
    ] as const;
    const { transactionShape: found } = await probeMock({ transactionShape, feeMode: 'onTop' });
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining([...transactionShape]));
  });
});

describe('probe, time of the debit', () => {
  it('follows from a failed payment without a row if the reads are too far apart', async () => {
    const durations = { pending: '1ms', processing: '1ms' } as const;
    const { result, find } = await probeService({ profile: { debitAt: 'completed', durations } });
    expect(result('debitAt')).toBe('completed');
    expect(find('debitAt')?.evidence).toContain('a payment that was pending, processing, failed has no row');
  });

  it('stays unknown if the failed payment has a row', async () => {
    const durations = { pending: '1ms', processing: '1ms' } as const;
    const { find } = await probeService({ profile: { debitAt: 'processing', durations } });
    expect(find('debitAt')).toMatchObject({
      state: 'unknown',
      among: expect.arrayContaining(['processing']),
    });
  });
});

describe('probe, pages', () => {
  it('finds fields beside those of a named page', async () => {
    const pagination = {
      data: {
        transactions: ['{each rows}', '{row}'],
        pagination: {
          current_page: '{page}',
          per_page: '{per_page}',
          next_page: '{next_page}',
          total: '{total}',
        },
      },
    } as const;
    expect((await probeMock({ pagination }))['pagination']).toEqual(pagination);
  });
});
