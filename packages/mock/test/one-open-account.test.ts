import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mock } from '@service/mock';
import { keepData } from '@service/mock/node';
import { createOpenMock, partsOf } from './control-support.ts';
import { createCaller, order } from './support.ts';

// Operations on one account that a key has opened, before and after the account expires.

const HOUR = 3_600_000;
const KEY = 'service_test_job_1';

async function pay(mock: Mock, key = KEY): Promise<string> {
  return String((await createCaller(mock, key).post('/payments', order())).body.data.id);
}

/** Returns the ids of an account: those of its payments, transactions and deliveries, and its signing secret. */
async function listIds(mock: Mock): Promise<string[]> {
  const { id: account } = mock.sandbox.accounts.find({ key: KEY });
  const { secret } = mock.sandbox.webhooks.setEndpoint({ account, url: 'http://localhost:9/' });
  const paid = [await pay(mock), await pay(mock)];
  const deliveries = mock.sandbox.webhooks.deliveries({ account }).map(({ id }) => id);
  return [secret, ...paid, ...deliveries, ...(await listRows(mock))];
}

async function listRows(mock: Mock): Promise<string[]> {
  const { body } = await createCaller(mock, KEY).get('/transactions');
  return (body.data.transactions as { id: string }[]).map(({ id }) => id);
}

const countPayments = (mock: Mock, account: string): number =>
  mock.sandbox.snapshot(account).state.accounts[0]!.modes.test.payments.length;

/** A mock in which the account of the key was opened, has paid and has expired. */
async function expire(prepare: (mock: Mock, account: string) => unknown = () => {}) {
  const { mock, wait } = createOpenMock({ expireAccounts: '1h', fetch: async () => new Response() });
  const { id } = mock.sandbox.accounts.find({ key: KEY });
  await prepare(mock, id);
  const ids = await listIds(mock);
  await mock.sandbox.idle();
  const snapshot = mock.sandbox.snapshot(id);
  wait(HOUR);
  await createCaller(mock, 'service_test_other').get('/balance');
  expect(mock.sandbox.snapshot().state.accounts.map((account) => account.id)).not.toContain(id);
  return { mock, wait, id, ids, snapshot };
}

describe('a reset of an account that was opened again after it has expired', () => {
  it('restores the state of its second opening, and issues no id of the first one', async () => {
    const { mock, id, ids } = await expire();
    mock.sandbox.accounts.find({ key: KEY });
    const opened = await mock.sandbox.stateHash(id);
    const second = await listIds(mock);
    expect(ids.filter((each) => second.includes(each))).toEqual([]);
    mock.sandbox.reset(id);
    expect(await mock.sandbox.stateHash(id)).toBe(opened);
    expect(await listIds(mock)).toEqual(second);
  });

  it('uses no baseline of the expired account, and injects none of its faults', async () => {
    const { mock, id } = await expire((prepared, account) => {
      prepared.sandbox.wallets.set({ account, currency: 'USD', amount: 1 });
      prepared.sandbox.baseline(account);
      prepared.sandbox.faults.inject({ kind: 'status', status: 500, operation: 'createQuote', account });
      prepared.sandbox.faults.inject({ target: 'delivery', kind: 'duplicate', account });
      prepared.sandbox.rateLimit.set({ account, requests: 5, window: '1h' });
      prepared.sandbox.wallets.set({ account, currency: 'USD', amount: 1_000_000 });
    });
    expect(partsOf(mock).accountBaselines.size).toBe(0);
    expect(mock.sandbox.faults.list()).toEqual([]);
    const { get } = createCaller(mock, KEY);
    const first = await get('/balance');
    for (let count = 0; count < 6; count += 1) expect((await get('/balance')).status).toBe(200);
    mock.sandbox.reset(id);
    expect((await get('/balance')).body.data).toEqual(first.body.data);
    expect(first.body.data).toMatchObject({ balances: [{ balance: 100_000 }, {}, {}] });
  });

  it('restores a baseline of the sandbox that contains the account, and issues no id of it', async () => {
    const { mock, id, ids } = await expire((prepared) => prepared.sandbox.baseline());
    mock.sandbox.accounts.find({ key: KEY });
    mock.sandbox.reset(id);
    const rows = await listRows(mock);
    const others = (await listIds(mock)).filter((each) => !rows.includes(each));
    expect(others.length).toBeGreaterThan(4);
    expect(ids.filter((each) => others.includes(each))).toEqual([]);
  });

  it('is stored in a data file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'open-account-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'data');
    const { mock, wait } = createOpenMock({ expireAccounts: '1h' });
    const data = await keepData(mock, file);
    await pay(mock);
    wait(HOUR);
    const { id } = mock.sandbox.accounts.find({ key: KEY });
    await pay(mock);
    mock.sandbox.reset(id);
    await data.close();
    const next = createOpenMock({ expireAccounts: '1h' }).mock;
    await using _ = await keepData(next, file);
    expect(next.sandbox.snapshot().state).toEqual(mock.sandbox.snapshot().state);
    expect(await pay(next)).toBe(await pay(mock));
  });
});

describe('a snapshot of an account that has expired', () => {
  it('restores the account, which issues no id again, counts as open and expires again', async () => {
    const { mock, wait, id, ids, snapshot } = await expire();
    mock.sandbox.restore(snapshot);
    expect(countPayments(mock, id)).toBe(2);
    expect(ids).not.toContain(await pay(mock));
    wait(HOUR);
    await createCaller(mock, 'service_test_other').get('/balance');
    expect(mock.sandbox.snapshot().state.accounts.map((account) => account.id)).not.toContain(id);
  });

  it('issues no id of the account that its key has opened in the meantime', async () => {
    const { mock, wait, ids, snapshot } = await expire();
    ids.push(...(await listIds(mock)));
    wait(HOUR);
    await createCaller(mock, 'service_test_other').get('/balance');
    mock.sandbox.restore(snapshot);
    const before = new Set(ids);
    expect(before).not.toContain(await pay(mock));
  });

  it('is rejected at the limit of open accounts, and changes nothing', async () => {
    const { mock } = createOpenMock({ maxAccounts: 1 });
    const copy = createOpenMock().mock;
    await pay(copy);
    const snapshot = copy.sandbox.snapshot(copy.sandbox.accounts.find({ key: KEY }));
    await pay(mock, 'service_test_other');
    const before = mock.sandbox.snapshot();
    expect(() => mock.sandbox.restore(snapshot)).toThrow('Keys have opened 1 account');
    expect(mock.sandbox.snapshot()).toEqual(before);
  });

  it('ends a running request of the key, which has only read since then', async () => {
    const { mock, id, snapshot } = await expire();
    mock.sandbox.faults.inject({ kind: 'latency', ms: 1000, operation: 'getBalance' });
    const response = createCaller(mock, KEY).get('/balance');
    mock.sandbox.restore(snapshot);
    await mock.sandbox.clock.advance('2s');
    expect((await response).status).toBe(503);
    expect(countPayments(mock, id)).toBe(2);
  });
});

describe('idle of one account', () => {
  it('ends with a reset of the account, and not with that of another account', async () => {
    const { mock } = createOpenMock();
    const accounts = ['a', 'b'].map((name) => mock.sandbox.accounts.find({ key: `service_test_${name}` }).id);
    const [a = '', b = ''] = accounts;
    const receivers = accounts.map(() => Promise.withResolvers<void>());
    accounts.forEach((account, index) => {
      mock.sandbox.webhooks.collect({ account, receive: () => receivers[index]?.promise as Promise<never> });
    });
    await pay(mock, 'service_test_a');
    await pay(mock, 'service_test_b');
    const ended: string[] = [];
    const waits = [a, b, undefined].map((account) =>
      mock.sandbox.idle(account).then(() => ended.push(account ?? 'all')),
    );
    mock.sandbox.reset(a);
    await waits[0];
    expect(ended).toEqual([a]);
    expect(partsOf(mock).deliveries.countPending()).toBe(1);
    receivers[1]?.resolve();
    await Promise.all(waits);
    expect(partsOf(mock).deliveries.countPending()).toBe(0);
    receivers[0]?.resolve();
    await mock.sandbox.idle();
    expect(partsOf(mock).deliveries.countPending()).toBe(0);
  });
});
