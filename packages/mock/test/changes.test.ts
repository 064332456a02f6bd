import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { serveControl } from './control-support.ts';
import { type Caller, createStillMock, order } from './support.ts';

type Act = (mock: Mock, caller: Caller) => unknown;

/** Changes that the digest contains. Tests with "changes nothing" rely on it, so it must detect every change. */
const stored: readonly [title: string, act: Act][] = [
  ['a payment', (_, { post }) => post('/payments', order())],
  [
    'a move of a payment',
    async (mock, { post }) =>
      mock.sandbox.payments.fail(String((await post('/payments', order())).body.data.id)),
  ],
  ['a deposit', ({ sandbox }) => sandbox.wallets.credit({ currency: 'USD', amount: 1 })],
  ['a wallet that is only opened', ({ sandbox }) => sandbox.wallets.set({ currency: 'CHF', amount: 0 })],
  [
    'money in live mode',
    ({ sandbox }) => sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 1 }),
  ],
  ['an account', ({ sandbox }) => sandbox.accounts.create()],
  ['a new key', ({ sandbox }) => sandbox.accounts.regenerateKey()],
  ['a suspension', ({ sandbox }) => sandbox.accounts.suspend()],
  ['a profile', ({ sandbox }) => sandbox.profile.set({ numbers: 'string' })],
  ['an endpoint', ({ sandbox }) => sandbox.webhooks.setEndpoint({ url: 'http://localhost/' })],
  [
    'the secrets that were issued',
    ({ sandbox }) => {
      sandbox.webhooks.setEndpoint({ url: 'http://localhost/' });
      sandbox.webhooks.removeEndpoint();
    },
  ],
  ['the time', ({ sandbox }) => sandbox.clock.advance(1)],
];
const others: typeof stored = [
  ['a read of the service', (_, { get }) => get('/balance')],
  ['a transition and its webhook', ({ sandbox }) => sandbox.clock.advance('1s')],
  ['a fault', ({ sandbox }) => sandbox.faults.inject({ kind: 'status', status: 500 })],
  ['removed faults', ({ sandbox }) => sandbox.faults.clear()],
  ['a reset', ({ sandbox }) => sandbox.reset()],
];

describe('stateHash', () => {
  it('changes with each change', async () => {
    const unnoticed: string[] = [];
    for (const [title, act] of stored) {
      const { mock, ...caller } = createStillMock();
      const before = await mock.sandbox.stateHash();
      await act(mock, caller);
      if ((await mock.sandbox.stateHash()) === before) unnoticed.push(title);
    }
    expect(unnoticed).toEqual([]);
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

describe('GET /_sandbox/changes', () => {
  it('differs after each change, and only then', async () => {
    const { ask, mock, ...caller } = await serveControl();
    const read = async (): Promise<string> => JSON.stringify((await ask('GET', '/changes')).body);
    mock.sandbox.webhooks.collect();
    const unnoticed: string[] = [];
    for (const [title, act] of [...stored, ...others]) {
      mock.sandbox.reset();
      mock.sandbox.faults.inject({ kind: 'status', status: 500, operation: 'createQuote' });
      await caller.post('/payments', order());
      await mock.sandbox.idle();
      const before = await read();
      for (const path of ['/requests', '/payments', '/wallets', '/clock', '/snapshot'])
        await ask('GET', path);
      expect(await read()).toBe(before);
      await act(mock, caller);
      if ((await read()) === before) unnoticed.push(title);
    }
    expect(unnoticed).toEqual([]);
  });
});
