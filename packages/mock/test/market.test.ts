import { createMock, type ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createCaller, createStillMock, openProfile } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };
const order = { ...quote, beneficiary_name: 'Acme' };

describe('rates', () => {
  it.each<[from: string, to: string, rates: NonNullable<ProfileChoice['rates']>, rate: number]>([
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8' } }, 1.25],
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8' }, spread: '0.1' }, 1.0125],
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8', 'EUR/USD': '1.2' } }, 1.2],
    ['USD', 'EUR', { spread: '0.1' }, 0.82917],
    ['EUR', 'GBP', { pairs: { 'USD/EUR': '0.8', 'GBP/USD': '1.25' } }, 1],
    ['USD', 'USD', { spread: '0.1' }, 1],
  ])('have for %s to %s with %j the rate %d', async (from_currency, to_currency, rates, rate) => {
    const { post } = createStillMock({ profile: { rates } });
    const { body } = await post('/quotes', { from_currency, to_currency, amount: 1000 });
    expect(body.data.rate).toBe(rate);
  });

  it('of a payment stay those of its create', async () => {
    const { mock, post, get } = createStillMock({
      profile: { rates: { pairs: { 'USD/EUR': '0.8' } } },
    });
    const { body } = await post('/payments', order);
    await mock.sandbox.clock.advance('10s');
    mock.sandbox.profile.set({ rates: { pairs: { 'USD/EUR': '0.5' } } });
    const later = await get(`/payments/${String(body.data.id)}`);
    expect(later.body.data).toMatchObject({ status: 'completed', rate: body.data.rate });
    expect((await post('/quotes', quote)).body.data.rate).toBe(0.5);
  });
});

describe('currencies', () => {
  it('are those of the profile, also outside of the table of the mock', async () => {
    const { mock, ask } = openProfile({
      currencies: 'EUR USD TZS UZS',
      rates: { pairs: { 'USD/TZS': '2500' } },
    });
    const toOther = async (to_currency: string): Promise<unknown> => {
      const { status, json } = await ask('POST', '/quotes', { ...quote, to_currency });
      return json.data?.rate ?? [status, json.error.message];
    };
    expect(await toOther('TZS')).toBe(2500);
    const invalid = 'The request is invalid: to_currency';
    expect(await toOther('GBP')).toEqual([
      422,
      `${invalid} must be a supported ISO 4217 code of 3 upper-case letters.`,
    ]);
    expect(await toOther('UZS')).toEqual([422, `${invalid} has no exchange rate from USD.`]);
    mock.sandbox.wallets.credit({ currency: 'TZS', amount: '10.00' });
    expect(() => mock.sandbox.wallets.credit({ currency: 'GBP', amount: 1 })).toThrow(
      '"GBP" is not a supported currency',
    );
    expect(() => mock.sandbox.payments.create({ ...order, to_currency: 'GBP' })).toThrow(
      'The profile has no rate from USD to GBP. Use a currency that it supports.',
    );
  });
});

describe('currencies outside of the table of the mock', () => {
  const profile = { currencies: 'USD TZS', rates: { pairs: { 'USD/TZS': '2500' } } };
  const balances = { TZS: '90000' };
  const transfer = { ...order, from_currency: 'TZS', to_currency: 'USD', amount: '50000' };

  it('are those of balances and payments of the sandbox', () => {
    const { mock } = createStillMock({ profile });
    const account = mock.sandbox.accounts.create({ balances });
    expect(mock.sandbox.payments.create({ ...transfer, account })).toMatchObject({
      from_currency: 'TZS',
      send_amount: 50_000,
      receive_amount: 19.9,
    });
  });

  it('are those of balances and payments of a seed', () => {
    const accounts = [{ name: 'a', balances, payments: [transfer] }];
    const { sandbox } = createMock({ initial: { profile, accounts } });
    const { transactions } = stateOf(sandbox.snapshot()).accounts[0]!.modes.test;
    expect(transactions.map(({ amount }) => amount)).toEqual(['9000000', '-5000000']);
  });
});

describe('wallets', () => {
  const balancesOf = async (profile: ProfileChoice, options: object = {}): Promise<unknown> => {
    const { mock } = createStillMock({ profile });
    const { testKey } = mock.sandbox.accounts.create(options);
    return (await createCaller(mock, testKey).get('/balance')).body.data.balances;
  };

  it('of a new account are those of the profile, unless it has balances', async () => {
    const wallets = { USD: '2500.00', JPY: '0' };
    const expected = [
      { currency: 'JPY', balance: 0 },
      { currency: 'USD', balance: 2500 },
    ];
    expect(await balancesOf({ wallets })).toEqual(expected);
    expect(await balancesOf({}, { profile: { wallets } })).toEqual(expected);
    expect(await balancesOf({ wallets }, { balances: { EUR: 5 } })).toEqual([
      { currency: 'EUR', balance: 5 },
    ]);
    expect(await balancesOf({ currencies: 'EUR JPY' })).toEqual([{ currency: 'EUR', balance: 100_000 }]);
  });

  it('of an account that a key opens are those of the profile', async () => {
    const mock = createMock({ accounts: 'open', profile: { wallets: { USD: '7.50' } } });
    const { body } = await createCaller(mock, 'service_test_mine').get('/balance');
    expect(body.data.balances).toEqual([{ currency: 'USD', balance: 7.5 }]);
  });
});

describe('the tolerance for requests', () => {
  const send = async (profile: ProfileChoice, path: string, body: object, type = 'application/json') => {
    const { status, json } = await openProfile(profile).ask('POST', path, body, { 'content-type': type });
    return json.data ?? `${status} ${json.error?.message}`;
  };
  const invalid = '422 The request is invalid:';

  it('accepts an amount as text with the text of amounts accepted', async () => {
    const body = { ...quote, amount: '10.50' };
    expect(await send({ amounts: { text: 'accept' } }, '/quotes', body)).toMatchObject({ send_amount: 10.5 });
    expect(await send({ amounts: { text: 'accept' } }, '/quotes', { ...quote, amount: 'ten' })).toContain(
      invalid,
    );
    expect(await send({}, '/quotes', body)).toBe(
      `${invalid} amount must be a number from 0.01 to 999999999.99 with at most 2 decimals.`,
    );
  });

  it('has the limits of amounts', async () => {
    const amounts = { minimum: '1.00', maximum: '1234567890.12' };
    const quoteOf = (amount: number) => send({ amounts }, '/quotes', { ...quote, amount });
    const message = `${invalid} amount must be a number from 1.00 to 1234567890.12 with at most 2 decimals.`;
    expect([await quoteOf(0.99), await quoteOf(1_234_567_890.13)]).toEqual([message, message]);
    expect(await quoteOf(1)).toMatchObject({ send_amount: 1 });
    expect(await quoteOf(1_234_567_890.12)).toMatchObject({ send_amount: 1_234_567_890.12 });
  });

  it('has the limit of texts in characters, not code units', async () => {
    const pay = (purpose: string) =>
      send({ texts: { limit: 3 } }, '/payments', { ...order, beneficiary_name: 'Ac', purpose });
    expect(await pay('😀😀😀')).toMatchObject({ purpose: '😀😀😀' });
    expect(await pay('😀😀😀😀')).toBe(
      `${invalid} purpose must be text of 1 to 3 characters without control characters.`,
    );
  });

  it.each<['keep' | 'absent', unknown, unknown]>([
    ['keep', '', ' '],
    ['absent', null, null],
  ])('with empty texts %s accepts an empty purpose and a blank bank', async (empty, purpose, bank) => {
    const body = { ...order, purpose: '', beneficiary_bank: ' ' };
    expect(await send({ texts: { empty } }, '/payments', body)).toMatchObject({
      purpose,
      beneficiary: { bank },
    });
    expect(await send({ texts: { empty } }, '/payments', { ...order, beneficiary_name: '' })).toContain(
      invalid,
    );
    expect(await send({}, '/payments', body)).toContain(invalid);
  });

  it('accepts any media type with any of them allowed', async () => {
    expect(await send({ requestBody: { mediaTypes: 'any' } }, '/quotes', quote, 'text/plain')).toMatchObject({
      fee: 5,
    });
    expect(await send({}, '/quotes', quote, 'text/plain')).toContain('415');
  });
});
