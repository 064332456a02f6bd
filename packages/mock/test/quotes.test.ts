import { describe, expect, it } from 'vitest';
import { currencies } from '../src/domain/money.ts';
import { createStillMock } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

type Vector = [from: string, to: string, amount: string, fee: string, rate: string, receive: string];

// docs/contract.md#money
const vectors: Vector[] = [
  ['USD', 'EUR', '1000.00', '5', '0.9213', '916.69'],
  ['USD', 'EUR', '29.00', '0.15', '0.9213', '26.58'],
  ['USD', 'EUR', '3.00', '0.02', '0.9213', '2.75'],
  ['USD', 'EUR', '1.00', '0.01', '0.9213', '0.91'],
  ['USD', 'AED', '2.00', '0.01', '3.6725', '7.31'],
  ['USD', 'JPY', '1000.00', '5', '151.23', '150473.85'],
  ['USD', 'KWD', '1000.00', '5', '0.3071', '305.56'],
  ['EUR', 'XOF', '250.00', '1.25', '655.957', '163169.3'],
  ['JPY', 'USD', '10000', '50', '0.006612', '65.79'],
  ['VND', 'USD', '1000000', '5000', '0.000039', '38.81'],
  ['USD', 'USD', '100.00', '0.5', '1', '99.5'],
  ['USD', 'NGN', '999999999.99', '5000000', '1602.75', '1594736249983.97'],
];

const isoVectors: Vector[] = [
  ['USD', 'JPY', '1000.00', '5', '151.23', '150474'],
  ['EUR', 'XOF', '250.00', '1.25', '655.957', '163169'],
];

async function quoteText([from, to, amount]: Vector, minorUnits: 'two' | 'iso'): Promise<string> {
  const { mock } = createStillMock({ profile: { minorUnits } });
  const response = await mock.fetch(`${mock.baseUrl}/quotes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' },
    body: `{"from_currency":"${from}","to_currency":"${to}","amount":${amount}}`,
  });
  return response.text();
}

/** The exact response text: doubles would hide differences. */
function wanted([from, to, amount, fee, rate, receive]: Vector): string {
  const send = amount.replace(/\.00$/, '');
  const data = `{"from_currency":"${from}","to_currency":"${to}","send_amount":${send},"fee":${fee},"rate":${rate},"receive_amount":${receive}}`;
  return `{"success":true,"mode":"test","data":${data}}`;
}

describe('POST /quotes', () => {
  it.each(vectors)('quotes %s to %s %s with fee %s, rate %s and %s received', async (...vector) => {
    expect(await quoteText(vector, 'two')).toBe(wanted(vector));
  });

  it.each(isoVectors)(
    'with ISO minor units quotes %s to %s %s with fee %s, rate %s and %s',
    async (...vector) => {
      expect(await quoteText(vector, 'iso')).toBe(wanted(vector));
    },
  );

  it('names an amount with too many decimals next to other invalid fields', async () => {
    const { post } = createStillMock({ profile: { minorUnits: 'iso' } });
    const rejected = await post('/payments', { from_currency: 'JPY', to_currency: 'USD', amount: 1.5 });
    expect(rejected.body.error.message).toBe(
      'The request is invalid: amount must be a whole number in JPY; beneficiary_name is required.',
    );
  });

  it.each<[from: string, to: string, amount: number, fee: number, receive: number]>([
    ['USD', 'EUR', 50, 1, 45.14],
    ['USD', 'EUR', 1000, 10, 912.09],
    ['USD', 'EUR', 10_000, 50, 9166.94],
    ['USD', 'EUR', 1, 1, 0],
    ['USD', 'EUR', 0.5, 1, 0],
    ['EUR', 'USD', 1000, 3.25, 1081.9],
    ['GBP', 'USD', 1000, 0, 1266.79],
  ])(
    'takes the fee of the first matching rule from %s to %s %d: %d',
    async (from, to, amount, fee, receive) => {
      const fees = [
        { from: 'EUR', flat: '3.00', percent: '0.025' },
        { from: 'USD', percent: '1', minimum: '1.00', maximum: '50.00' },
      ];
      const { post } = createStillMock({ profile: { fees } });
      const { body } = await post('/quotes', { from_currency: from, to_currency: to, amount });
      expect(body.data).toMatchObject({ fee, receive_amount: receive });
    },
  );

  it.each([
    ['up', 1.26],
    ['down', 1.25],
  ] as const)('rounds a fee of 1.252 %s', async (rounding, fee) => {
    const { post } = createStillMock({ profile: { fees: [{ percent: '0.4', flat: '0.25', rounding }] } });
    const quoted = await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 250.5 });
    expect(quoted.body.data).toMatchObject({ fee });
    const exact = await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 250 });
    expect(exact.body.data).toMatchObject({ fee: 1.25 });
  });

  it('rejects a payment whose fee is as large as the amount, without a change', async () => {
    const { mock, post } = createStillMock({ profile: { fees: [{ flat: '5.00' }] } });
    const order = { from_currency: 'USD', to_currency: 'EUR', amount: 5, beneficiary_name: 'A' };
    const rejected = await post('/payments', order);
    expect(rejected.body.error.message).toContain('is too small: the beneficiary would receive 0 EUR');
    expect(stateOf(mock.sandbox.snapshot()).accounts[0]?.modes.test.payments).toEqual([]);
  });

  it('uses the currencies without decimals of ISO 4217', async () => {
    const { post } = createStillMock({ profile: { minorUnits: 'iso' } });
    const whole: string[] = [];
    for (const code of currencies) {
      const { status } = await post('/quotes', { from_currency: code, to_currency: 'USD', amount: 10.5 });
      if (status === 422) whole.push(code);
    }
    expect(whole).toEqual(['CLP', 'JPY', 'KRW', 'UGX', 'VND', 'XOF']);
    expect(currencies).toHaveLength(46);
  });

  it('allows a quote that pays out 0', async () => {
    const { post } = createStillMock();
    const { status, body } = await post('/quotes', {
      from_currency: 'USD',
      to_currency: 'KWD',
      amount: 0.01,
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ receive_amount: 0 });
  });

  it('ignores unknown fields and stores nothing', async () => {
    const { mock, post } = createStillMock();
    const before = await mock.sandbox.stateHash();
    const { status } = await post('/quotes', {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 1,
      foo: 'bar',
    });
    expect(status).toBe(200);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });
});
