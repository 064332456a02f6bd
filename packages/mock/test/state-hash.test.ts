import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { type Caller, createStillMock, order } from './support.ts';

// Tests with "changes nothing" rely on this digest, so it must detect every change.

type Act = (mock: Mock, caller: Caller) => unknown;

const acts: [title: string, act: Act][] = [
  ['a payment', (_, { post }) => post('/payments', order())],
  [
    'a move of a payment',
    async (mock, { post }) =>
      mock.sandbox.payments.fail(String((await post('/payments', order())).body.data.id)),
  ],
  ['a deposit', (mock) => mock.sandbox.wallets.credit({ currency: 'USD', amount: 1 })],
  ['a wallet that is only opened', (mock) => mock.sandbox.wallets.set({ currency: 'CHF', amount: 0 })],
  ['money in live mode', (mock) => mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 1 })],
  ['an account', (mock) => mock.sandbox.accounts.create()],
  ['a new key', (mock) => mock.sandbox.accounts.regenerateKey()],
  ['a suspension', (mock) => mock.sandbox.accounts.suspend()],
  ['an endpoint', (mock) => mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost/' })],
  [
    'the secrets that were issued',
    (mock) => {
      mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost/' });
      mock.sandbox.webhooks.removeEndpoint();
    },
  ],
  ['the time', (mock) => mock.sandbox.clock.advance(1)],
];

describe('stateHash', () => {
  it.each(acts)('changes with %s', async (_, act) => {
    const { mock, ...caller } = createStillMock();
    const before = await mock.sandbox.stateHash();
    await act(mock, caller);
    expect(await mock.sandbox.stateHash()).not.toBe(before);
  });

  it('changes with an idempotency key, apart from its payment', async () => {
    const hashes = await Promise.all(
      [{}, { 'idempotency-key': 'a' }, { 'idempotency-key': 'b' }].map(async (headers) => {
        const { mock, post } = createStillMock();
        await post('/payments', order(), headers);
        return mock.sandbox.stateHash();
      }),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it('does not change with reads', async () => {
    const { mock, get, post } = createStillMock();
    const before = await mock.sandbox.stateHash();
    await get('/balance');
    await get('/transactions');
    await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    mock.sandbox.webhooks.deliveries();
    expect(await mock.sandbox.stateHash()).toBe(before);
  });
});
