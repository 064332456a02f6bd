import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { keepData } from '@service/mock/node';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChangeFeed } from '../src/control/change-feed.ts';
import { collectGarbage } from './collect-garbage.ts';
import { partsOf } from './control-support.ts';
import { type Caller, createCaller, createStillMock, order } from './support.ts';

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

  it('opens a created account again with its balances and profile', async () => {
    const { mock, b } = share();
    const shop = mock.sandbox.accounts.create({
      name: 'shop',
      balances: { USD: '12.50', JPY: 0 },
      profile: { createStatus: 202 },
      testKey: 'service_test_shop',
    });
    const before = [await mock.sandbox.stateHash(shop), await hashOf(mock, b)];
    mock.sandbox.wallets.credit({ account: shop, currency: 'USD', amount: 1 });
    mock.sandbox.wallets.credit({ account: shop, mode: 'live', currency: 'EUR', amount: 1 });
    mock.sandbox.profile.set({ createStatus: 200 }, shop);
    mock.sandbox.accounts.suspend(shop);
    mock.sandbox.webhooks.collect({ account: shop });
    expect(await mock.sandbox.stateHash(shop)).not.toBe(before[0]);
    mock.sandbox.reset(shop);
    expect([await mock.sandbox.stateHash(shop), await hashOf(mock, b)]).toEqual(before);
    expect(mock.sandbox.accounts.list().map(({ name, suspended }) => [name, suspended])).toContainEqual([
      'shop',
      false,
    ]);
  });

  it('restores an account of the seed, and injects its faults again', async () => {
    const { mock, a } = share({
      initial: {
        accounts: [
          { name: 'shop', testKey: 'service_test_shop', balances: { USD: '5000.00' } },
          { name: 'bank', testKey: 'service_test_bank' },
        ],
        faults: [
          { kind: 'status', status: 500, account: 'shop' },
          { kind: 'status', status: 502, account: 'bank' },
          { kind: 'status', status: 503, operation: 'listTransactions' },
        ],
      },
    });
    const { sandbox } = mock;
    const shop = createCaller(mock, 'service_test_shop');
    const before = [await sandbox.stateHash(mock.account), await hashOf(mock, a)];
    expect((await shop.get('/balance')).status).toBe(500);
    sandbox.wallets.set({ currency: 'USD', amount: 1 });
    sandbox.faults.inject({ kind: 'html', account: a.id });
    sandbox.reset(mock.account);
    expect([await sandbox.stateHash(mock.account), await hashOf(mock, a)]).toEqual(before);
    const listed = sandbox.faults.list().map((fault) => [fault.kind, fault.account, fault.fired]);
    const bank = sandbox.accounts.find({ key: 'service_test_bank' }).id;
    expect(listed).toEqual([
      ['status', bank, 0],
      ['status', null, 0],
      ['html', a.id, 0],
      ['status', mock.account.id, 0],
    ]);
  });

  it('keeps the keys, so that the key of the job stays valid', async () => {
    const { mock, a } = share();
    const { testKey } = mock.sandbox.accounts.regenerateKey({ account: a.id });
    mock.sandbox.reset(a.id);
    expect((await createCaller(mock, testKey).get('/balance')).status).toBe(200);
    expect((await a.get('/balance')).status).toBe(401);
    expect(mock.sandbox.accounts.regenerateKey({ account: a.id }).testKey).not.toBe(testKey);
  });

  it('clears faults, rate limit and logged requests of that account only', async () => {
    const { mock, a, b } = share();
    const { faults, rateLimit, requests } = mock.sandbox;
    for (const { id, get } of [a, b]) {
      faults.inject({ kind: 'status', status: 500, account: id, operation: 'createQuote' });
      faults.inject({ target: 'delivery', kind: 'drop', account: id });
      rateLimit.set({ account: id, requests: 2, window: '1h' });
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

  it('cancels its transitions and retries, and leaves a running advance of the clock alone', async () => {
    const { mock, a, b } = share();
    const { promise: held, resolve: answer } = Promise.withResolvers<Response>();
    mock.sandbox.webhooks.collect({
      account: a.id,
      receive: async () => new Response(null, { status: 500 }),
    });
    mock.sandbox.webhooks.collect({ account: b.id, receive: () => held });
    await a.pay();
    const paid = await b.pay();
    await mock.sandbox.idle(a.id);
    const advanced = mock.sandbox.clock.advance('1h');
    mock.sandbox.reset(a.id);
    answer(new Response());
    await advanced;
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T13:00:00Z'));
    expect(mock.sandbox.webhooks.deliveries({ account: a.id })).toEqual([]);
    expect((await b.get(`/payments/${paid}`)).body.data.status).toBe('completed');
    expect(mock.sandbox.webhooks.deliveries({ account: b.id })).toMatchObject([
      { state: 'acknowledged' },
      { state: 'acknowledged' },
      { state: 'acknowledged' },
    ]);
  });

  it('keeps a reordered event of another account', async () => {
    const { mock, a, b } = share();
    for (const { id } of [a, b]) mock.sandbox.webhooks.collect({ account: id });
    for (const { pay } of [a, b]) await pay({ beneficiary_account: 'SIM-HOOK-SHUFFLE' });
    await mock.sandbox.clock.advance('2s');
    mock.sandbox.reset(a.id);
    await mock.sandbox.clock.advance('10s');
    const events = mock.sandbox.webhooks.collected({ account: b.id }).map(({ event }) => event);
    expect(events).toEqual(['payment.pending', 'payment.completed', 'payment.processing']);
  });

  it('releases the replaced state, also if it had transitions and retries in the future', async () => {
    const { mock, a } = share();
    mock.sandbox.webhooks.collect({
      account: a.id,
      receive: async () => new Response(null, { status: 500 }),
    });
    const forgotten = await (async () => {
      await a.pay();
      await mock.sandbox.idle();
      return new WeakRef(partsOf(mock).state.accounts.get(a.id)!.byMode.test);
    })();
    mock.sandbox.requests.clear();
    mock.sandbox.reset(a.id);
    await mock.sandbox.idle();
    await collectGarbage();
    expect(forgotten.deref()).toBeUndefined();
  });

  it('of an account without a baseline or an opening is rejected', async () => {
    const { mock, a } = share();
    const other = createMock({ clock: 'manual', accounts: 'open' });
    other.sandbox.restore(mock.sandbox.snapshot());
    expect(() => other.sandbox.reset(a.id)).toThrow('has no baseline. Set one with `baseline`.');
    other.sandbox.baseline(a.id);
    await createCaller(other, a.key).post('/payments', order());
    other.sandbox.reset(a.id);
    expect(await other.sandbox.stateHash(a.id)).toBe(await hashOf(mock, a));
  });

  it('still works after a restore of the whole sandbox in the same mock', async () => {
    const { mock, a } = share();
    const fresh = await hashOf(mock, a);
    await a.pay();
    mock.sandbox.restore(mock.sandbox.snapshot());
    mock.sandbox.reset(a.id);
    expect(await hashOf(mock, a)).toBe(fresh);
  });

  it('is rejected for an unknown account', () => {
    const { mock } = share();
    for (const call of ['reset', 'baseline', 'snapshot'] as const)
      expect(() => mock.sandbox[call]('acct_0')).toThrow('There is no account "acct_0".');
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

  it('is replaced by a later baseline of the whole sandbox, whose reset also ends it', async () => {
    const { mock, a } = share();
    const fresh = await hashOf(mock, a);
    await a.pay();
    mock.sandbox.baseline(a.id);
    mock.sandbox.reset();
    mock.sandbox.accounts.find({ key: a.key });
    mock.sandbox.reset(a.id);
    expect(await hashOf(mock, a)).toBe(fresh);
    await a.pay();
    mock.sandbox.baseline(a.id);
    await a.pay();
    const latest = await hashOf(mock, a);
    mock.sandbox.baseline();
    mock.sandbox.reset(a.id);
    expect(await hashOf(mock, a)).toBe(latest);
  });

  it('is not changed by later changes of the account', async () => {
    const { mock, a } = share();
    mock.sandbox.webhooks.collect({
      account: a.id,
      receive: async () => new Response(null, { status: 500 }),
    });
    await a.pay();
    await mock.sandbox.idle();
    mock.sandbox.baseline(a.id);
    for (let round = 0; round < 3; round += 1) {
      await mock.sandbox.clock.advance('10m');
      mock.sandbox.reset(a.id);
      expect(mock.sandbox.webhooks.deliveries({ account: a.id })).toMatchObject([{ attempts: [{}] }]);
    }
  });
});

describe('a snapshot of one account', () => {
  it('contains nothing of other accounts, and no seed', async () => {
    const { mock, a, b } = share({ seed: 'seed-of-the-mock' });
    await a.pay();
    const others = [b.id, b.key, await b.pay(), mock.account.testKey, mock.account.id, 'seed-of-the-mock'];
    others.push(mock.sandbox.accounts.get(b.id).liveKey, mock.sandbox.accounts.get(b.id).name);
    mock.sandbox.accounts.regenerateKey({ account: b.id });
    const text = JSON.stringify(mock.sandbox.snapshot(a.id));
    expect(text).toContain(a.id);
    expect(others.filter((each) => text.includes(each))).toEqual([]);
  });

  it('restores that account only, also from JSON text', async () => {
    const { mock, a, b } = share();
    mock.sandbox.webhooks.collect({ account: a.id });
    await a.pay({ beneficiary_account: 'SIM-PENDING' });
    await mock.sandbox.idle();
    const text = JSON.stringify(mock.sandbox.snapshot(a.id));
    const before = [await hashOf(mock, a)];
    const next = await a.pay();
    await b.pay();
    before.push(await hashOf(mock, b));
    mock.sandbox.restore(JSON.parse(text));
    expect([await hashOf(mock, a), await hashOf(mock, b)]).toEqual(before);
    expect(mock.sandbox.webhooks.deliveries({ account: a.id })).toHaveLength(1);
    expect(await a.pay()).toBe(next);
    expect(mock.sandbox.accounts.list()).toHaveLength(3);
  });

  it('continues with the transitions that became due in the meantime', async () => {
    const { mock, a } = share();
    const paid = await a.pay();
    const snapshot = mock.sandbox.snapshot(a.id);
    await mock.sandbox.clock.advance('1m');
    mock.sandbox.restore(snapshot);
    const status = async () => (await a.get(`/payments/${paid}`)).body.data.status;
    expect(await status()).toBe('pending');
    await mock.sandbox.clock.advance(0);
    expect(await status()).toBe('processing');
    expect((await a.get(`/payments/${paid}`)).body.data.created_at).toBe('2026-01-31T12:00:00+00:00');
  });

  it('adds the account with its keys to another mock with the same seed', async () => {
    const { mock, a } = share();
    const paid = await a.pay();
    const snapshot = mock.sandbox.snapshot(a.id);
    const other = createStillMock().mock;
    const before = await other.sandbox.stateHash(other.account);
    other.sandbox.restore(snapshot);
    expect(other.sandbox.accounts.get(a.id)).toEqual(mock.sandbox.accounts.get(a.id));
    expect((await createCaller(other, a.key).get(`/payments/${paid}`)).status).toBe(200);
    expect(await other.sandbox.stateHash(other.account)).toBe(before);
    expect(await other.sandbox.stateHash(a.id)).toBe(await hashOf(mock, a));
  });

  it.each<[title: string, change: (mock: Mock, job: Job) => Mock | Promise<void>, message: string]>([
    ['of a sandbox with another seed', () => createMock({ seed: 43, clock: 'manual' }), 'another seed'],
    [
      'that is later than the clock',
      () => createMock({ seed: 42, clock: 'manual', start: '2026-01-01T00:00:00Z' }),
      'is from 2026-01-31T12:00:00.000Z, which is later than the clock',
    ],
    [
      'whose key is in use',
      (_, { key }) => {
        const other = createMock({ seed: 42, clock: 'manual' });
        other.sandbox.accounts.create({ testKey: key });
        return other;
      },
      'A key of the account belongs to another account',
    ],
  ])('%s is rejected without a change', async (_, prepare, message) => {
    const { mock, a } = share();
    await a.pay();
    const target = (await prepare(mock, a)) as Mock;
    const before = await target.sandbox.stateHash();
    expect(() => target.sandbox.restore(mock.sandbox.snapshot(a.id))).toThrow(message);
    expect(await target.sandbox.stateHash()).toBe(before);
  });

  it('is rejected if it was edited, and as a data file', async () => {
    const { mock, a } = share();
    const snapshot = mock.sandbox.snapshot(a.id);
    const state = { ...snapshot.state, profile: 7 };
    expect(() => mock.sandbox.restore({ ...snapshot, state })).toThrow('checksum does not match');
    expect(() => mock.sandbox.restore({ ...snapshot, version: 1 as never })).toThrow('not a snapshot');
    const folder = await makeFolder();
    await writeFile(join(folder, 'data'), JSON.stringify(snapshot));
    await expect(keepData(createMock(), join(folder, 'data'))).rejects.toThrow('a snapshot of one account');
  });
});

describe('a data file', () => {
  it('stores resets and restores of one account, and the changes after them', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'data');
    const { mock, a, b } = share();
    const data = await keepData(mock, path);
    mock.sandbox.webhooks.collect({ account: a.id });
    await a.pay();
    await b.pay();
    mock.sandbox.profile.set({ createStatus: 202 }, a.id);
    const snapshot = mock.sandbox.snapshot(a.id);
    await a.pay();
    mock.sandbox.reset(a.id);
    const afterReset = await a.pay();
    mock.sandbox.reset(b.id);
    mock.sandbox.restore(snapshot);
    await a.pay();
    const expected = mock.sandbox.snapshot();
    await data.close();
    const second = createMock({ clock: 'manual', accounts: 'open' });
    const again = await keepData(second, path);
    expect(second.sandbox.snapshot().state).toEqual(expected.state);
    expect((await createCaller(second, a.key).get(`/payments/${afterReset}`)).status).toBe(200);
    second.sandbox.reset(a.id);
    expect(second.sandbox.snapshot().state.accounts).toEqual(expected.state.accounts);
    expect(again.isRestored).toBe(true);
    await again.close();
  });
});

describe('operations on one account', () => {
  it('idle does not wait for the receivers of another account', async () => {
    const { mock, a, b } = share();
    mock.sandbox.webhooks.collect({ account: a.id });
    mock.sandbox.webhooks.collect({ account: b.id, receive: () => new Promise(() => {}) });
    await b.pay();
    await a.pay();
    await mock.sandbox.idle(a.id);
    expect(mock.sandbox.webhooks.deliveries({ account: a.id })).toMatchObject([{ state: 'acknowledged' }]);
    expect(mock.sandbox.webhooks.deliveries({ account: b.id })).toMatchObject([{ state: 'queued' }]);
  });

  it('stateHash ignores other accounts, the default profile and the time', async () => {
    const { mock, a, b } = share();
    const before = await hashOf(mock, a);
    await b.pay();
    mock.sandbox.accounts.create();
    await mock.sandbox.clock.advance('1h');
    expect(await hashOf(mock, a)).toBe(before);
    await a.pay();
    expect(await hashOf(mock, a)).not.toBe(before);
  });

  it('rateLimit.set replaces the limit of all accounts for one', async () => {
    const { mock, a, b } = share();
    const { rateLimit } = mock.sandbox;
    const count = async ({ get }: Job): Promise<number> => {
      let allowed = 0;
      while (allowed < 5 && (await get('/balance')).status === 200) allowed += 1;
      return allowed;
    };
    rateLimit.set({ requests: 2, window: '1m' });
    rateLimit.set({ account: a.id, requests: 3, window: '1m' });
    expect([await count(a), await count(b)]).toEqual([3, 2]);
    rateLimit.set({ requests: 1, window: '1m' });
    expect([await count(a), await count(b)]).toEqual([0, 1]);
    rateLimit.clear(a.id);
    expect([await count(a), await count(b)]).toEqual([1, 0]);
    rateLimit.clear();
    expect([await count(a), await count(b)]).toEqual([5, 5]);
  });

  it('faults.list keeps 100 used-up faults for each account', async () => {
    const { mock, a, b } = share();
    mock.sandbox.faults.inject({ kind: 'status', status: 500, account: b.id });
    await b.get('/balance');
    for (let count = 0; count < 102; count += 1) {
      mock.sandbox.faults.inject({ kind: 'status', status: 500, account: a.id });
      await a.get('/balance');
    }
    expect(mock.sandbox.faults.list(a.id)).toHaveLength(100);
    expect(mock.sandbox.faults.list(b.id)).toMatchObject([{ fired: 1 }]);
  });

  it('faults of one account and of all accounts fire in injection order', async () => {
    const { mock, a } = share();
    for (const [status, account] of [
      [500, a.id],
      [503, undefined],
      [500, a.id],
    ] as const)
      mock.sandbox.faults.inject({ kind: 'status', status, ...(account && { account }) });
    const answers = [await a.get('/balance'), await a.get('/balance'), await a.get('/balance')];
    expect(answers.map(({ status }) => status)).toEqual([500, 503, 500]);
  });

  it('a reset makes live pages read everything again', async () => {
    const { mock, a } = share();
    const ended = new AbortController();
    const events = createChangeFeed(partsOf(mock), 'x').stream({}, ended.signal);
    const stream = events[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await stream.next()).value);
    expect(await next()).toContain('"isReset":true');
    await a.pay();
    expect(await next()).toContain('"payments"');
    mock.sandbox.reset(a.id);
    expect(await next()).toContain('"isReset":true');
    ended.abort();
  });
});
