import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { serveControl } from './control-support.ts';
import { type Caller, createCaller, order } from './support.ts';

type Act = (mock: Mock, caller: Caller) => unknown;

const acts: readonly [title: string, act: Act][] = [
  ['a create', (_, { post }) => post('/payments', order())],
  ['a read of the service', (_, { get }) => get('/balance')],
  ['a transition and its webhook', ({ sandbox }) => sandbox.clock.advance('1s')],
  ['a deposit', ({ sandbox }) => sandbox.wallets.credit({ currency: 'USD', amount: 1 })],
  ['an account', ({ sandbox }) => sandbox.accounts.create()],
  ['a suspension', ({ sandbox }) => sandbox.accounts.suspend()],
  ['a profile', ({ sandbox }) => sandbox.profile.set({ numbers: 'string' })],
  ['an endpoint', ({ sandbox }) => sandbox.webhooks.collect()],
  ['a fault', ({ sandbox }) => sandbox.faults.inject({ kind: 'status', status: 500 })],
  ['removed faults', ({ sandbox }) => sandbox.faults.clear()],
  ['a reset', ({ sandbox }) => sandbox.reset()],
];

describe('GET /_sandbox/changes', () => {
  it('differs after each change, and only then', async () => {
    const { ask, mock } = await serveControl({ clock: 'manual', seed: 1 });
    const caller = createCaller(mock);
    const read = async (): Promise<string> => JSON.stringify((await ask('GET', '/changes')).body);
    await caller.post('/payments', order());
    const unnoticed: string[] = [];
    for (const [title, act] of acts) {
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
