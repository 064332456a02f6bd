import { documentedEvent, documentedPayment, documentedQuote, type ObjectTemplate } from '@service/internal';
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
  findings.flatMap((finding) =>
    finding.setting === name && finding.state === 'found' ? [finding.value] : [],
  )[0];

describe('probe, texts', () => {
  it('finds the limit of texts if each refusal has another request id', async () => {
    let requests = 0;
    const outcome = await probeService({
      profile: { textLimit: 80 },
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
    expect([outcome.result('textLimit'), outcome.result('emptyText')]).toEqual([80, 'reject']);
  });
});

describe('probe, empty texts', () => {
  it('are absent if the field of a payment without the text is the same', async () => {
    const outcome = await probeService({
      profile: { emptyText: 'absent', paymentShape: { ...documentedPayment, purpose: '{purpose omit}' } },
    });
    expect(outcome.result('emptyText')).toBe('absent');
  });
});

describe('probe, shapes of responses', () => {
  it.each<[string, ProfileChoice]>([
    [
      'paymentShape',
      {
        paymentShape: { ...documentedPayment, fee: '{fee}', total: '{send_amount cents}', object: 'payment' },
      },
    ],
    ['paymentShape', { paymentShape: { ...documentedPayment, links: { self: '/v1/payments/{id}' } } }],
    [
      'quoteShape',
      {
        quoteShape: {
          ...documentedQuote,
          indicative: true,
          fee_in_cents: '{fee cents}',
          price: '{rate text}',
          source: '{from_currency lower}',
        },
      },
    ],
    [
      'balanceShape',
      {
        balanceShape: {
          balances: [
            '{each wallets}',
            { currency: '{currency}', balance: '{balance}', available: '{balance fixed}' },
          ],
        },
      },
    ],
    [
      'balanceShape',
      {
        debitAt: 'processing',
        balanceShape: {
          balances: [
            '{each wallets}',
            {
              currency: '{currency}',
              balance: '{balance}',
              figures: { usable: '{available}', held: '{reserved fixed}' },
            },
          ],
        },
      },
    ],
    [
      'balanceShape',
      {
        debitAt: 'completed',
        balanceShape: {
          balances: [
            '{each wallets}',
            { currency: '{currency}', balance: '{balance}', on_hold: '{reserved cents}' },
          ],
        },
      },
    ],
    [
      'paymentShape',
      {
        paymentShape: {
          ...documentedPayment,
          object: 'payment',
          beneficiary: { name: '{beneficiary_name}', country: '{beneficiary_country omit}' },
        },
      },
    ],
    ['paymentShape', { paymentShape: { ...documentedPayment, bank: '{beneficiary_bank empty}' } }],
    ...(['failure_reason', 'failure'] as const).map((name): [string, ProfileChoice] => [
      'paymentShape',
      {
        paymentShape: {
          ...documentedPayment,
          [name]: {
            '{case status}': {
              failed: {
                code: { '{case previous_status}': { processing: 'account_closed', else: 'returned' } },
                final: true,
              },
              else: null,
            },
          },
          updated_at: '{updated_at}',
          completed_at: '{completed_at}',
          settled_on: '{completed_at omit}',
          tracking: { '{case status}': { processing: { eta: 'today' }, completed: { eta: 'done' } } },
        },
      },
    ]),
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
          steps: { '{case status}': { pending: ['created'], processing: ['sent'], else: ['done'] } },
        },
      },
    ],
    [
      'quoteShape',
      {
        quoteShape: {
          ...documentedQuote,
          pair: '{from_currency}/{to_currency}',
          code: 'RATE_{from_currency}_{to_currency lower}',
          expires_at: '{now plus=30s unix}',
          quoted_ms: '{now unix_ms}',
        },
      },
    ],
    [
      'beside',
      {
        envelope: { meta: { version: 1 } },
        beside: {
          createPayment: { links: { self: '/api/v1/payments/{id}' } },
          getPayment: {
            links: { self: '/api/v1/payments/{id}' },
            meta: { version: 1, state: '{status upper}' },
          },
          getBalance: { count: 4 },
        },
      },
    ],
    [
      'envelope',
      { envelope: { meta: { version: 1 } }, beside: { getBalance: { meta: { version: 1, count: 4 } } } },
    ],
    ['fees', { fees: [{ to: 'GBP', percent: '0.25' }, { percent: '1.98' }] }],
    ['fees', { fees: [{ to: 'GBP', percent: '0.25' }, { from: 'EUR', flat: '2.50' }, { percent: '1.98' }] }],
    ['fees', { fees: [{ from: 'USD', to: 'GBP', percent: '0.25' }, { percent: '1.98' }] }],
    ['badPage', { badPage: 'default' }],
    ['emptyText', { emptyText: 'absent', paymentShape: { ...documentedPayment, purpose: '{purpose omit}' } }],
    ['excessPrecision', { excessPrecision: 'roundQuotes', rounding: 'half_even' }],
    ['excessPrecision', { excessPrecision: 'truncateQuotes' }],
    ['excessPrecision', { excessPrecision: 'truncate' }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{lower 20}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{uuid}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{date}_{lower 8}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{upper 10}-{upper 8}-{upper 8}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}', transaction: '{number}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}', transaction: 'row-{number 6}' } }],
    ['ids', { ids: { payment: 'pay_{mode}_{ulid}', transaction: 'tx_{mode}_{hex 20}' } }],
    ['timestamps', { timestamps: { digits: 6, zone: 'Z' } }],
    ['timestamps', { timestamps: { digits: 3, zone: '+01:00' } }],
    ['timestamps', { timestamps: 'fraction' }],
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
    expect(valueOf(findings, name)).toEqual(profile[name as keyof ProfileChoice]);
  });

  it('finds microseconds in times that leave out zeros at their end', async () => {
    const findings = await probeMock({ timestamps: { digits: 5, zone: 'Z' } });
    expect(valueOf(findings, 'timestamps')).toEqual({ digits: 6, zone: 'Z' });
  });

  it.each<ProfileChoice['refusals']>([
    { unknown_path: { body: { detail: '{message}', docs: 'https://docs.test' } } },
    {
      validation: {
        status: 400,
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}' },
          errors: ['{each fields}', { loc: ['body', '{field}'], msg: '{problem}', type: 'value_error' }],
        },
      },
    },
    {
      validation: {
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}', errors: { '{each fields}': ['{problem}'] } },
        },
      },
    },
    { key_of_other_body: { status: 409, type: 'idempotency_conflict' } },
    { not_an_object: { status: 400, type: 'invalid_request_error' } },
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
    { malformed_id: { status: 422, type: 'validation_error' } },
    { authentication: { status: 403 }, missing_key: {} },
    { unknown_method: { headers: { allow: '{allow}' } } },
    { unknown_method: { headers: { allow: '{allow GET="GET, HEAD"}' } } },
    { unknown_method: { status: 404, type: 'not_found', headers: { allow: null } } },
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
    {
      amount_missing: { type: 'missing_amount' },
      currency_unknown: { status: 400, type: 'unsupported_currency' },
    },
    { per_page_large: { status: 400 }, per_page_small: { status: 400 }, per_page_form: { status: 400 } },
    { unknown_path: { headers: { 'x-reason': '{type}', 'x-retryable': 'no' } } },
    { unknown_payment: { status: 410, body: '<h1>Gone</h1>', headers: { 'content-type': 'text/html' } } },
  ])('finds the refusals of %j', async (refusals = {}) => {
    const found = valueOf(await probeMock({ refusals }), 'refusals');
    expect(found).toEqual({
      malformed_body: { status: 400, type: 'invalid_request_error' },
      ...refusals,
    });
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
    { errorShape: 'extra' },
    { errorShape: 'bare' },
    { errorShape: 'html' },
  ])('finds the body of most errors of %j', async (profile) => {
    expect(valueOf(await probeMock(profile), 'errorShape')).toEqual(profile.errorShape);
  });

  it('finds the details of invalid fields by the kind of their problem', async () => {
    const missing = [{ loc: ['body', '{field}'], msg: 'Required', type: 'missing' }];
    const issues = {
      missing,
      amount_word: [
        { loc: ['body', '{field}'], msg: 'Not a number', type: 'decimal' },
        { loc: ['body', '{field}'], msg: 'The {field} is too small', type: 'minimum' },
      ],
      currency_unknown: [
        { loc: ['body', '{field}'], msg: 'Not supported: {field spaced}', type: 'currency' },
      ],
      body: [{ loc: ['body'], msg: 'Not an object', type: 'object' }],
      other: missing,
    };
    const error = { type: '{type}', message: '{message}', errors: ['{each issues}', '{issue}'] };
    const validation = { body: { success: false, mode: '{mode}', error } };
    const findings = await probeMock({ issues, refusals: { validation } });
    expect(valueOf(findings, 'refusals')).toMatchObject({ validation });
    expect(valueOf(findings, 'issues')).toMatchObject(issues);
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

  it('finds the texts of each field by the kind of its problem', async () => {
    const issues = {
      missing: ['The {field spaced} field is required.'],
      currency_type: ['The {field spaced} field must be text.', 'The {field spaced} is invalid.'],
      other: ['The {field spaced} field is required.'],
    };
    const body = { success: false, mode: '{mode}', errors: { '{each fields}': '{issues}' } };
    const findings = await probeMock({ issues, refusals: { validation: { body } } });
    expect(valueOf(findings, 'refusals')).toMatchObject({ validation: { body } });
    expect(valueOf(findings, 'issues')).toMatchObject(issues);
  });

  it.each<NonNullable<ProfileChoice['pagination']>>([
    ...(['known', 'place'] as const).map((query) => ({
      data: ['{each rows}', '{row}'] as const,
      beside: { links: { first: '{first_path}', next: '{next_path}' } },
      query,
    })),
    {
      data: { transactions: ['{each rows}', '{row}'], next_page_token: '{next_cursor empty}' },
      by: 'cursor',
      parameter: 'page_token',
    },
    {
      data: {
        _embedded: { transactions: ['{each rows}', '{row}'] },
        _links: {
          self: { href: '{target}' },
          next: { '{case has_more}': { true: { href: '{next_path}' } } },
        },
        page: { number: '{page}', size: '{per_page}', totalElements: '{total}', totalPages: '{total_pages}' },
      },
      first: 0,
    },
    {
      data: { value: ['{each rows}', '{row}'], '@odata.nextLink': '{next_url omit}' },
      by: 'offset',
      parameter: '$skip',
    },
    {
      data: {
        content: ['{each rows}', '{row}'],
        number: '{page}',
        numberOfElements: '{count}',
        first: { '{case has_previous}': { true: false, else: true } },
        last: { '{case has_more}': { true: false, else: true } },
      },
      first: 0,
    },
    {
      data: ['{each rows}', '{row}'],
      beside: {
        links: { self: '{target}', last: '{last_path}', next: '{next_path}', prev: '{previous_path}' },
      },
      parameter: 'page[number]',
    },
    {
      data: {
        items: ['{each rows}', '{row}'],
        pageInfo: {
          hasNextPage: '{has_more}',
          hasPreviousPage: '{has_previous}',
          endCursor: '{next_cursor}',
        },
      },
      by: 'cursor',
      parameter: 'after',
    },
    {
      data: {
        content: ['{each rows}', '{row}'],
        page: { number: '{page}', size: '{per_page}', pages: '{total_pages}' },
      },
      first: 0,
    },
    {
      data: {
        rows: ['{each rows}', '{row}'],
        next_cursor: '{next_cursor}',
        prev_cursor: '{previous_cursor}',
      },
      by: 'cursor',
    },
    {
      data: {
        items: ['{each rows}', '{row}'],
        page: { size: '{per_page}', more: '{has_more}', back: '{has_previous}' },
        _links: {
          next: { '{case has_more}': { true: { href: '{next_path}' } } },
          prev: { '{case has_previous}': { true: { href: '{previous_path}' } } },
        },
      },
    },
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
      data: {
        items: ['{each rows}', '{row}'],
        page: { number: '{page}', size: '{per_page}', pages: '{total_pages}' },
      },
    },
    { data: { rows: ['{each rows}', '{row}'], next_cursor: '{next_cursor}' }, by: 'cursor' },
    { data: { results: ['{each rows}', '{row}'], next: '{next_path}' }, by: 'offset' },
    {
      data: ['{each rows}', '{row}'],
      headers: {
        Link: '<{first_url}>; rel="first", <{previous_url}>; rel="prev", <{next_url}>; rel="next", <{last_url}>; rel="last"',
        'x-total-count': '{total}',
      },
    },
    { data: { items: ['{each rows}', '{row}'] }, headers: { Link: '<{next_path}>; rel=next' }, by: 'offset' },
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

  it('finds rows with numbers as text, and amounts with a whole number and a fraction', async () => {
    const amount = { units: '{amount whole text}', nanos: '{amount fraction=9}', currency: '{currency}' };
    const fields = { position: '{number text}', state: '{status}', amount, at: '{created_at}' };
    const transactionShape = [
      { of: 'payment', row: { id: '{id}', kind: 'payout', ...fields, payment: '{payment_id}' } },
      { of: 'any', row: { id: '{id}', kind: 'funding', ...fields, payment: null } },
    ] as const;
    expect(valueOf(await probeMock({ transactionShape }), 'transactionShape')).toEqual(transactionShape);
  });

  it('finds rows with padded numbers as ids, nested amounts and a text in place of an absent purpose', async () => {
    const amount = { value: '{amount fixed}', currency: '{currency}' };
    const fields = { state: '{status}', amount, at: '{created_at}' };
    const transactionShape = [
      {
        of: 'payment',
        row: {
          id: 'mv-{number digits=6}',
          kind: 'payout',
          ...fields,
          payment: { id: '{payment_id}' },
          note: '{reference else="no purpose"}',
        },
      },
      {
        of: 'any',
        row: { id: 'mv-{number digits=6}', kind: 'funding', ...fields, payment: null, note: null },
      },
    ] as const;
    expect(valueOf(await probeMock({ transactionShape }), 'transactionShape')).toEqual(transactionShape);
  });

  it('finds rows with the name of the beneficiary in place of an absent purpose', async () => {
    const rest = { state: '{status}', amount: '{amount}', currency: '{currency}', at: '{created_at}' };
    const payment = { id: '{number}', text: '{reference or=beneficiary_name}', ref: '{payment_id}', ...rest };
    const other = { id: '{number}', text: 'Deposit', ref: null, ...rest };
    const transactionShape = [
      { of: 'payment', row: payment },
      { of: 'any', row: other },
    ] as const;
    expect(valueOf(await probeMock({ transactionShape }), 'transactionShape')).toEqual(transactionShape);
  });

  it('finds a text around the name of the beneficiary in place of an absent purpose, also in refunds', async () => {
    const row = {
      id: '{number}',
      text: { '{case purpose}': { null: 'Payment to {beneficiary_name}', else: '{reference}' } },
      ref: '{payment_id}',
      amount: '{amount}',
      currency: '{currency}',
      state: '{status failed=void completed=posted}',
      at: '{created_at}',
      posted_at: '{processing_at}',
    };
    const transactionShape = [
      { of: 'payment', row: { ...row, type: 'debit' } },
      { of: 'refund', row: { ...row, type: 'credit', state: 'posted', posted_at: '{created_at}' } },
    ] as const;
    const outcome = await probeMock({ transactionShape });
    expect(valueOf(outcome, 'transactionShape')).toEqual(expect.arrayContaining([...transactionShape]));
  });

  it('finds the sent amount and the fee in separate rows', async () => {
    const rest = { state: '{status}', ref: '{payment_id}', currency: '{currency}', at: '{created_at}' };
    const transactionShape = [
      { of: 'fee', row: { id: '{number}', type: 'charge', amount: '{amount abs cents}', ...rest } },
      { of: 'payment', row: { id: '{number}', type: 'transfer', amount: '{send_amount cents}', ...rest } },
    ] as const;
    const found = valueOf(await probeMock({ transactionShape, feeMode: 'onTop' }), 'transactionShape');
    expect(found).toEqual(expect.arrayContaining([...transactionShape]));
  });

  it.each<ProfileChoice>([
    { bothKeys: 'either' },
    { paths: 'lenient' },
    { unknownPath: 'public' },
    { malformedBody: 'empty' },
    { bodyChecked: 'beforeKey' },
    { problems: { listed: 'first', fields: ['amount', 'beneficiary_name', 'to_currency', 'from_currency'] } },
    { idempotency: 'replayedAny' },
    { createStatus: 201, replayStatus: 200 },
    { pastEnd: 'not_found' },
    { headers: { replayPayment: { 'idempotency-replayed': 'true', 'idempotent-replayed': null } } },
  ])('finds %j', async (profile) => {
    const findings = await probeMock(profile);
    for (const [name, value] of Object.entries(profile)) expect(valueOf(findings, name)).toEqual(value);
  });

  it('finds the headers and the ids of webhooks', async () => {
    const eventShape = {
      id: 'evt_{event_key lower}',
      event: 'payment.{status}',
      created_at: '{at}',
      data: { id: '{id}', status: '{status}', mode: '{mode}' },
    };
    const eventHeaders = {
      'x-delivery': 'evt_{event_key lower}.{attempt}',
      'x-attempt': '{attempt}',
      'x-service': 'two',
      'x-timestamp': '{sent_at unix}',
      'x-sent': '{sent_at digits=3 zone=Z}',
    };
    const outcome = await probeService({ profile: { eventShape, eventHeaders } });
    expect(outcome.result('eventHeaders')).toEqual(eventHeaders);
    expect(outcome.result('eventShape')).toEqual(eventShape);
  });

  it('finds fields of webhooks that depend on the status', async () => {
    const eventShape: ObjectTemplate = {
      ...documentedEvent,
      data: {
        ...(documentedEvent.data as ObjectTemplate),
        failure: { '{case status}': { failed: { code: 'closed' }, else: null } },
        completed_at: '{completed_at omit}',
      },
    };
    const outcome = await probeService({ profile: { eventShape } });
    expect(outcome.result('eventShape')).toEqual(eventShape);
  });

  it('finds the values of the request of a payment in webhooks', async () => {
    const data = {
      ...(documentedEvent['data'] as ObjectTemplate),
      memo: '{purpose}',
      payee: '{beneficiary_name}',
      since: '{created_at}',
    };
    const outcome = await probeService({ profile: { eventShape: { ...documentedEvent, data } } });
    expect(outcome.result('eventShape')).toEqual({ ...documentedEvent, data });
  });

  it('have times in another form than payments', async () => {
    const eventShape = { ...documentedEvent, id: '{id}-{status}', created_at: '{at digits=0 zone=Z}' };
    const timestamps = { digits: 6, zone: '+01:00' };
    const outcome = await probeService({ profile: { eventShape, timestamps } });
    expect(outcome.result('eventShape')).toEqual(eventShape);
    expect(outcome.result('timestamps')).toEqual(timestamps);
  });

  it('finds ids of deliveries, and ids of events that name the payment', async () => {
    const eventShape = { ...documentedEvent, id: '{id}-{status}' };
    const eventHeaders = { 'x-service-delivery': '{delivery}', 'x-event': '{status}' };
    const outcome = await probeService({ profile: { eventShape, eventHeaders } });
    expect(outcome.result('eventHeaders')).toEqual(eventHeaders);
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
