import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallOptions } from '../src/options.ts';
import { systemClock } from '../src/transport/deadline.ts';
import {
  type Client,
  type Payment,
  type PaymentInput,
  PaymentOutcomeUnknownError,
  type PaymentTrace,
  type Reconciliation,
} from '../src/index.ts';
import {
  createPaymentService,
  openClient,
  type PaymentService,
  type Row,
  type ServiceOptions,
  toContractRow,
} from './payment-service.ts';
import { createManualClock } from './manual-clock.ts';
import { catchRejection, payment as anyPayment } from './service.ts';
import { runs } from '../../../test/support/runs.ts';

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89 3704 0044 0532 0130 00',
  purpose: 'Rent November',
};
const notFound = { result: 'not_found_yet', reason: 'no_record' };
const unclear = { result: 'cannot_tell', reason: 'unclear_records' };
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

interface Setup {
  readonly service: PaymentService;
  readonly client: Client;
  /** Creates another client, whose clock is ahead of the system clock by this time. */
  readonly open: (options?: object, ahead?: number) => Client;
}

function setUp(options: ServiceOptions = {}, clientOptions: object = {}): Setup {
  const service = createPaymentService(options);
  const open = (more: object = {}, ahead = 0): Client =>
    openClient(
      service.fetch,
      { ...clientOptions, ...more },
      { ...systemClock, date: () => new Date(Date.now() + ahead) },
    );
  return { service, client: open(), open };
}

async function loseCreate(
  { service, client }: Pick<Setup, 'service' | 'client'>,
  when: 'before' | 'after',
  body: PaymentInput = order,
  options: CallOptions = {},
): Promise<PaymentOutcomeUnknownError> {
  service.loseNext(when);
  const error = await catchRejection(client.payments.create(body, options));
  expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
  return error as PaymentOutcomeUnknownError;
}

/** Loses the response or the request of a create, and reconciles it. */
const reconcileLost = async (
  setup: Setup,
  when: 'before' | 'after' = 'after',
  body: PaymentInput = order,
): Promise<Reconciliation> => setup.client.payments.reconcile(await loseCreate(setup, when, body));

const parseError = (error: PaymentOutcomeUnknownError): PaymentTrace =>
  JSON.parse(JSON.stringify(error)) as PaymentTrace;

const idsOf = (reconciliation: Reconciliation): string[] =>
  reconciliation.result === 'ambiguous' ? reconciliation.payments.map(({ id }) => id) : [];

describe('the evidence of payments.reconcile', () => {
  it('is id if the response to the create showed the id', async () => {
    const setup = setUp();
    const error = await loseCreate(setup, 'after');
    const { id = '' } = setup.service.payments[0] ?? {};
    const reconciliation = await setup.client.payments.reconcile({ ...parseError(error), paymentId: id });
    expect(reconciliation).toMatchObject({ result: 'found', evidence: 'id', payment: { id } });
    expect(setup.service.requests.slice(1)).toEqual([`GET /api/v1/payments/${id}`]);
  });

  it('is purpose, which is not enough, for an error from JSON, which has no beneficiary', async () => {
    const setup = setUp();
    const error = parseError(await loseCreate(setup, 'after'));
    expect(await setup.client.payments.reconcile(error)).toMatchObject({
      result: 'ambiguous',
      reason: 'unconfirmed_beneficiary',
      evidence: 'purpose',
      payments: [{ purpose: 'Rent November' }],
    });
  });

  it('is at most amount after the service altered a purpose', async () => {
    const setup = setUp({ toBody: (payment) => ({ ...payment, purpose: payment.purpose?.toUpperCase() }) });
    await setup.client.payments.create({ ...order, purpose: 'Rent October' });
    const error = await loseCreate(setup, 'after', { ...order, purpose: 'RENT NOVEMBER' });
    expect(await setup.client.payments.reconcile(error)).toMatchObject({
      result: 'ambiguous',
      evidence: 'amount',
    });
  });

  it('requires bank and country if no account identifies the supplier', async () => {
    const { beneficiary_account: _, ...body } = order;
    const setup = setUp();
    await setup.open().payments.create({ ...body, beneficiary_bank: 'Bank B' });
    const error = await loseCreate(setup, 'before', { ...body, beneficiary_bank: 'Bank A' });
    expect(await setup.open().payments.reconcile(error)).toMatchObject({ result: 'ambiguous' });
    const colleague = { ...setup, client: setup.open() };
    const ours = await loseCreate(colleague, 'after', { ...body, beneficiary_bank: 'Bank A' });
    expect(await setup.open().payments.reconcile(ours)).toMatchObject({
      result: 'found',
      payment: { beneficiary: { bank: 'Bank A' } },
    });
  });
});

/** The forms of times, of a time in milliseconds. */
const timeForms: Readonly<Record<string, (time: number) => unknown>> = {
  ISO: (time) => new Date(time).toISOString(),
  seconds: (time) => Math.floor(time / 1000),
  'digits of seconds': (time) => String(Math.floor(time / 1000)),
  'seconds with a fraction': (time) => time / 1000,
  milliseconds: (time) => time,
  'digits of milliseconds': String,
  'digits of microseconds': (time) => `${time}123`,
};

describe('payments.reconcile of a payment that the service shows in another form', () => {
  const showBeneficiary =
    (change: object) =>
    (payment: Payment): object => ({ ...payment, beneficiary: { ...payment.beneficiary, ...change } });
  const showPurpose = (purpose: string | null): ServiceOptions => ({
    toBody: (payment) => ({ ...payment, purpose }),
    toRow: (payment) => ({ ...toContractRow(payment), reference: null }),
  });
  const showTime = (write: (time: string) => unknown): ServiceOptions => ({
    toBody: (payment) => ({ ...payment, created_at: write(payment.created_at) }),
  });
  const accounts = {
    null: null,
    empty: '',
    'masked with stars': '***3000',
    'masked with X': 'XXXXXXXX3000',
    'masked with dots': '\u2022\u2022\u2022\u2022 3000',
    'cut to its end': '3000',
    'in another form': '532013000/37040044',
  };
  const cases: readonly [string, ServiceOptions, Partial<PaymentInput>, object][] = [
    [
      'an account in another notation',
      { toBody: showBeneficiary({ account: 'de89370400440532013000' }) },
      {},
      { result: 'found', evidence: 'purpose+beneficiary' },
    ],
    [
      'all that was sent, but no purpose',
      {},
      { purpose: undefined },
      { result: 'ambiguous', reason: 'unconfirmed_purpose', evidence: 'amount' },
    ],
    ...Object.entries(accounts).map(([form, account]): (typeof cases)[number] => [
      `an account ${form}`,
      { toBody: showBeneficiary({ account }) },
      {},
      { result: 'ambiguous', evidence: 'purpose' },
    ]),
    ['no purpose', showPurpose(null), {}, { result: 'ambiguous', evidence: 'amount' }],
    ['a part of the purpose', showPurpose('Rent Nov'), {}, { result: 'ambiguous', evidence: 'amount' }],
    ['no amount', { toBody: (one) => ({ ...one, send_amount: undefined }) }, {}, { result: 'ambiguous' }],
    ['no currency', { toBody: (one) => ({ ...one, from_currency: undefined }) }, {}, { result: 'ambiguous' }],
    [
      'a transliterated purpose',
      { toBody: (one) => ({ ...one, purpose: 'BUERO MUELLER' }) },
      { purpose: 'Büro Müller' },
      { result: 'ambiguous' },
    ],
    [
      'a purpose that was not sent',
      { toBody: (one) => ({ ...one, purpose: 'Payment' }) },
      { purpose: undefined },
      { result: 'ambiguous' },
    ],
    [
      'a time without a UTC offset',
      showTime((time) => time.replace('+00:00', '')),
      {},
      { result: 'ambiguous', evidence: 'purpose+beneficiary' },
    ],
    ...['20260131', '0000000042', '1769860800.', '17698608000'].map((time): (typeof cases)[number] => [
      `the unclear time ${time}`,
      showTime(() => time),
      {},
      { reason: 'unclear_time' },
    ]),
    ...Object.entries(timeForms).map(([form, write]): (typeof cases)[number] => [
      `times in ${form}`,
      {
        ...showTime((time) => write(Date.parse(time))),
        toRow: (one) => ({ ...toContractRow(one), created_at: write(Date.parse(one.created_at)) }),
      },
      {},
      { result: 'found' },
    ]),
  ];

  it.each(cases)('judges a payment with %s', async (_, options, change, expected) => {
    expect(await reconcileLost(setUp(options), 'after', { ...order, ...change })).toMatchObject(expected);
  });
});

describe('the beneficiary of a PaymentOutcomeUnknownError', () => {
  it('is returned by a function, and is in no JSON, message, copy or inspection', async () => {
    const error = await loseCreate(setUp(), 'before');
    expect(error.getBody()).toEqual(order);
    expect(parseError(error)).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'waiting',
      sentAt: error.sentAt,
      idempotencyKey: expect.stringMatching(/./) as unknown,
      sent: error.sent,
    });
    const { from_currency, to_currency, amount, purpose } = order;
    expect(error.sent).toEqual({ from_currency, to_currency, amount, purpose });
    const texts = [
      JSON.stringify(error),
      inspect(error, { depth: 9, showHidden: true, getters: true }),
      String(error),
      error.stack,
      Object.assign({}, error),
    ];
    for (const text of texts) expect(JSON.stringify(text)).not.toMatch(/Acme|DE89/);
  });
});

describe('payments.reconcile among payments of equal purpose and amount', () => {
  it.each(['beneficiary_name', 'purpose'])(
    'finds each payment among payments with a %s in sequence',
    async (field) => {
      const setup = setUp();
      const errors: PaymentOutcomeUnknownError[] = [];
      // The client learns that the service returns the fields as sent.
      await setup.client.payments.create({ ...order, amount: 7 });
      for (const number of [1, 10, 100])
        errors.push(await loseCreate(setup, 'after', { ...order, [field]: `S${number}` }));
      for (const [index, error] of errors.entries())
        expect(await setup.open().payments.reconcile(error)).toMatchObject({
          result: 'found',
          payment: { id: setup.service.payments[index + 1]?.id },
        });
    },
  );

  it('is ambiguous for two payments of one beneficiary, unless one is excluded', async () => {
    const setup = setUp();
    const { id } = await setup.open().payments.create(order);
    const error = await loseCreate(setup, 'after');
    const both = await setup.client.payments.reconcile(error);
    expect([idsOf(both).length, both]).toMatchObject([2, { reason: 'several_payments' }]);
    expect(await setup.client.payments.reconcile(error, { exclude: [id] })).toMatchObject({
      result: 'found',
      payment: { id: setup.service.payments[1]?.id },
    });
  });

  it('cannot tell if the id in the response to the create cannot be retrieved', async () => {
    for (const status of [404, 403]) {
      const setup = setUp({}, { readLag: 1 });
      await setup.client.payments.create(order);
      const error = await loseCreate(setup, 'after');
      const paymentId = setup.service.payments[1]?.id ?? '';
      setup.service.errorStatuses.set(paymentId, status);
      const reconciliation = await setup.client.payments.reconcile({ ...parseError(error), paymentId });
      expect(reconciliation).toEqual(unclear);
    }
  });

  it.each([404, 403])(
    'does not trust a match while a row leads to a payment with status %i',
    async (status) => {
      const setup = setUp();
      await setup.client.payments.create({ ...order, amount: '7.00' });
      await setup.open().payments.create(order);
      const error = await loseCreate(setup, 'before');
      setup.service.errorStatuses.set(setup.service.payments[1]?.id ?? '', status);
      expect(await setup.client.payments.reconcile(error)).toEqual(unclear);
      await loseCreate({ ...setup, client: setup.open() }, 'after');
      expect(await setup.client.payments.reconcile(error)).toMatchObject({
        result: 'ambiguous',
        reason: 'unclear_records',
      });
    },
  );
});

describe('payments.reconcile of a response that showed an id', () => {
  it.each([
    ['another amount', { amount: '7.00' }, unclear],
    ['another currency', { from_currency: 'GBP' }, notFound],
    [
      'another beneficiary',
      { beneficiary_name: 'Zeta Ltd', beneficiary_account: 'GB33BUKB20201555555555' },
      notFound,
    ],
  ])('does not find a payment with %s', async (_, change, result) => {
    const setup = setUp();
    const { id: paymentId } = await setup.open().payments.create({ ...order, purpose: 'Rent October 1' });
    const sent = { ...order, purpose: 'Rent October 1', ...change };
    const times = { sentAt: new Date().toISOString(), failedAt: new Date().toISOString() };
    const ids = { paymentId, reference: undefined, idempotencyKey: undefined };
    const lost: PaymentTrace = { phase: 'responded', sent, ...times, ...ids };
    const client = setup.open();
    await client.payments.create({ ...order, purpose: 'Rent August', amount: '1.00' });
    const { returnedFields } = await loseCreate({ ...setup, client }, 'before');
    expect(await setup.client.payments.reconcile({ ...lost, returnedFields })).toEqual(result);
  });
});

describe('payments.reconcile with different clocks', () => {
  it.each([-hour, 0, hour])(
    'excludes an older payment if the clock of the client is %i ms ahead',
    async (ahead) => {
      let age = 4 * second;
      const setup = setUp({ now: () => Date.now() - age });
      const client = setup.open({}, ahead);
      const colleague = setup.open({}, ahead);
      await colleague.payments.create(order);
      await client.payments.create({ ...order, amount: '7.00' });
      age = 0;
      const error = await loseCreate({ ...setup, client }, 'before');
      expect(await client.payments.reconcile(error)).toMatchObject({ result: 'ambiguous' });
      await loseCreate({ ...setup, client: colleague }, 'after');
      expect(await client.payments.reconcile(error)).toMatchObject({
        result: 'found',
        payment: { id: setup.service.payments[2]?.id },
      });
    },
  );

  it('is ambiguous about a payment up to clockSkew older if the service sends no Date', async () => {
    let age = 4 * second;
    const setup = setUp({ now: () => Date.now() - age, hasDateHeader: false });
    await setup.open().payments.create(order);
    await setup.client.payments.create({ ...order, amount: '7.00' });
    age = 0;
    const error = await loseCreate(setup, 'after');
    expect(idsOf(await setup.client.payments.reconcile(error))).toHaveLength(2);
    expect(await setup.client.payments.reconcile(error, { clockSkew: 3 * second })).toMatchObject({
      result: 'found',
    });
  });

  it('ignores a cached Date, and dates that contradict each other', async () => {
    for (const headers of [{ age: '3600', date: hour }, { date: hour }]) {
      const setup = setUp({ hasDateHeader: false });
      let count = 0;
      const fetch = async (request: Request): Promise<Response> => {
        const response = await setup.service.fetch(request);
        const time = new Date(Date.now() + headers.date * (count += 1)).toUTCString();
        response.headers.set('date', time);
        if (headers.age) response.headers.set('age', headers.age);
        return response;
      };
      const client = setup.open({ fetch });
      const error = await loseCreate({ ...setup, client }, 'after');
      expect(await client.payments.reconcile(error)).toMatchObject({ result: 'found' });
    }
  });

  it('is ambiguous if the time of the create is from another clock', async () => {
    const setup = setUp();
    const ahead = setup.open({}, hour);
    const error = await loseCreate({ ...setup, client: ahead }, 'after');
    expect(await setup.client.payments.reconcile(error)).toMatchObject({ result: 'ambiguous' });
  });
});

describe('the search of payments.reconcile', () => {
  const perPage = 50;
  /** Creates a service with an old history of ten pages. */
  const setUpHistory = (options: ServiceOptions = {}): Setup => {
    const setup = setUp({
      toPage: (rows, page) => ({
        transactions: rows.slice((page - 1) * perPage, page * perPage),
        pagination: { current_page: page, has_more: page * perPage < rows.length },
      }),
      ...options,
    });
    for (let index = 0; index < 10 * perPage; index += 1) {
      const created_at = new Date(Date.now() - 30 * 24 * hour + index * minute).toISOString();
      setup.service.payments.push({
        ...anyPayment,
        id: `pay_test_old${index}`,
        created_at,
        purpose: `INV-${index}`,
      });
    }
    return setup;
  };
  const countPages = ({ service }: Setup): number =>
    service.requests.filter((path) => path.endsWith('/transactions')).length;
  const countLookups = ({ service }: Setup): number =>
    service.requests.filter((path) => path.includes('/payments/')).length;

  it('ends at rows that are older than the create', async () => {
    const setup = setUpHistory();
    expect(await reconcileLost(setup)).toMatchObject({ result: 'found' });
    expect({ pages: countPages(setup), lookups: countLookups(setup) }).toEqual({ pages: 1, lookups: 1 });
  });

  it.each<[string, ServiceOptions]>([
    ['without a Date header', { hasDateHeader: false }],
    ['without readable times', { toRow: (payment) => ({ ...toContractRow(payment), created_at: 'today' }) }],
  ])('reads all pages %s', async (_, options) => {
    const setup = setUpHistory(options);
    expect(await reconcileLost(setup)).toMatchObject({ result: 'found' });
    expect(countPages(setup)).toBe(11);
  });

  it('retrieves one payment to verify the rows, and not the others', async () => {
    const setup = setUp();
    for (let index = 0; index < 30; index += 1)
      await setup.open().payments.create({ ...order, purpose: `INV-${index}` });
    expect(await reconcileLost(setup, 'before')).toEqual(notFound);
    expect(countLookups(setup)).toBe(1);
  });

  it.each<[string, ServiceOptions]>([
    ['announces pages that it does not return', { toPage: (rows) => ({ rows, meta: { has_more: true } }) }],
    ['says under an unknown name that there is more', { toPage: (rows) => ({ rows, window: { more: 1 } }) }],
    ['repeats fewer rows than its total', { toPage: (rows) => ({ rows, total: rows.length + 1 }) }],
    [
      'repeats a page of the default size',
      { toPage: (rows) => [...Array(20)].map((_, n) => ({ ...rows[n] })) },
    ],
    ['shows a row that cannot be read', { toRow: (payment) => ({ ...payment, id: '7', amount: {} }) }],
  ])('never says that no record exists if the service %s', async (_, options) => {
    const setup = setUp(options);
    await setup.client.payments.create({ ...order, purpose: 'Rent October' });
    expect(await reconcileLost(setup, 'before')).toEqual(unclear);
    const reconciliation = await reconcileLost(setup);
    expect(reconciliation.result).toMatch(/^(ambiguous|cannot_tell)$/);
  });
});

describe('payments.reconcile within the read lag', () => {
  const assumed = { readLag: undefined };
  const endOf = (error: PaymentOutcomeUnknownError, lag: number): string =>
    new Date(Date.parse(error.failedAt) + lag).toISOString();

  it.each([
    ['60 s without the option', assumed, minute],
    ['the option', { readLag: hour }, hour],
  ])('cannot tell where it finds nothing: %s', async (_, options, lag) => {
    const setup = setUp();
    const error = await loseCreate(setup, 'before');
    const early = { result: 'cannot_tell', reason: 'read_lag', searchAgainAt: endOf(error, lag) };
    const searchAfter = (ahead: number): Promise<Reconciliation> =>
      setup.open(options, ahead).payments.reconcile(error);
    expect(await searchAfter(0)).toEqual(early);
    expect(await searchAfter(lag - 10 * second)).toEqual(early);
    expect(await searchAfter(lag)).toEqual(notFound);
  });

  it('takes a row whose payment is not visible for unclear only after the lag', async () => {
    const setup = setUp();
    const error = await loseCreate(setup, 'after');
    const { id = '' } = setup.service.payments[0] ?? {};
    setup.service.errorStatuses.set(id, 404);
    const reasonAfter = async (ahead: number): Promise<unknown> =>
      setup.open(assumed, ahead).payments.reconcile(error);
    expect(await reasonAfter(0)).toMatchObject({ result: 'cannot_tell', reason: 'read_lag' });
    expect(await reasonAfter(minute)).toEqual(unclear);
    setup.service.errorStatuses.clear();
    expect(await reasonAfter(0)).toMatchObject({ result: 'found', payment: { id } });
  });

  it('counts the lag from the time of the failure, also in JSON, or from the time of the create', async () => {
    const setup = setUp();
    const error = parseError(await loseCreate(setup, 'before'));
    const client = setup.open(assumed, minute);
    const failedAt = new Date(Date.parse(error.sentAt) + 30 * second).toISOString();
    expect(await client.payments.reconcile({ ...error, failedAt })).toMatchObject({ reason: 'read_lag' });
    expect(await client.payments.reconcile({ ...order, since: error.sentAt })).toEqual(notFound);
    expect(await client.payments.reconcile({ ...error, failedAt: error.sentAt })).toEqual(notFound);
    const latest = { ...order, since: new Date(8.64e15) };
    expect(await client.payments.reconcile(latest)).toMatchObject({
      reason: 'read_lag',
      searchAgainAt: latest.since.toISOString(),
    });
  });
});

describe('payments.reconcile with a service that rounds', () => {
  const reconcileRounded = (from_currency: string, amount: string, taken: number) =>
    reconcileLost(setUp({ takeAmount: () => taken }), 'after', { ...order, from_currency, amount });

  it.each([
    ['JPY', '1000.40', 1000],
    ['JPY', '1000.60', 1000],
    ['JPY', '1000.60', 1001],
    ['JPY', '0.50', 1],
  ])('finds a payment of %s %s with the amount %d', async (from_currency, amount, taken) => {
    expect(await reconcileRounded(from_currency, amount, taken)).toMatchObject({
      result: 'found',
      payment: { send_amount: taken },
    });
  });

  it.each([
    ['JPY', '1000.40', 1001],
    ['JPY', '1000.40', 999],
    ['USD', '1000.40', 1000],
  ])('does not accept a payment of %s %s with the amount %d', async (from_currency, amount, taken) => {
    expect(await reconcileRounded(from_currency, amount, taken)).toEqual(notFound);
  });
});

describe('payments.reconcile with rows of other formats', () => {
  const reconcileBoth = async (
    toRow: (payment: Payment) => Row,
    options: ServiceOptions = {},
  ): Promise<string[]> => {
    const setup = setUp({ ...options, toRow });
    const { client } = setup;
    await client.payments.create({ ...order, purpose: 'Rent October' });
    const found = await client.payments.reconcile(await loseCreate(setup, 'after'));
    const missing = await loseCreate(setup, 'before', { ...order, purpose: 'Rent December' });
    return [found.result, (await client.payments.reconcile(missing)).result];
  };

  it.each<[string, (payment: Payment) => Row]>([
    ['have cents', (payment) => ({ ...toContractRow(payment), amount: -100 * payment.send_amount })],
    [
      'have whole numbers in objects, and name their payment',
      (payment) => ({ ...toContractRow(payment), amount: { value: payment.send_amount } }),
    ],
    [
      'have no type, no time and a nested payment',
      ({ id, send_amount }) => ({ amount: send_amount, payment: { id } }),
    ],
    [
      'have an unreadable amount and the id of the payment',
      (payment) => ({ ...toContractRow(payment), amount: { value: 1 } }),
    ],
  ])('finds only the right payment if the rows %s', async (_, toRow) => {
    expect(await reconcileBoth(toRow)).toEqual(['found', 'not_found_yet']);
  });

  it.each<[string, (payment: Payment) => Row]>([
    [
      'have no id of a payment',
      ({ send_amount, created_at }) => ({ id: 7, amount: send_amount, created_at }),
    ],
    [
      'have no id of a payment, and an amount that may be in cents',
      ({ created_at }) => ({ id: 7, amount: { value: 50 }, currency: 'USD', created_at }),
    ],
    ['have neither an id nor a readable amount', () => ({ id: 7, amount: 'one hundred' })],
    [
      'name their payment in another form',
      (payment) => ({ ...toContractRow(payment), id: 1, payment_id: '42' }),
    ],
  ])('cannot tell if the rows %s', async (_, toRow) => {
    expect(await reconcileBoth(toRow)).toEqual(['cannot_tell', 'cannot_tell']);
  });

  it('reads an array of another name, and cannot tell if a payment is missing', async () => {
    const reconciliation = await reconcileBoth(toContractRow, { toPage: (rows) => ({ movements: rows }) });
    expect(reconciliation).toEqual(['ambiguous', 'cannot_tell']);
  });
});

describe('payments.reconcile beside rows of an unknown service', () => {
  const timeNames = [
    'created_at',
    'createdAt',
    'created',
    'recorded_at',
    'recordedAt',
    'postedAt',
    'booked_at',
    'occurred_at',
    'timestamp',
    'time',
  ];
  interface Style {
    readonly timeForm: string;
    readonly timeName: string;
    readonly sign: 1 | -1;
    /** A fee that the amount of each row includes. */
    readonly fee: number;
    readonly showsFee: boolean;
    readonly hasReference: boolean;
  }
  const style: fc.Arbitrary<Style> = fc.record({
    timeForm: fc.constantFrom(...Object.keys(timeForms)),
    timeName: fc.constantFrom(...timeNames),
    sign: fc.constantFrom(1, -1),
    fee: fc.constantFrom(0, 2.5),
    showsFee: fc.boolean(),
    hasReference: fc.boolean(),
  });
  interface Facts extends Style {
    /** The time of the create in milliseconds. */
    readonly now: number;
  }
  const format = ({ timeForm, timeName }: Style, time: number): Row => ({
    [timeName]: timeForms[timeForm]?.(time),
  });
  /** A row as that of the create looks, without the name of its payment, and with other fields. */
  const writeRow = (facts: Facts, change: Row): Row => ({
    ...format(facts, facts.now),
    currency: 'USD',
    amount: facts.sign * 100,
    ...change,
  });
  type Change = (facts: Facts) => Row;
  const withoutTime = ({ timeName }: Facts): Row => ({ [timeName]: undefined });
  const withWords = ({ timeName }: Facts): Row => ({ [timeName]: 'this morning' });

  /** Rows that can be those of the create: as its own row looks, or with less information. */
  const own: Readonly<Record<string, Change>> = {
    'of the same amount': ({ sign, fee }) => ({ amount: sign * (100 + fee) }),
    'of the sent amount': () => ({}),
    'with a fee that it shows': ({ sign }) => ({ amount: sign * 107, fee: 7 }),
    'without a currency': () => ({ currency: undefined }),
    'without an amount': () => ({ amount: undefined }),
    'without a time': withoutTime,
    'with a time in words': withWords,
    'with a date': (facts) => ({
      ...withoutTime(facts),
      date: new Date(facts.now).toISOString().slice(0, 10),
    }),
    'with an unknown type': () => ({ type: 'topup' }),
    'with an unreadable amount': () => ({ amount: { low: 1 } }),
    'with an amount of unknown unit': ({ sign }) => ({ amount: { value: sign * 10_000 } }),
    'of a hidden payment': () => ({ payment_id: 'pay_test_hidden1' }),
  };
  /** Rows of the create without the fields of others. */
  const bare: Readonly<Record<string, unknown>> = {
    'that is a text': 'hidden',
    'of a hidden payment without other fields': { details: 'Payment pay_test_hidden2' },
  };
  /** Rows that prove that they are of something else. */
  const foreign: Readonly<Record<string, Change>> = {
    'of a topup': ({ sign }) => ({ type: 'topup', amount: -sign * 100 }),
    'of a larger topup without a time': (facts) => ({
      ...withoutTime(facts),
      type: 'topup',
      amount: -facts.sign * 5000,
    }),
    'of another sign and an unreadable time': (facts) => ({ ...withWords(facts), amount: -facts.sign * 100 }),
    'of a larger amount': ({ sign }) => ({ amount: sign * 250 }),
    'of a larger amount and a fee': ({ sign }) => ({ amount: sign * 250, fee: 7 }),
    'of a smaller amount': ({ sign }) => ({ amount: sign * 40 }),
    'of a smaller amount without a time': (facts) => ({
      ...withoutTime(facts),
      kind: 'charge',
      amount: facts.sign * 40,
    }),
    'of another currency': () => ({ currency: 'GBP' }),
    'of another currency without a time': (facts) => ({ ...withoutTime(facts), currency: 'GBP' }),
    'of a time before the create': (facts) => format(facts, facts.now - hour),
    'of a deposit': () => ({ type: 'deposit' }),
  };

  const search = async (given: Style, rows: readonly string[]): Promise<Reconciliation> => {
    const now = Date.now();
    const setup = setUp(
      {
        toRow: ({ id, purpose, send_amount, from_currency }) => ({
          ...format(given, now),
          currency: from_currency,
          amount: given.sign * (send_amount + given.fee),
          ...(given.showsFee && { fee: given.fee }),
          ...(given.hasReference && { reference: purpose }),
          payment_id: id,
        }),
      },
      { onWarning: () => {} },
    );
    const error = await loseCreate(setup, 'after');
    const facts = { ...given, now };
    const write = (name: string): Row =>
      (bare[name] ?? writeRow(facts, (own[name] ?? foreign[name])?.(facts) ?? {})) as Row;
    setup.service.extraRows.push(...rows.map(write));
    return setup.client.payments.reconcile(error);
  };
  const ownNames = [...Object.keys(own), ...Object.keys(bare)];
  const foreignNames = Object.keys(foreign);

  it('finds the payment if every other row proves that it is of something else', async () => {
    const property = fc.asyncProperty(
      style,
      fc.array(fc.constantFrom(...foreignNames), { maxLength: 6 }),
      async (given, rows) => {
        expect(await search(given, rows)).toMatchObject({ result: 'found', evidence: 'purpose+beneficiary' });
      },
    );
    await fc.assert(property, { numRuns: runs(100) });
  });

  it('is ambiguous while a row that can be that of the create is unreadable or hidden', async () => {
    const property = fc.asyncProperty(
      style,
      fc.constantFrom(...ownNames),
      fc.array(fc.constantFrom(...foreignNames, ...ownNames), { maxLength: 4 }),
      fc.nat(4),
      async (given, rival, rows, index) => {
        expect(await search(given, rows.toSpliced(index, 0, rival))).toMatchObject({
          result: 'ambiguous',
          reason: 'unclear_records',
        });
      },
    );
    await fc.assert(property, { numRuns: runs(100) });
  });

  it.each<[string, Row]>([
    ['a refund', { type: 'refund', currency: 'USD', amount: 100 }],
    ['a reversal', { type: 'reversal', currency: 'USD', amount: 100 }],
    ['a returned payment', { kind: 'payment_return', currency: 'USD', amount: 100 }],
    ['a bonus', { type: 'cashback', currency: 'USD', amount: 1 }],
    ['a credit in the other currency', { type: 'credit', currency: 'EUR', amount: 15_000 }],
  ])('takes no row for another one by the sign of %s', async (_, credit) => {
    const setup = setUp({
      toRow: ({ send_amount, created_at }) => ({ currency: 'USD', amount: -send_amount, created_at }),
    });
    const error = await loseCreate(setup, 'after');
    setup.service.extraRows.push({ ...credit, payment_id: setup.service.payments[0]?.id });
    expect(await setup.client.payments.reconcile(error)).not.toMatchObject({ result: 'found' });
  });
});

describe('the time of payments.reconcile', () => {
  /** Opens a service whose list never ends, and takes 1 s per request. */
  const openEndless = (options: object = {}) => {
    const clock = createManualClock();
    const requests: string[] = [];
    const fetch = async ({ url }: Request): Promise<Response> => {
      requests.push(url);
      await clock.advance(1_000);
      const amount = requests.length;
      const data = { items: [{ id: amount, amount }], next_cursor: String(amount) };
      return Response.json({ success: true, data });
    };
    return { client: openClient(fetch, options, clock), clock, requests };
  };
  const lost = { ...order, since: '2026-01-31T12:00:00Z' };

  it.each([
    [{}, 60, 'Reconcile again with a client that has a longer totalTimeout.'],
    [{ totalTimeout: 5_000 }, 5, 'The search did not end within 5000 ms. Reconcile again'],
    [{ totalTimeout: 120_000 }, 120, 'The search did not end within 120000 ms.'],
    [{ timeout: 500, totalTimeout: 3_000, maxRetries: 15 }, 3, 'did not arrive before the timeout'],
  ])('is limited for an endless list with the options %j to %i s', async (options, seconds, message) => {
    const { client, clock, requests } = openEndless(options);
    const error = await catchRejection(client.payments.reconcile(lost));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(String(error)).toContain(message);
    expect(clock.now()).toBeLessThanOrEqual((seconds + 1) * 1_000);
    await clock.advance(10_000);
    expect(requests.length).toBeLessThanOrEqual(seconds + 1);
    expect(clock.pending()).toBe(0);
  });

  it('is limited for payments that never respond', async () => {
    const clock = createManualClock();
    const fetch = async ({ url }: Request): Promise<Response> => {
      if (url.includes('/payments/')) return new Promise<Response>(() => {});
      const items = [{ id: 1, payment_id: 'pay_test_1', amount: -100 }];
      return Response.json({ success: true, data: { items, has_more: false } });
    };
    const client = openClient(fetch, { timeout: 20_000, maxRetries: 15 }, clock);
    const failed = catchRejection(client.payments.reconcile(lost));
    await clock.advance(61_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError' });
    expect(clock.pending()).toBe(0);
  });

  it('leaves no timer behind, and ends with its signal', async () => {
    const clock = createManualClock();
    const service = createPaymentService();
    const client = openClient(service.fetch, { readLag: undefined }, clock);
    expect((await client.payments.reconcile(lost)).result).toBe('cannot_tell');
    expect(clock.pending()).toBe(0);
    const reason = new Error('closed');
    const endless = openEndless();
    const controller = new AbortController();
    const failed = catchRejection(endless.client.payments.reconcile(lost, { signal: controller.signal }));
    await endless.clock.advance(3_000);
    controller.abort(reason);
    expect(await failed).toMatchObject({ name: 'AbortError', outcome: 'unknown', cause: reason });
    await endless.clock.advance(10_000);
    expect(endless.clock.pending()).toBe(0);
  });
});
