import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { createOpenMock } from './control-support.ts';
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
});
