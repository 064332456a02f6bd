import { describe, expect, it } from 'vitest';
import { createMemoryStore, reconcileAll } from '../../src/entries/intents.ts';
import {
  createClient,
  PaymentOutcomeUnknownError,
  type Payment,
  type PaymentInput,
} from '../../src/index.ts';
import { assembleClient } from '../../src/client.ts';
import { systemClock } from '../../src/transport/deadline.ts';
import { createPaymentService, type ServiceOptions } from '../payment-service.ts';
import { intentOf } from './store-contract.ts';
import { onRequest } from '../../../../test/support/on-request.ts';

const nameOf = (index: number): string => `Supplier ${String(index).padStart(2, '0')}`;

const bodyOf = (name: string, amount = '10.00'): PaymentInput => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount,
  beneficiary_name: name,
  purpose: 'Rent November',
});

function setUp(options: ServiceOptions = {}) {
  const service = createPaymentService(options);
  const client = createClient({
    apiKey: 'service_test_1',
    baseUrl: 'http://localhost:1/api/v1',
    fetch: onRequest(service.fetch),
    maxRetries: 0,
    readLag: 0,
  });
  const lose = async (when: 'before' | 'after', body: PaymentInput): Promise<PaymentOutcomeUnknownError> => {
    service.loseNext(when);
    const error: unknown = await client.payments.create(body).catch((thrown: unknown) => thrown);
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    return error;
  };
  return { service, client, lose };
}

describe('reconcileAll', () => {
  it('finds the payments of many creates in one walk, and retrieves each payment once', async () => {
    const { client, service, lose } = setUp();
    // The client learns that the service returns all fields as sent.
    await client.payments.create({ ...bodyOf('Known Ltd'), beneficiary_account: '1' });
    const errors: PaymentOutcomeUnknownError[] = [];
    for (let index = 0; index < 20; index += 1)
      errors.push(await lose(index % 2 === 0 ? 'after' : 'before', bodyOf(nameOf(index))));
    service.requests.length = 0;
    const { results, isComplete } = await reconcileAll(client, errors);
    expect(isComplete).toBe(true);
    expect(results.map((one) => one?.result)).toEqual(
      errors.map((_, index) => (index % 2 === 0 ? 'found' : 'not_found_yet')),
    );
    const names = results.map((one) => (one?.result === 'found' ? one.payment.beneficiary.name : undefined));
    expect(names).toEqual(errors.map((_, index) => (index % 2 === 0 ? nameOf(index) : undefined)));
    expect(service.requests.filter((request) => request.endsWith('/transactions'))).toHaveLength(1);
    expect(service.requests).toHaveLength(1 + 1 + 10);
  });

  it('never says that no record exists for any of many creates if the transactions cannot be read to their end', async () => {
    const { client, lose } = setUp({ toPage: (rows) => ({ rows, window: { more: true } }) });
    await client.payments.create(bodyOf('Known Ltd', '11.00'));
    const errors = [await lose('before', bodyOf('Alder')), await lose('before', bodyOf('Birch', '12.00'))];
    const { results } = await reconcileAll(client, errors);
    expect(results.map((one) => one?.result)).toEqual(['cannot_tell', 'cannot_tell']);
  });

  it('gives no payment to two creates that are alike', async () => {
    const { client, lose } = setUp();
    const errors = [await lose('after', bodyOf('Alder')), await lose('before', bodyOf('Alder'))];
    const { results } = await reconcileAll(client, errors);
    expect(results.map((one) => one?.result)).toEqual(['ambiguous', 'ambiguous']);
  });

  it('cannot tell about creates whose transactions were read within the read lag', async () => {
    const { service, lose } = setUp();
    const error = await lose('before', bodyOf('Alder'));
    const time = { ahead: 0 };
    const client = assembleClient(
      {
        apiKey: 'service_test_1',
        baseUrl: 'http://localhost:1/api/v1',
        // Reading takes two minutes.
        fetch: async (...args: [string, RequestInit]) => {
          const request = new Request(...args);
          time.ahead += 120_000;
          return service.fetch(request);
        },
      },
      { ...systemClock, date: () => new Date(Date.now() + time.ahead) },
    );
    const reasons = async (): Promise<unknown> => (await reconcileAll(client, [error, error])).results;
    const early = { result: 'cannot_tell', reason: 'read_lag' };
    expect(await reasons()).toMatchObject([early, early]);
    expect(await reasons()).toEqual([
      { result: 'not_found_yet', reason: 'no_record' },
      { result: 'not_found_yet', reason: 'no_record' },
    ]);
  });

  it('excludes the payments that a store holds', async () => {
    const { client, lose, service } = setUp();
    const store = createMemoryStore();
    const error = await lose('after', bodyOf('Alder'));
    const paymentId = service.payments[0]?.id ?? '';
    await store.swap({ ...intentOf('a'), state: 'created', paymentId }, { fromVersion: 0, writeId: 'w' });
    const { results } = await reconcileAll(client, [error], { store });
    expect(results).toEqual([{ result: 'not_found_yet', reason: 'no_record' }]);
  });

  it('continues after its time limit with the payments that it has retrieved', async () => {
    const { service, lose } = setUp();
    const errors: PaymentOutcomeUnknownError[] = [];
    for (let index = 0; index < 12; index += 1) errors.push(await lose('after', bodyOf(nameOf(index))));
    const progress = new Map<string, Payment>();
    const abort = new AbortController();
    let lookups = 0;
    const slow = createClient({
      apiKey: 'service_test_1',
      baseUrl: 'http://localhost:1/api/v1',
      fetch: async (url, init) => {
        const request = new Request(url, init);
        if (request.url.includes('/payments/') && (lookups += 1) === 7) abort.abort();
        return service.fetch(request);
      },
    });
    const first = await reconcileAll(slow, errors, { progress, signal: abort.signal });
    expect(first.isComplete).toBe(false);
    expect(progress.size).toBeGreaterThan(0);
    expect(progress.size).toBeLessThan(12);
    const before = progress.size;
    lookups = 100;
    const second = await reconcileAll(slow, errors, { progress });
    expect(second.isComplete).toBe(true);
    expect(second.results.every((one) => one?.result === 'found')).toBe(true);
    expect(lookups - 100).toBe(12 - before);
  });

  it('rejects an unknown option and a value that is not a client', async () => {
    const { client } = setUp();
    await expect(reconcileAll(client, [], { timelimit: 1 } as never)).rejects.toThrow('timeLimit');
    await expect(reconcileAll({} as never, [])).rejects.toThrow('createClient');
  });
});
