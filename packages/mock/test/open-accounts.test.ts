import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { keepData } from '@service/mock/node';
import { createOpenMock } from './control-support.ts';
import { createCaller, order } from './support.ts';

const HOUR = 3_600_000;
const KEY = 'service_test_job_1';

/** Creates a payment and returns its id. */
async function pay(mock: Mock, key: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await createCaller(mock, key).post('/payments', order(fields));
  expect(status).toBe(201);
  return String(body.data.id);
}

/** Reads the ids of all transactions of a key, newest first. */
async function listRows(mock: Mock, key: string): Promise<string[]> {
  const { body } = await createCaller(mock, key).get('/transactions');
  return (body.data.transactions as { id: string }[]).map(({ id }) => id);
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'open-accounts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const isStored = (mock: Mock, key: string): boolean => {
  const { accounts } = mock.sandbox.snapshot().state;
  return accounts.some(({ keys }) => keys.test === key);
};

describe('a key that only reads', () => {
  it('gets the opening balances without a change of the state', async () => {
    const { mock } = createOpenMock();
    const before = mock.sandbox.snapshot();
    const { get, post } = createCaller(mock, KEY);
    expect((await get('/balance')).body.data).toMatchObject({
      balances: [{ balance: 100_000 }, { balance: 100_000 }, { balance: 100_000 }],
    });
    expect((await get('/transactions')).body.data.transactions).toHaveLength(3);
    expect((await get('/payments/pay_test_000001aaaaaaaaaaaaaaaaaa')).status).toBe(404);
    expect((await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 1 })).status).toBe(200);
    expect((await post('/payments', { amount: 'none' })).status).toBe(422);
    expect(mock.sandbox.snapshot()).toEqual(before);
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });
});

describe('maxAccounts', () => {
  it('rejects the payment of one more key, and no other request', async () => {
    const { mock } = createOpenMock({ maxAccounts: 2 });
    await pay(mock, 'service_test_a');
    await pay(mock, 'service_test_b');
    const { get, post } = createCaller(mock, 'service_test_c');
    const { status, body } = await post('/payments', order());
    expect([status, body.error]).toEqual([
      403,
      {
        type: 'permission_error',
        message:
          'Keys have opened 2 accounts, the maximum of this sandbox. Use one of those keys, or restart the sandbox with a higher limit or an expiry of idle accounts.',
      },
    ]);
    expect((await get('/balance')).status).toBe(200);
    await pay(mock, 'service_test_a');
    await pay(mock, mock.account.testKey);
    expect(mock.sandbox.accounts.list()).toHaveLength(3);
  });

  it('removes the least recently used open account if accounts expire', async () => {
    const { mock } = createOpenMock({ maxAccounts: 2, expireAccounts: '1h' });
    mock.sandbox.accounts.create({ name: 'never removed' });
    await pay(mock, 'service_test_a');
    await pay(mock, 'service_test_b');
    await createCaller(mock, 'service_test_a').get('/balance');
    await pay(mock, 'service_test_c');
    expect(['a', 'b', 'c'].map((name) => isStored(mock, `service_test_${name}`))).toEqual([
      true,
      false,
      true,
    ]);
    expect(mock.sandbox.accounts.list()).toHaveLength(4);
  });
});

describe('expireAccounts', () => {
  it('removes an open account after its idle time, and no other one', async () => {
    const { mock, wait } = createOpenMock({ expireAccounts: '24h' });
    const id = await pay(mock, KEY);
    await pay(mock, 'service_test_job_2');
    wait(23 * HOUR);
    await createCaller(mock, 'service_test_job_2').get('/balance');
    wait(HOUR);
    const { get } = createCaller(mock, KEY);
    expect((await get(`/payments/${id}`)).status).toBe(404);
    expect((await get('/balance')).body.data).toMatchObject({ balances: [{}, {}, { balance: 100_000 }] });
    expect([KEY, 'service_test_job_2'].map((key) => isStored(mock, key))).toEqual([false, true]);
    expect(mock.sandbox.accounts.list()).toHaveLength(2);
  });

  it('never issues an id again, over restores and restarts with a data file', async () => {
    const file = join(await createFolder(), 'data');
    const seen = new Set<string>();
    const see = (id: string): void => {
      expect(seen).not.toContain(id);
      seen.add(id);
    };
    let { mock, wait } = createOpenMock({ expireAccounts: '1h' });
    let data = await keepData(mock, file);
    const states: unknown[] = [];
    const restart = async (): Promise<void> => {
      states.push(mock.sandbox.snapshot().state);
      await data.close();
      ({ mock, wait } = createOpenMock({ expireAccounts: '1h' }));
      data = await keepData(mock, file);
      states.push(mock.sandbox.snapshot().state);
    };
    const move = async (): Promise<void> => {
      const other = createOpenMock({ expireAccounts: '1h' });
      other.mock.sandbox.restore(JSON.parse(JSON.stringify(mock.sandbox.snapshot())));
      await data.close();
      await rm(file);
      ({ mock, wait } = other);
      data = await keepData(mock, file);
    };
    const restore = async (): Promise<void> => mock.sandbox.restore(mock.sandbox.snapshot());
    const steps = [async () => {}, restore, move, restart, restart, restart];
    for (let round = 0; round < steps.length; round += 1) {
      const account = mock.sandbox.accounts.find({ key: KEY });
      const { secret } = mock.sandbox.webhooks.setEndpoint({ account, url: 'http://localhost:9/' });
      see(secret);
      mock.sandbox.wallets.credit({ account, mode: 'live', currency: 'USD', amount: '5000.00' });
      see(mock.sandbox.payments.create({ ...order(), account, mode: 'live' } as never).id);
      for (let count = 0; count <= round; count += 1) see(await pay(mock, KEY));
      await mock.sandbox.clock.advance('10m');
      for (const mode of ['test', 'live'] as const)
        for (const { id } of mock.sandbox.webhooks.deliveries({ account, mode })) see(id);
      for (const id of await listRows(mock, KEY)) see(id);
      for (const id of await listRows(mock, account.liveKey)) see(id);
      wait(HOUR);
      await createCaller(mock, 'service_test_other').get('/balance');
      expect(isStored(mock, KEY)).toBe(false);
      await steps[round]?.();
    }
    await data.close();
    for (let index = 0; index < states.length; index += 2) expect(states[index + 1]).toEqual(states[index]);
    expect(states).toHaveLength(6);
    expect(seen.size).toBeGreaterThan(100);
  });
});

describe('the limits of open accounts', () => {
  it.each([
    [{ maxAccounts: 0 }, 'createMock: maxAccounts must be a whole number from 1 to 1000000'],
    [{ maxAccounts: 1.5 }, 'createMock: maxAccounts must be a whole number from 1 to 1000000'],
    [{ maxAccounts: '5' }, 'createMock: maxAccounts must be a whole number from 1 to 1000000'],
    [{ expireAccounts: '24' }, "createMock: expireAccounts must be a duration from '1s' to '365d'"],
    [{ expireAccounts: 0 }, "createMock: expireAccounts must be a duration from '1s' to '365d'"],
    [{ expireAccounts: '366d' }, "createMock: expireAccounts must be a duration from '1s' to '365d'"],
  ])('rejects %j', (options, message) => {
    expect(() => createMock({ accounts: 'open', ...options } as never)).toThrow(message);
  });
});
