import { describe, expect, test, vi } from 'vitest';
import {
  createDuplicateGuard,
  createMemoryStore,
  type DuplicateRecord,
  type DuplicateStore,
} from '../src/index.ts';
import { clientAnswering, failure, payment, paymentInput, rejection, success } from './service.ts';

const reset = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
const reference = 'order-42';

/** A client with a guard over a store, in front of these answers. */
function guarded(
  answers: Parameters<typeof clientAnswering>[0],
  store: DuplicateStore = createMemoryStore(),
) {
  const duplicateGuard = createDuplicateGuard(store);
  return { ...clientAnswering(answers, { duplicateGuard, onWarning: () => {} }), duplicateGuard, store };
}

const countPosts = (requests: readonly Request[]): number =>
  requests.filter(({ method }) => method === 'POST').length;

test('a second create while the first one runs is given its payment', async () => {
  let answer: ((response: Response) => void) | undefined;
  const first = (): Promise<Response> => new Promise((resolve) => (answer = resolve));
  const { service, requests } = guarded([first, success(payment)]);
  const calls = [1, 2, 3].map(() => service.payments.create(paymentInput, { reference }));
  await expect.poll(() => answer).toBeDefined();
  answer?.(success(payment, 201));
  for (const made of await Promise.all(calls)) expect(made).toMatchObject({ id: payment.id });
  expect(countPosts(requests)).toBe(1);
});

test('a second create while the first one runs is made when that is refused', async () => {
  const { service, requests } = guarded([failure(422, 'insufficient_funds'), success(payment, 201)]);
  const calls = [1, 2].map(() => service.payments.create(paymentInput, { reference }));
  const results = (await Promise.allSettled(calls)).toSorted((a, b) => a.status.localeCompare(b.status));
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { id: payment.id } },
    { status: 'rejected', reason: { name: 'InsufficientFundsError' } },
  ]);
  expect(countPosts(requests)).toBe(2);
});

test('of many that wait while the first one is refused, one is made and the others are given it', async () => {
  let refuse: (() => void) | undefined;
  const first = (): Promise<Response> =>
    new Promise((resolve) => (refuse = () => resolve(failure(422, 'insufficient_funds'))));
  const slow = async (): Promise<Response> => {
    await new Promise((resolve) => setImmediate(resolve));
    return success(payment, 201);
  };
  const { service, requests } = guarded([first, slow, success(payment)]);
  const digest = vi.spyOn(crypto.subtle, 'digest');
  const calls = Array.from({ length: 8 }, () => service.payments.create(paymentInput, { reference }));
  const settled = Promise.allSettled(calls);
  await expect.poll(() => refuse).toBeDefined();
  await Promise.all(digest.mock.results.map(({ value }) => value as Promise<unknown>));
  await new Promise((resolve) => setImmediate(resolve));
  refuse?.();
  const failed = (await settled).filter(({ status }) => status === 'rejected');
  expect(failed).toMatchObject([{ reason: { name: 'InsufficientFundsError' } }]);
  expect(countPosts(requests)).toBe(2);
});

test('an amount is the same as a number and as text', async () => {
  const { service, requests } = guarded([success(payment, 201), success(payment)]);
  await service.payments.create({ ...paymentInput, amount: 100, from_currency: 'usd' }, { reference });
  const again = await service.payments.create({ ...paymentInput, amount: '100.00' }, { reference });
  expect(again).toMatchObject({ id: payment.id });
  expect(countPosts(requests)).toBe(1);
});

describe('a reference in doubt', () => {
  test('is settled by reconciling what was asked for, after the error is gone', async () => {
    const row = { id: 'txn_1', type: 'payment', currency: 'USD', amount: -100, payment_id: payment.id };
    const transactions = [{ ...row, status: 'completed', created_at: payment.created_at }];
    const list = success({ transactions, pagination: { has_more: false } });
    const { service, requests } = guarded([reset, list, success(payment), success(payment)]);
    await rejection(service.payments.create(paymentInput, { reference }));
    const { beneficiary_name: _name, beneficiary_account: _account, ...asked } = paymentInput;
    const intent = { ...asked, since: payment.created_at, reference };
    expect(await service.payments.reconcile(intent)).toMatchObject({ result: 'found' });
    expect(await service.payments.create(paymentInput, { reference })).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  test('is free once a person releases it', async () => {
    const { service, requests, duplicateGuard } = guarded([reset, success(payment, 201)]);
    await rejection(service.payments.create(paymentInput, { reference }));
    expect(await rejection(service.payments.create(paymentInput, { reference }))).toMatchObject({
      name: 'IdempotencyError',
      outcome: 'not_sent',
    });
    await duplicateGuard.release(reference);
    expect(await service.payments.create(paymentInput, { reference })).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(2);
  });

  test('stays with its payment when it is released after all', async () => {
    const { service, requests, duplicateGuard } = guarded([success(payment, 201), success(payment)]);
    await service.payments.create(paymentInput, { reference });
    await duplicateGuard.release(reference);
    await service.payments.create(paymentInput, { reference });
    expect(countPosts(requests)).toBe(1);
  });
});

describe('a store', () => {
  test('that refuses a new doubt over an old one, and nothing else, holds processes apart', async () => {
    const records = new Map<string, DuplicateRecord>();
    const store: DuplicateStore = {
      get: () => undefined,
      put: (name, record) => {
        const before = records.get(name)?.state ?? 'none';
        if (record.state === 'unknown' && before !== 'none') throw new Error('taken');
        records.set(name, record);
      },
    };
    const [one, two] = [guarded([success(payment, 201)], store), guarded([success(payment, 201)], store)];
    const results = await Promise.allSettled(
      [one, two].map(({ service }) => service.payments.create(paymentInput, { reference })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(countPosts([...one.requests, ...two.requests])).toBe(1);
    expect(records.get(reference)).toMatchObject({ state: 'created', id: payment.id });
  });

  test('may say null for what it does not know', async () => {
    const { service } = guarded([success(payment, 201)], { get: () => null, put: () => {} });
    expect(await service.payments.create(paymentInput, { reference })).toMatchObject({ id: payment.id });
  });

  test.each(['{"digest":"d","state":"created"}', {}, 5, true])('that gives %o is refused', async (record) => {
    const store = { get: () => record, put: () => {} } as unknown as DuplicateStore;
    const { service, requests } = guarded([success(payment, 201)], store);
    const error = await rejection(service.payments.create(paymentInput, { reference }));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    expect(String(error)).toContain('Is its JSON parsed?');
    expect(requests).toHaveLength(0);
  });

  test.each([undefined, null, {}, { get: () => {}, set: () => {} }, new Map()])('%o is none', (store) => {
    expect(() => createDuplicateGuard(store as never)).toThrow('get and put');
  });
});

test('reconcile says that it takes the error itself, not its cause', async () => {
  const { service } = guarded([reset]);
  const error = (await rejection(service.payments.create(paymentInput))) as Error;
  const refused = await rejection(service.payments.reconcile(error.cause as never));
  expect(String(refused)).toContain('PaymentOutcomeUnknownError');
  expect(refused).toMatchObject({ outcome: 'not_sent' });
});

test('reconcile takes what was kept of the error as JSON', async () => {
  const { service } = guarded([reset, success({ transactions: [], pagination: { has_more: false } })]);
  const error = await rejection(service.payments.create(paymentInput));
  const kept = JSON.parse(JSON.stringify(error)) as never;
  expect(await service.payments.reconcile(kept)).toEqual({ result: 'not_found_yet' });
});
