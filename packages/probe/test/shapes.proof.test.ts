import { documentedEvent, documentedPayment, toRecord } from '@service/internal';
import { createMock, type ProfileChoice } from '@service/mock';
import { type Finding, probe, type ProbeOptions } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { probeService } from './probe-service.ts';

/** Probes a mock that plays a profile, and returns its findings. */
async function probeMock(profile: ProfileChoice, options: ProbeOptions = {}): Promise<readonly Finding[]> {
  const { account, baseUrl, fetch, sandbox } = createMock({
    clock: 'manual',
    start: '2026-01-31T12:00:00Z',
    seed: 7,
    profile,
  });
  const clock: ProbeOptions['clock'] = {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
  const { findings } = await probe({ apiKey: account.testKey, baseUrl, fetch }, { clock, ...options });
  return findings;
}

const valueOf = (findings: readonly Finding[], name: string): unknown =>
  findings.flatMap((finding) => (finding.setting === name && 'value' in finding ? [finding.value] : []))[0];

describe('probe, texts', () => {
  it('finds the limit of texts if each refusal has another request id', async () => {
    let requests = 0;
    const outcome = await probeService({
      profile: { texts: { limit: 80 } },
      intercept: async ({ forward }) => {
        const response = await forward();
        if (response.ok) return response;
        const { error, ...rest } = (await response.json()) as { error: object };
        requests += 1;
        return Response.json(
          { ...rest, error: { ...error, request_id: `req_${requests}` } },
          { status: response.status },
        );
      },
    });
    expect([outcome.result('texts.limit'), outcome.result('texts.empty')]).toEqual([80, 'reject']);
  });
});

describe('probe, shapes of responses', () => {
  it.each<[string, ProfileChoice]>([
    ['paymentShape', { paymentShape: { ...documentedPayment, links: { self: '/v1/payments/{id}' } } }],
    [
      'balanceShape',
      {
        balanceShape: {
          balances: [
            '{each wallets}',
            { currency: '{currency}', balance: '{balance}', available: '{available fixed}' },
          ],
        },
      },
    ],
    [
      'paymentShape',
      {
        paymentShape: {
          ...documentedPayment,
          fee: { amount: '{fee cents}', currency: '{from_currency}' },
          money: { value: '{send_amount fixed}', currency: '{from_currency}' },
          createdAt: '{created_at unix}',
          completedAt: '{completed_at unix omit}',
          state: '{status upper}',
        },
      },
    ],
    [
      'beside',
      {
        beside: {
          all: { meta: { version: 1 } },
          createPayment: { links: { self: '/api/v1/payments/{id}' } },
          getPayment: {
            links: { self: '/api/v1/payments/{id}' },
            meta: { version: 1, state: '{status upper}' },
          },
          getBalance: { count: 4 },
        },
      },
    ],
    ['fees', { fees: [{ to: 'GBP', percent: '0.25' }, { from: 'EUR', flat: '2.50' }, { percent: '1.98' }] }],
    ['listQuery', { listQuery: { page: 'default' } }],
    [
      'texts',
      { texts: { empty: 'absent' }, paymentShape: { ...documentedPayment, purpose: '{purpose omit}' } },
    ],
    ['texts', { texts: { number: 'accept' } }],
    ['amounts', { amounts: { precision: 'roundQuotes' }, rounding: 'half_even' }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{uuid}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}', transaction: '{number}' } }],
    ['timestamps', { timestamps: { digits: 6, zone: 'Z' } }],
    [
      'headers',
      {
        headers: {
          createPayment: { location: '/api/v1/payments/{id}' },
          all: { 'x-service': 'two', 'cache-control': null },
        },
      },
    ],
  ])('finds %s of %j', async (name, profile) => {
    const findings = await probeMock(profile);
    const expected = profile[name as keyof ProfileChoice];
    const found = valueOf(findings, name);
    expect({ [name]: found }).toMatchObject({ [name]: expected });
  });

  it.each<ProfileChoice['refusals']>([
    {
      insufficient_funds: {
        status: 402,
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}', code: 'E17' },
        },
      },
    },
    { missing_key: { type: 'key_missing', headers: { 'www-authenticate': 'Bearer realm="payments"' } } },
    { unknown_method: { headers: { allow: '{allow}' } } },
    {
      insufficient_funds: {
        body: {
          error: {
            type: '{type}',
            required: '{send_amount}',
            available: '{available fixed}',
            lacking: '{shortfall cents}',
          },
        },
      },
    },
    {
      unknown_payment: {
        body: { error: { type: '{type}', message: '{message}' }, resource: '{payment_id}' },
      },
    },
    { unknown_payment: { status: 410, body: '<h1>Gone</h1>', headers: { 'content-type': 'text/html' } } },
  ])('finds the refusals of %j', async (refusals = {}) => {
    const found = valueOf(await probeMock({ refusals }), 'refusals');
    expect(found).toMatchObject(refusals);
  });

  it('finds the available amount of a refusal if holds lower it', async () => {
    const wallet = { currency: '{currency}', balance: '{balance}', available: '{available}' };
    const refusals = { insufficient_funds: { body: { available: '{available fixed}' } } };
    const profile: ProfileChoice = {
      debitAt: { status: 'processing', hold: 'reserve' },
      balanceShape: { balances: ['{each wallets}', wallet] },
      refusals,
    };
    expect(valueOf(await probeMock(profile), 'refusals')).toMatchObject(refusals);
  });

  it('finds the header of a refusal with another value than in all responses', async () => {
    const refusals = { unknown_payment: { headers: { 'x-region': 'none' } } };
    const profile = { headers: { all: { 'x-region': 'eu' } }, refusals };
    expect(valueOf(await probeMock(profile), 'refusals')).toMatchObject(refusals);
  });

  it.each<ProfileChoice>([
    { listQuery: { page: 'default', filter: 'ignore' }, refusals: { per_page_small: {}, type: {} } },
    {
      listQuery: { page: 'default', filter: 'empty' },
      refusals: { per_page_large: { status: 400 }, status: {} },
    },
    { listQuery: { page: 'default', pastEnd: 'not_found' }, refusals: { page: { status: 400 } } },
  ])('finds the invalid parameters of lists that are refused beside accepted ones: %j', async (profile) => {
    const findings = await probeMock(profile);
    const refusals = valueOf(findings, 'refusals');
    expect(valueOf(findings, 'listQuery')).toMatchObject(profile.listQuery ?? {});
    const isOfList = (name: string): boolean => /^(?:page|per_page_.*|status|type)$/.test(name);
    expect(
      Object.keys(refusals as object)
        .filter(isOfList)
        .toSorted(),
    ).toEqual(Object.keys(profile.refusals ?? {}).toSorted());
  });

  it('finds the target of refused requests', async () => {
    const body = { error: { type: '{type}', message: '{message}' }, instance: '{target}' };
    const refusals = valueOf(await probeMock({ refusals: { validation: { body } } }), 'refusals');
    expect(refusals).toMatchObject({ validation: { body: { instance: '{target}' } } });
  });

  it.each<ProfileChoice>([
    {
      errorShape: {
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}', request_id: '{request_id}' },
        },
      },
    },
  ])('finds the body of most errors of %j', async (profile) => {
    expect(valueOf(await probeMock(profile), 'errorShape')).toEqual(profile.errorShape);
  });

  it('finds the code of each kind of problem', async () => {
    const detail = (reason: string): readonly object[] => [{ field: '{field}', reason }];
    const issues = {
      missing: detail('required'),
      amount_zero: detail('too_small'),
      text_empty: detail('empty'),
      text_long: detail('too_long'),
      other: detail('required'),
    };
    const error = { type: '{type}', message: '{message}', details: ['{each issues}', '{issue}'] };
    const validation = { body: { success: false, mode: '{mode}', error } };
    const profile = { issues, refusals: { validation } } as ProfileChoice;
    const { result } = await probeService({
      profile,
      intercept: async ({ body, forward }) => {
        // A service that accepts names of any length refuses the amount.
        if (String(body.beneficiary_name).length < 200) return forward();
        const refusal = { type: 'insufficient_funds', message: 'The balance is too low.' };
        return Response.json({ success: false, mode: 'test', error: refusal }, { status: 422 });
      },
    });
    expect(result('refusals')).toMatchObject({ validation });
    expect(result('issues')).toMatchObject(issues);
  });

  it.each<NonNullable<ProfileChoice['pagination']>>([
    ...(['known', 'place'] as const).map((query) => ({
      data: ['{each rows}', '{row}'] as const,
      beside: { links: { first: '{first_path}', next: '{next_path}' } },
      query,
    })),
    {
      data: {
        count: '{total}',
        next: '{next_url}',
        previous: '{previous_url}',
        results: ['{each rows}', '{row}'],
      },
    },
    {
      data: ['{each rows}', '{row}'],
      beside: {
        links: { first: '{first_url}', last: '{last_url}', prev: '{previous_url}', next: '{next_url}' },
        meta: {
          current_page: '{page}',
          from: '{from}',
          last_page: '{last_page}',
          per_page: '{per_page}',
          to: '{to}',
          total: '{total}',
        },
      },
    },
    {
      data: ['{each rows}', '{row}'],
      headers: {
        Link: '<{first_url}>; rel="first", <{previous_url}>; rel="prev", <{next_url}>; rel="next", <{last_url}>; rel="last"',
        'x-total-count': '{total}',
      },
    },
  ])('finds the pages of %j', async (pagination) => {
    expect(valueOf(await probeMock({ pagination }), 'pagination')).toEqual(pagination);
  });

  it.each<[NonNullable<ProfileChoice['transactionShape']>]>([
    [
      [
        {
          of: 'payment',
          row: {
            id: '{number}',
            kind: 'supplier_payment',
            direction: 'debit',
            amount: '{amount abs cents}',
            currency: '{currency}',
            reference: '{payment_id}',
            description: '{reference}',
            state: '{status}',
            posted_at: '{created_at digits=3 zone=Z}',
          },
        },
        {
          of: 'any',
          row: {
            id: '{number}',
            kind: 'deposit',
            direction: 'credit',
            amount: '{amount abs cents}',
            currency: '{currency}',
            reference: null,
            description: null,
            state: '{status}',
            posted_at: '{created_at digits=3 zone=Z}',
          },
        },
      ],
    ],
  ])('finds the rows of %j', async (transactionShape) => {
    expect(valueOf(await probeMock({ transactionShape }), 'transactionShape')).toEqual(transactionShape);
  });

  it('finds the sent amount and the fee in separate rows', async () => {
    const rest = { state: '{status}', ref: '{payment_id}', currency: '{currency}', at: '{created_at}' };
    const transactionShape = [
      { of: 'fee', row: { id: '{number}', type: 'charge', amount: '{amount abs cents}', ...rest } },
      { of: 'payment', row: { id: '{number}', type: 'transfer', amount: '{send_amount cents}', ...rest } },
    ] as const;
    const found = valueOf(
      await probeMock({ transactionShape, fees: [{ percent: '0.5', mode: 'onTop' }] }),
      'transactionShape',
    );
    expect(found).toEqual(expect.arrayContaining([...transactionShape]));
  });

  it.each<ProfileChoice>([
    { bothKeys: 'either' },
    { paths: { similar: 'lenient' } },
    { paths: { unknown: 'public' } },
    { requestBody: { malformed: 'empty' } },
    { requestBody: { checked: 'beforeKey' } },
    { idempotency: 'replayedAny' },
    { successStatus: { createPayment: 201, replayPayment: 200 } },
  ])('finds %j', async (profile) => {
    const { findings } = await probeService({ profile });
    const found = Object.keys(profile).map((name) => [name, valueOf(findings, name)]);
    expect(Object.fromEntries(found)).toMatchObject(profile);
  });

  it('finds the ids of webhooks', async () => {
    const eventShape = {
      id: 'evt_{event_key lower=24}',
      event: 'payment.{status}',
      created_at: '{at}',
      data: { id: '{id}', status: '{status}', mode: '{mode}' },
    };
    const outcome = await probeService({ profile: { eventShape } });
    expect(outcome.result('eventShape')).toEqual(eventShape);
  });

  it('finds the reference of a payment in all its events', async () => {
    const data = { ...toRecord(documentedEvent.data), reference: '{id upper=16}' };
    const eventShape = { ...documentedEvent, data } as never;
    const outcome = await probeService({ profile: { eventShape } });
    expect(outcome.result('eventShape')).toEqual(eventShape);
  });

  it('finds the documented shapes', async () => {
    const findings = await probeMock({});
    expect(valueOf(findings, 'paymentShape')).toBe('documented');
    expect(valueOf(findings, 'quoteShape')).toBe('documented');
    expect(valueOf(findings, 'balanceShape')).toBe('documented');
    expect(valueOf(findings, 'headers')).toEqual({});
  });
});
