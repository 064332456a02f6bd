// Records of a caller, compared with the account of a mock.
import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { type ClientOptions, createClient, type Payment, type PaymentInput } from '@service/sdk';
import { checkYesterday } from '../examples/snippets/src/statement.ts';
import { order as sharedOrder } from './support/order.ts';
import { checkStatement, type StatementOptions, type StatementRecord } from '@service/sdk/statement';

const order = { ...sharedOrder, purpose: 'INV-1' } as const satisfies PaymentInput;

/** Opens a client of a mock, with the read lag of its account. */
const openClient = (mock: Mock, options: Pick<ClientOptions, 'fetch' | 'onWarning'>) =>
  createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, readLag: 60_000, ...options });

/** Opens a mock at noon, and a check of its day. */
async function openDay(profile: MockOptions['profile'] = {}) {
  const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', profile });
  const methods: string[] = [];
  const client = openClient(mock, {
    fetch: async (url, init) => {
      methods.push(init?.method ?? 'GET');
      return mock.fetch(url, init);
    },
  });
  const day = { since: '2026-01-31T00:00:00Z', until: '2026-02-01T00:00:00Z' };
  const pay = async (changes: Partial<PaymentInput> = {}): Promise<string> =>
    (await client.payments.create({ ...order, ...changes })).id;
  const check = async (records: readonly StatementRecord[], options: Partial<StatementOptions> = {}) => {
    methods.length = 0;
    const { agreeing, differing, missing, extra, undecided, unseen } = await checkStatement(client, records, {
      ...day,
      ...options,
    });
    expect(new Set(methods)).toEqual(new Set(['GET']));
    return {
      agreeing: agreeing.map(({ record, payment }) => [record.reference, payment.id]),
      differing: differing.map(({ record, payment, fields }) => [
        record.reference,
        payment.id,
        fields.join(),
      ]),
      missing: missing.map(({ reference }) => reference),
      extra: extra.map(({ payment }) => payment.id),
      undecided: undecided.map(({ reason, records: asked, payments }) => [
        reason,
        asked.map(({ reference }) => reference).join(),
        payments.length,
      ]),
      unseen: unseen.map(({ reason }) => reason),
    };
  };
  return { mock, client, pay, check, day, endDay: () => mock.sandbox.clock.advance('24h') };
}

const nothing = { agreeing: [], differing: [], missing: [], extra: [], undecided: [], unseen: [] };

describe('checkStatement', () => {
  it('pairs each record with its payment, and lists the others', async () => {
    const { pay, check, endDay } = await openDay();
    const ids = [
      await pay(),
      await pay({ purpose: 'INV-2' }),
      await pay({ purpose: 'Unplanned', amount: '7.00' }),
    ];
    await endDay();
    const records = [
      { ...order, reference: 'a', amount: 100 },
      { ...order, reference: 'b', purpose: 'INV-2', amount: '120.00' },
      { ...order, reference: 'c', purpose: 'INV-3', beneficiary_name: 'Other', beneficiary_account: 'X1' },
    ];
    expect(await check(records)).toEqual({
      ...nothing,
      agreeing: [['a', ids[0]]],
      differing: [['b', ids[1], 'amount']],
      missing: ['c'],
      extra: [ids[2]],
    });
  });

  it('gives no answer for more equal records than payments, and agrees with equal numbers', async () => {
    const { pay, check, endDay } = await openDay();
    await pay();
    await endDay();
    const twins = ['a', 'b'].map((reference) => ({ ...order, reference }));
    expect(await check(twins)).toEqual({ ...nothing, undecided: [['twins', 'a,b', 1]] });
    const other = await openDay();
    const ids = [await other.pay(), await other.pay()];
    await other.endDay();
    const { agreeing, ...rest } = await other.check(twins);
    expect(new Set(agreeing.map(([, id]) => id))).toEqual(new Set(ids));
    expect({ ...rest, agreeing: [] }).toEqual(nothing);
    expect(await other.check(twins.slice(1))).toEqual({ ...nothing, undecided: [['twins', 'b', 2]] });
  });

  it('compares a record with the payment of its id only', async () => {
    const { pay, check, endDay } = await openDay();
    const [one, other] = [await pay(), await pay()];
    await endDay();
    const records = [{ ...order, reference: 'a', payment_id: other }];
    expect(await check(records)).toEqual({ ...nothing, agreeing: [['a', other]], extra: [one] });
    const [wrong] = [{ ...order, reference: 'a', payment_id: other, amount: '5.00' }];
    expect(await check([wrong, { ...order, reference: 'b', payment_id: one }])).toEqual({
      ...nothing,
      agreeing: [['b', one]],
      differing: [['a', other, 'amount']],
    });
    const twice = ['a', 'b'].map((reference) => ({ ...order, reference, payment_id: one }));
    expect(await check(twice)).toMatchObject({
      agreeing: [],
      undecided: [['twins', 'a,b', 1]],
      extra: [other],
    });
    const unknown = [{ ...order, reference: 'a', payment_id: `${one}0` }];
    expect(await check(unknown)).toEqual({
      ...nothing,
      missing: ['a'],
      extra: expect.arrayContaining([one, other]),
    });
  });

  it('shows a returned payment with its status and refund', async () => {
    const { client, pay, endDay, day } = await openDay();
    const id = await pay({ beneficiary_account: 'SIM-RETURN' });
    await endDay();
    const record = { ...order, beneficiary_account: 'SIM-RETURN' };
    const { agreeing } = await checkStatement(client, [record], day);
    expect(agreeing).toMatchObject([
      {
        record,
        payment: { id, status: 'failed' },
        refunds: [{ type: 'refund', amount: 100, payment_id: id }],
      },
    ]);
    expect(agreeing[0]?.record).toBe(record);
  });

  it('lists a payment of the day before that was refunded in the period, unless a record has its id', async () => {
    const { mock, pay, check } = await openDay();
    const id = await pay({ beneficiary_account: 'SIM-STUCK' });
    await mock.sandbox.clock.advance('24h');
    mock.sandbox.payments.fail(id);
    await mock.sandbox.clock.advance('24h');
    const next = { since: '2026-02-01T00:00:00Z', until: '2026-02-02T00:00:00Z' };
    expect(await check([], next)).toEqual({ ...nothing, extra: [id] });
    const record = { ...order, beneficiary_account: 'SIM-STUCK', reference: 'a', payment_id: id };
    expect(await check([record], next)).toEqual({ ...nothing, agreeing: [['a', id]] });
  });

  it('calls nothing missing while the service may not show the last payments', async () => {
    const { check, pay } = await openDay({ readLag: { transactions: '10s', payments: '10s' } });
    await pay();
    const until = '2026-01-31T12:00:01Z';
    expect(await check([{ ...order, reference: 'a' }], { until })).toEqual({
      ...nothing,
      undecided: [['unseen', 'a', 0]],
      unseen: ['read_lag'],
    });
  });

  it('gives no answer for a payment next to the period', async () => {
    const { check, pay, mock } = await openDay();
    await pay();
    await mock.sandbox.clock.advance('24h');
    const since = '2026-01-31T12:01:00Z';
    expect(await check([{ ...order, reference: 'a' }], { since })).toEqual({
      ...nothing,
      undecided: [['outside_period', 'a', 1]],
    });
    expect(await check([{ ...order, reference: 'a' }], { since, clockSkew: 1_000 })).toEqual({
      ...nothing,
      missing: ['a'],
    });
  });

  it('gives no answer for a record that a row without a payment id can be', async () => {
    const { check, pay, endDay } = await openDay({ rows: 'minimal' });
    const id = await pay();
    await endDay();
    const records = [
      { ...order, reference: 'a' },
      { ...order, reference: 'b', from_currency: 'GBP' },
      { ...order, reference: 'c', payment_id: id },
    ];
    expect(await check(records)).toEqual({
      ...nothing,
      agreeing: [['c', id]],
      undecided: [['unseen', 'a', 0]],
      missing: ['b'],
      unseen: ['unlinked_row'],
    });
  });

  it.each([
    [[{ ...order, amount: '1e3' }], {}, 'records[0]: amount must be a plain decimal'],
    [
      [order, { ...order, beneficary_name: 'X' }],
      {},
      'records[1]: "beneficary_name" is unknown. Use one of:',
    ],
    [[{ ...order, payment_id: 'order-1' }], {}, "records[0]: A payment id must have the form 'pay_test_…'"],
    [
      [{ ...order, payment_id: 'pay_live_1' }],
      {},
      'records[0]: The payment is in live mode, but the API key',
    ],
    [
      [{ ...order, paymentId: 'pay_test_1' }],
      {},
      'records[0]: "paymentId" is unknown. Use one of: from_currency, to_currency, amount, beneficiary_name, beneficiary_bank, beneficiary_account, beneficiary_country, purpose, reference, payment_id.',
    ],
    ...[0, false, ''].map((payment_id): [unknown, object, string] => [
      [order, { ...order, payment_id }],
      {},
      "records[1]: A payment id must have the form 'pay_test_…'",
    ]),
    [[{ ...order, reference: 7 }], {}, 'records[0]: reference must be a string.'],
    [['order'], {}, 'records[0]: The record must be an object'],
    // oxlint-disable-next-line no-sparse-arrays -- a record that is missing
    [[order, , order], {}, 'records[1]: The record must be an object'],
    [[order, ...Array.from({ length: 1 })], {}, 'records[1]: The record must be an object'],
    [new Set([order]), {}, 'The records must be an array of objects.'],
    [[], { until: undefined }, 'until must be a Date or an ISO 8601 time'],
    [[], { until: '2026-01-31' }, 'until must be a Date or an ISO 8601 time with an offset'],
    [[], { until: '2026-01-30T00:00:00Z' }, '`until` must be later than `since`.'],
    [[], { untill: 1 }, '"untill" is unknown. Use one of: since, until, clockSkew, signal.'],
  ])('refuses %j with %j', async (records, options, message) => {
    const { client, day } = await openDay();
    const call = checkStatement(client, records as never, { ...day, ...options });
    await expect(call).rejects.toMatchObject({
      outcome: 'not_sent',
      message: expect.stringContaining(message),
    });
  });

  it('answers the example of the guide', async () => {
    const { client, pay, endDay } = await openDay();
    await pay();
    await pay({ purpose: 'INV-2', beneficiary_account: 'SIM-RETURN' });
    const id = await pay({ purpose: 'Unplanned', amount: '7.00', beneficiary_name: 'Bolt GmbH' });
    await endDay();
    const records = [
      { ...order, reference: 'a', amount: '99.00' },
      { ...order, reference: 'b', purpose: 'INV-2', beneficiary_account: 'SIM-RETURN' },
      { ...order, reference: 'c', purpose: 'INV-3', beneficiary_name: 'Cassia' },
    ];
    expect(await checkYesterday(client, records, new Date('2026-02-01T00:00:00Z'))).toEqual({
      missing: ['c'],
      differing: [['a', 'amount']],
      returned: [['b', 1]],
      unrecorded: [id],
      isComplete: true,
    });
  });

  it('blames no record for a purpose that the service cuts', async () => {
    const { client, pay, endDay, day, mock } = await openDay();
    await pay({ purpose: 'INV-10' });
    await endDay();
    const cutting = openClient(mock, {
      fetch: async (url, init) => {
        const text = await (await mock.fetch(url, init)).text();
        return new Response(text.replaceAll('INV-10', 'INV-1'));
      },
    });
    const records = ['INV-1', 'INV-10'].map((purpose) => ({ ...order, purpose }));
    const { undecided, ...rest } = await checkStatement(cutting, records, day);
    expect(undecided.map(({ reason }) => reason)).toEqual(['twins', 'twins']);
    expect(rest).toMatchObject({ agreeing: [], missing: [], extra: [] });
    expect((await checkStatement(client, records, day)).agreeing).toHaveLength(1);
  });

  it.each([
    [
      'unreadable_row',
      (text: string) =>
        text.replace('"amount":-100', '"amount":"much"').replaceAll(/"pay_test_\w+"/g, 'null'),
    ],
    ['incomplete_list', (text: string) => text.replace('"transactions":', '"movements":')],
    ['hidden_payment', (text: string) => text.replaceAll(/(pay_test_\w+)/g, '$1x')],
  ])('calls nothing missing behind the gap %s', async (reason, change) => {
    const { pay, endDay, day, mock } = await openDay();
    await pay();
    await endDay();
    const client = openClient(mock, {
      onWarning: () => {},
      fetch: async (url, init) => {
        const response = await mock.fetch(url, init);
        const text = await response.text();
        return new Response(url.includes('/transactions') ? change(text) : text, response);
      },
    });
    const other = { ...order, purpose: 'INV-9', beneficiary_name: 'Cassia' };
    const { missing, undecided, unseen } = await checkStatement(client, [other], day);
    expect([missing, undecided.map((one) => one.reason)]).toEqual([[], ['unseen']]);
    expect(unseen.map((one) => one.reason)).toEqual([reason]);
  });

  it.each<[string, object, Partial<PaymentInput>, object]>([
    ['no amount', { send_amount: undefined }, {}, { undecided: 'unconfirmed' }],
    ['other separators', { account: '12 34' }, { beneficiary_account: '12-34' }, { unconfirmed: [] }],
    [
      'separators elsewhere',
      { account: '123-4' },
      { beneficiary_account: '12-34' },
      { unconfirmed: ['beneficiary_account'] },
    ],
    [
      'separators elsewhere, cut name',
      { account: '123-4', name: 'Acme' },
      { beneficiary_account: '12-34' },
      { undecided: 'unconfirmed' },
    ],
    ['a name in capitals', { name: 'ACME SUPPLIES LTD' }, {}, { unconfirmed: ['beneficiary_name'] }],
    ['other spaces', { name: 'Acme  Supplies Ltd ' }, {}, { unconfirmed: [] }],
  ])('shows what %s confirms', async (_, shown, changes, expected) => {
    const { pay, endDay, day, mock } = await openDay();
    await pay(changes);
    await endDay();
    const client = openClient(mock, {
      fetch: async (url, init) => {
        const response = await mock.fetch(url, init);
        if (url.includes('/transactions')) return response;
        const { data, ...rest } = (await response.json()) as { data: Payment };
        const beneficiary = { ...data.beneficiary, ...shown };
        return Response.json({ ...rest, data: { ...data, ...shown, beneficiary } });
      },
    });
    const { agreeing, undecided, differing } = await checkStatement(client, [{ ...order, ...changes }], day);
    expect(differing).toEqual([]);
    expect({ unconfirmed: agreeing[0]?.unconfirmed, undecided: undecided[0]?.reason }).toEqual({
      unconfirmed: undefined,
      undecided: undefined,
      ...expected,
    });
  });

  it('compares amounts with all digits, in any unit of the rows', async () => {
    const { client, pay, endDay, day } = await openDay({ numbers: 'floatTail' });
    const amount = '123456789.01';
    await pay({ amount: '1234.57' });
    await endDay();
    const { agreeing } = await checkStatement(client, [{ ...order, amount: 1234.57 }], day);
    expect(agreeing).toHaveLength(1);
    const { missing, differing } = await checkStatement(client, [{ ...order, amount }], day);
    expect([missing.length, differing[0]?.fields]).toEqual([0, ['amount']]);
  });

  it('needs a client, and ends by its signal', async () => {
    const { client, day } = await openDay();
    await expect(checkStatement({} as never, [], day)).rejects.toThrow('the result of createClient()');
    const signal = AbortSignal.abort();
    await expect(checkStatement(client, [], { ...day, signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
