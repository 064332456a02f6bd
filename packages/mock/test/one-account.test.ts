import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { keepData } from '@service/mock/node';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, createCaller, createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// Operations on one account of a mock that several jobs share.

/** An account with a client and its view. */
interface Job extends Caller {
  id: string;
  key: string;
  pay: (fields?: Record<string, unknown>) => Promise<string>;
}

function openJob(mock: Mock, name: string): Job {
  const key = `service_test_${name}`;
  const { id } = mock.sandbox.accounts.find({ key });
  const caller = createCaller(mock, key);
  const pay = async (fields = {}): Promise<string> =>
    String((await caller.post('/payments', order(fields))).body.data.id);
  return { id, key, pay, ...caller };
}

/** A mock with a manual clock that two jobs share. */
function share(options: MockOptions = {}): { mock: Mock; a: Job; b: Job } {
  const { mock } = createStillMock({ accounts: 'open', ...options });
  return { mock, a: openJob(mock, 'job_a'), b: openJob(mock, 'job_b') };
}

/** Creates a folder that is removed after the test. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const hashOf = (mock: Mock, { id }: Job): Promise<string> => mock.sandbox.stateHash(id);

describe('a reset of one account', () => {
  it('opens an account again that a key opened, with the same ids as the first time', async () => {
    const { mock, a, b } = share();
    const fresh = await hashOf(mock, a);
    const ids = [await a.pay(), await a.pay()];
    const other = [await b.pay()];
    mock.sandbox.reset(a.id);
    expect(await hashOf(mock, a)).toBe(fresh);
    expect((await a.get(`/payments/${ids[0]}`)).status).toBe(404);
    expect((await b.get(`/payments/${other[0]}`)).status).toBe(200);
    expect([await a.pay(), await a.pay()]).toEqual(ids);
    expect(new Set([...ids, ...other, await b.pay()])).toHaveProperty('size', 4);
  });

  it('clears faults, rate limit and logged requests of that account only', async () => {
    const { mock, a, b } = share();
    const { faults, profile, requests } = mock.sandbox;
    for (const { id, get } of [a, b]) {
      faults.inject({ kind: 'status', status: 500, account: id, operation: 'createQuote' });
      faults.inject({ target: 'delivery', kind: 'drop', account: id });
      profile.set({ rateLimit: { requests: 2, window: '1h' } }, id);
      await get('/balance');
    }
    mock.sandbox.reset(a.id);
    expect(faults.list(a.id)).toEqual([]);
    expect(faults.list(b.id)).toHaveLength(2);
    expect(requests.list().map(({ account }) => account)).toEqual([b.id]);
    const statuses = async ({ get }: Job) => {
      const answers = [await get('/balance'), await get('/balance'), await get('/balance')];
      return answers.map(({ status }) => status);
    };
    expect([await statuses(a), await statuses(b)]).toEqual([
      [200, 200, 200],
      [200, 429, 429],
    ]);
  });

  it('ends its running requests with 503, and no request of another account', async () => {
    const { mock, a, b } = share();
    for (const { id } of [a, b]) mock.sandbox.faults.inject({ kind: 'latency', ms: 30, account: id });
    const running = [a.get('/balance'), b.get('/balance')];
    await mock.sandbox.clock.advance(1);
    mock.sandbox.reset(a.id);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([503, 200]);
  });
});

describe('a baseline of one account', () => {
  it('is the target of its reset, and of no other reset', async () => {
    const { mock, a, b } = share();
    const shared = [await a.pay(), await b.pay()];
    mock.sandbox.baseline(a.id);
    const before = await hashOf(mock, a);
    await a.pay();
    mock.sandbox.reset(a.id);
    mock.sandbox.reset(b.id);
    expect(await hashOf(mock, a)).toBe(before);
    expect((await a.get(`/payments/${shared[0]}`)).status).toBe(200);
    expect((await b.get(`/payments/${shared[1]}`)).status).toBe(404);
    expect(await a.pay()).not.toBe(shared[0]);
  });
});

describe('a data file', () => {
  it('stores resets of one account, and the changes after them', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'data');
    const { mock, a, b } = share();
    const data = await keepData(mock, path);
    mock.sandbox.webhooks.collect({ account: a.id });
    await a.pay();
    await b.pay();
    mock.sandbox.profile.set({ successStatus: { createPayment: 202 } }, a.id);
    mock.sandbox.baseline(a.id);
    await a.pay();
    mock.sandbox.reset(a.id);
    const afterReset = await a.pay();
    mock.sandbox.reset(b.id);
    const expected = mock.sandbox.snapshot();
    await data.close();
    const second = createMock({ clock: 'manual', accounts: 'open' });
    const again = await keepData(second, path);
    expect(stateOf(second.sandbox.snapshot())).toEqual(expected.state);
    expect((await createCaller(second, a.key).get(`/payments/${afterReset}`)).status).toBe(200);
    second.sandbox.reset(a.id);
    expect(stateOf(second.sandbox.snapshot()).accounts).toEqual(stateOf(expected).accounts);
    expect(again.isRestored).toBe(true);
    await again.close();
  });
});

describe('operations on one account', () => {
  it('profile.set gives one account another rate limit', async () => {
    const { mock, a, b } = share();
    const { profile } = mock.sandbox;
    const count = async ({ get }: Job): Promise<number> => {
      let allowed = 0;
      while (allowed < 5 && (await get('/balance')).status === 200) allowed += 1;
      return allowed;
    };
    profile.set({ rateLimit: { requests: 2, window: '1m' } });
    profile.set({ rateLimit: { requests: 3, window: '1m' } }, a.id);
    expect([await count(a), await count(b)]).toEqual([3, 2]);
    profile.set({ rateLimit: { requests: 1, window: '1m' } });
    expect([await count(a), await count(b)]).toEqual([1, 1]);
    profile.set({ rateLimit: 'none' }, a.id);
    expect([await count(a), await count(b)]).toEqual([5, 0]);
    profile.set({ rateLimit: 'none' });
    expect([await count(a), await count(b)]).toEqual([5, 5]);
  });
});
