import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { partsOf } from './control-support.ts';
import { createCaller, createStillMock, order } from './support.ts';

const KEY = 'service_test_of_my_own';

function createOpenMock(options: MockOptions = {}): Mock {
  return createStillMock({ accounts: 'open', ...options }).mock;
}

describe("accounts: 'open'", () => {
  it('opens an account with the default balances for an unused test key', async () => {
    const mock = createOpenMock();
    const { get } = createCaller(mock, KEY);
    expect((await get('/balance')).body).toEqual({
      success: true,
      mode: 'test',
      data: {
        balances: ['EUR', 'GBP', 'USD'].map((currency) => ({ currency, balance: 100_000 })),
      },
    });
    expect((await get('/transactions')).body.data.transactions).toHaveLength(3);
    expect(mock.sandbox.accounts.list()).toHaveLength(2);
  });

  it('isolates the accounts of keys from each other and from the first account', async () => {
    const mock = createOpenMock();
    const mine = createCaller(mock, KEY);
    const { id } = (await mine.post('/payments', order())).body.data as { id: string };
    for (const key of ['service_test_of_somebody_else', mock.account.testKey]) {
      const { status } = await createCaller(mock, key).get(`/payments/${id}`);
      expect(status).toBe(404);
    }
    expect((await mine.get(`/payments/${id}`)).status).toBe(200);
  });

  it('opens one account for concurrent first requests with one key', async () => {
    const mock = createOpenMock();
    const { post, get } = createCaller(mock, KEY);
    const created = await Promise.all(Array.from({ length: 50 }, () => post('/payments', order())));
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await get('/balance')).body.data).toMatchObject({ balances: [{}, {}, { balance: 50_000 }] });
    expect(mock.sandbox.accounts.list()).toHaveLength(2);
  });

  it('derives ids from key and seed', async () => {
    const accountOf = (seed: number, key: string): object => {
      const { id, name, liveKey } = createOpenMock({ seed }).sandbox.accounts.find({ key });
      return { id, name, liveKey };
    };
    expect(accountOf(1, KEY)).toEqual(accountOf(1, KEY));
    for (const other of [accountOf(2, KEY), accountOf(1, `${KEY}2`)]) {
      const names = Object.values(accountOf(1, KEY));
      expect(Object.values(other).filter((text) => names.includes(text))).toEqual([]);
    }
  });

  it('has a live key, and does not reveal the test key in the id, the name or the list of accounts', async () => {
    const mock = createOpenMock();
    const { accounts } = mock.sandbox;
    const { id, name, testKey, liveKey } = accounts.find({ key: KEY });
    expect([testKey, id, name, liveKey]).toEqual([
      KEY,
      expect.stringMatching(/^acct_[0-9A-Za-z]{16}$/),
      expect.stringMatching(/^open-[0-9A-Za-z]{12}$/),
      expect.stringMatching(/^service_live_[0-9A-Za-z]{32}$/),
    ]);
    expect(JSON.stringify([id, name, liveKey, accounts.list()])).not.toContain('of_my_own');
    expect((await createCaller(mock, liveKey).get('/balance')).body).toMatchObject({
      mode: 'live',
      data: { balances: [{ balance: 0 }, {}, {}] },
    });
  });

  it('responds 401 to other keys, and opens nothing', async () => {
    const mock = createOpenMock();
    const before = await mock.sandbox.stateHash();
    for (const key of [
      'service_live_of_my_own',
      'service_test_',
      'SERVICE_TEST_of_my_own',
      'sk_test_of_my_own',
      'service_test_of my own',
      'service_test_m\u00fcnchen',
      `service_test_${'k'.repeat(256)}`,
    ]) {
      expect([key, (await createCaller(mock, key).get('/balance')).status]).toEqual([key, 401]);
      expect(() => mock.sandbox.accounts.find({ key })).toThrow(/No account has this key/);
    }
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('rejects a replaced key', async () => {
    const mock = createOpenMock();
    await createCaller(mock, KEY).post('/payments', order());
    const { id, testKey } = mock.sandbox.accounts.regenerateKey({
      account: mock.sandbox.accounts.find({ key: KEY }),
    });
    expect((await createCaller(mock, KEY).get('/balance')).status).toBe(401);
    expect(() => mock.sandbox.accounts.find({ key: KEY })).toThrow('No account has this key.');
    expect(testKey).not.toBe(KEY);
    expect(mock.sandbox.accounts.find({ key: testKey }).id).toBe(id);
    const { body } = await createCaller(mock, testKey).get('/transactions?type=payment');
    expect(body.data.transactions).toHaveLength(1);
    const old = mock.account.testKey;
    mock.sandbox.accounts.regenerateKey();
    expect((await createCaller(mock, old).get('/balance')).status).toBe(401);
  });

  it('opens at most 10 000 accounts: rejects each request of one more key, and no request of another key', async () => {
    const mock = createOpenMock();
    mock.sandbox.accounts.find({ key: KEY });
    const { accounts } = partsOf(mock).state;
    const pretend = (size: number): object =>
      Object.defineProperty(accounts, 'size', { value: size, configurable: true });
    const { get, post } = createCaller(mock, 'service_test_c');
    pretend(10_001);
    const message =
      'The sandbox has more than 10000 accounts, so keys open no further ones. Use one of its keys, or reset it.';
    for (const { status, body } of [await post('/payments', order()), await get('/balance')])
      expect([status, body.error]).toEqual([403, { type: 'permission_error', message }]);
    expect((await createCaller(mock, KEY).post('/payments', order())).status).toBe(201);
    expect((await createCaller(mock).post('/payments', order())).status).toBe(201);
    pretend(10_000);
    expect((await createCaller(mock, 'service_test_d').post('/payments', order())).status).toBe(201);
    Reflect.deleteProperty(accounts, 'size');
    mock.sandbox.reset();
    expect((await post('/payments', order())).status).toBe(201);
  });
});

describe("accounts: 'strict'", () => {
  it('is the default and accepts only issued keys', async () => {
    const mock = createMock({ clock: 'manual' });
    expect((await createCaller(mock, KEY).get('/balance')).status).toBe(401);
    expect(() => mock.sandbox.accounts.find({ key: KEY })).toThrow(
      "No account has this key; with createMock({ accounts: 'open' }) a test key of your own opens an account.",
    );
  });

  it('finds an account by either key', () => {
    const { accounts } = createStillMock().mock.sandbox;
    const account = accounts.create({ name: 'mine' });
    expect(accounts.find({ key: account.testKey })).toEqual(account);
    expect(accounts.find({ key: account.liveKey })).toEqual(account);
    expect(accounts.get(account.id)).toEqual(account);
    expect(accounts.get(account)).toEqual(account);
  });

  it('lists the accounts in order, without keys', () => {
    const { mock } = createStillMock();
    const { id } = mock.sandbox.accounts.create({ name: 'second' });
    mock.sandbox.accounts.suspend(id);
    expect(mock.sandbox.accounts.list()).toEqual([
      { id: mock.account.id, name: 'default', suspended: false },
      { id, name: 'second', suspended: true },
    ]);
  });

  it('does not repeat a rejected key', () => {
    const { accounts } = createStillMock().mock.sandbox;
    for (const act of [
      () => accounts.find(KEY as never),
      () => accounts.find({ key: KEY }),
      () => accounts.get(KEY),
      () => accounts.suspend({ id: KEY }),
    ]) {
      expect(act).toThrow(expect.objectContaining({ message: expect.not.stringContaining('of_my_own') }));
    }
  });
});
