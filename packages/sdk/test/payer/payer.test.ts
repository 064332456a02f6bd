import { describe, expect, it, vi } from 'vitest';
import { createDeferred } from '@service/internal';
import {
  createPayer,
  type Intent,
  type IntentStore,
  type IntentUpdate,
  memoryStore,
  type Payer,
  type PayerOptions,
  type StoreAccount,
} from '../../src/entries/payer.ts';
import {
  type Client,
  ConfigurationError,
  type PaymentInput,
  type PaymentOutcomeUnknownError,
} from '../../src/index.ts';
import { type Clock, systemClock } from '../../src/transport/deadline.ts';
import { createManualClock } from '../manual-clock.ts';
import { createPaymentService, openClient, type PaymentService } from '../payment-service.ts';
import { catchRejection, failure, payment as anyPayment, success, testKey } from '../service.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const LEASE = 60_000;

const bodyOf = (name: string): PaymentInput => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: name,
  purpose: `Invoice of ${name}`,
});

interface Setup {
  readonly service: PaymentService;
  readonly client: Client;
  readonly payer: Payer;
  readonly store: IntentStore;
  /** Creates another worker of the store. */
  readonly createWorker: (options?: Partial<PayerOptions>, clientOptions?: object) => Payer;
}

function setUp(options: Partial<PayerOptions> = {}, clock: Clock = systemClock): Setup {
  const service = createPaymentService({ now: () => clock.date().getTime() });
  const store = options.store ?? memoryStore();
  const createClient = (clientOptions: object = {}): Client =>
    openClient(service.fetch, { readLag: undefined, ...clientOptions }, clock);
  const client = createClient();
  const createWorker: Setup['createWorker'] = (more, clientOptions) =>
    createPayer(clientOptions ? createClient(clientOptions) : client, {
      store,
      lease: LEASE,
      ...options,
      ...more,
    });
  return { service, client, payer: createWorker(), store, createWorker };
}

/** Makes the ids of a clock predictable, and different. */
function countUnique<C extends Clock>(clock: C): C {
  let unique = 0;
  return { ...clock, unique: () => `unique-${(unique += 1)}`, random: () => 1 / (unique += 1) };
}

async function runAll(payer: Payer): Promise<IntentUpdate[]> {
  const updates: IntentUpdate[] = [];
  for await (const update of payer.run()) updates.push(update);
  return updates;
}

const statesOf = (updates: readonly IntentUpdate[]): readonly string[] =>
  updates.map(({ reference, state }) => `${reference} ${state}`);

async function countStates(store: IntentStore): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { state } of await store.list({})) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

describe('payer.plan', () => {
  it('records the intent with its key before anything is sent', async () => {
    const { payer, store, service } = setUp();
    const intent = await payer.plan('a', bodyOf('Alder'));
    expect(intent).toMatchObject({ reference: 'a', version: 1, state: 'planned', sends: [] });
    expect(intent.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(await store.read('a')).toEqual(intent);
    expect(service.requests).toEqual([]);
  });

  it('returns the recorded intent for the same body, in any state', async () => {
    const { payer } = setUp();
    const intent = await payer.plan('a', bodyOf('Alder'));
    expect(await payer.plan('a', { ...bodyOf('Alder'), amount: 10 })).toEqual(intent);
    await runAll(payer);
    expect(await payer.plan('a', bodyOf('Alder'))).toMatchObject({ state: 'created', key: intent.key });
  });

  it('rejects an invalid body and an invalid reference', async () => {
    const { payer, store } = setUp();
    await expect(payer.plan('a', { ...bodyOf('Alder'), amount: '0' })).rejects.toThrow('amount');
    await expect(payer.plan('a b', bodyOf('Alder'))).rejects.toThrow('reference must be');
    expect(await store.read('a')).toBeUndefined();
  });

  it('is the write of prepare, which writes nothing', async () => {
    const { payer, store } = setUp();
    const intent = await payer.prepare('a', bodyOf('Alder'));
    expect(await store.read('a')).toBeUndefined();
    await store.swap(intent, { fromVersion: 0, writeId: 'w' });
    expect(await payer.plan('a', bodyOf('Alder'))).toEqual(intent);
  });
});

describe('payer.run', () => {
  it('creates the payment of each planned intent once', async () => {
    const { payer, service, store } = setUp();
    for (const name of ['Alder', 'Birch', 'Cedar']) await payer.plan(name, bodyOf(name));
    const updates = await runAll(payer);
    expect(statesOf(updates).toSorted()).toEqual(['Alder created', 'Birch created', 'Cedar created']);
    // Concurrent creates can end in any order.
    const ids = service.payments.map(({ id }) => id).toSorted();
    expect(updates.map(({ payment }) => String(payment?.id)).toSorted()).toEqual(ids);
    expect(await runAll(payer)).toEqual([]);
    expect(service.payments).toHaveLength(3);
    expect(await countStates(store)).toEqual({ created: 3 });
  });

  it('sends at most `concurrency` creates at the same time', async () => {
    const { service, createWorker } = setUp();
    let running = 0;
    let most = 0;
    const three = createDeferred();
    const fetch: PaymentService['fetch'] = async (request) => {
      running += 1;
      most = Math.max(most, running);
      if (most === 3) three.resolve();
      await three.promise;
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return service.fetch(request);
    };
    const payer = createWorker({ concurrency: 3 }, { fetch });
    for (let index = 0; index < 10; index += 1)
      await payer.plan(`line-${index}`, bodyOf(`Supplier ${index}`));
    await runAll(payer);
    expect(most).toBe(3);
    expect(service.payments).toHaveLength(10);
  });

  it('closes the creates that it finds for the client, so that it finds an equal one', async () => {
    const { payer, service, client } = setUp();
    await payer.plan('a', bodyOf('Alder'));
    service.loseNext('after');
    expect(statesOf(await runAll(payer))).toEqual(['a unknown', 'a created']);
    service.loseNext('after');
    const error = await catchRejection(client.payments.create(bodyOf('Alder')));
    expect(await client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
      result: 'found',
      payment: { id: service.payments[1]?.id },
    });
  });

  it('records a 403 of another type as a rejection of one intent', async () => {
    const { createWorker } = setUp();
    const payer = createWorker({}, { fetch: async () => failure(403, 'beneficiary_blocked') });
    for (const reference of ['a', 'b']) await payer.plan(reference, bodyOf(reference));
    expect(statesOf(await runAll(payer))).toEqual(['a rejected', 'b rejected']);
  });

  /** Responds to a create with a payment of live mode. */
  const respondLive = (): Response =>
    Response.json(
      { success: true, mode: 'live', data: { ...anyPayment, id: 'pay_live_1' } },
      { status: 201 },
    );

  const refusal = (status: number, type: string) => [() => failure(status, type), { status, type }] as const;

  it.each<[string, () => Response, object, object]>([
    ['a revoked API key', ...refusal(401, 'authentication_error'), { planned: 3 }],
    ['a suspended account', ...refusal(403, 'permission_error'), { planned: 3 }],
    ['a wrong base URL', ...refusal(404, 'not_found'), { planned: 3 }],
    ['another mode', respondLive, { name: 'ModeMismatchError' }, { unknown: 1, planned: 2 }],
  ])('stops at %s, which each other create would get too', async (_, respond, error, states) => {
    const { createWorker, store } = setUp();
    let requests = 0;
    const fetch = async (): Promise<Response> => {
      requests += 1;
      return respond();
    };
    const payer = createWorker({ concurrency: 1 }, { fetch });
    for (const reference of ['a', 'b', 'c']) await payer.plan(reference, bodyOf(reference));
    await expect(runAll(payer)).rejects.toMatchObject(error);
    expect(requests).toBe(1);
    expect(await countStates(store)).toEqual(states);
  });

  it('stops at a hook that fails after a create', async () => {
    const { createWorker, service } = setUp();
    const onResponse = (): void => {
      throw new Error('the hook failed');
    };
    const payer = createWorker({ concurrency: 1 }, { onResponse });
    for (const reference of ['a', 'b']) await payer.plan(reference, bodyOf(reference));
    await expect(runAll(payer)).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(service.payments).toHaveLength(1);
  });

  it.each([
    ['ValidationError', 'pay_live_1', respondLive],
    ['UnreadableResponseError', 'pay_test_1', () => new Response('{"id":"pay_test_1"', { status: 201 })],
  ])('reconciles the others if the payment of one intent throws a %s', async (name, paymentId, respond) => {
    const { createWorker, service, store } = setUp();
    service.loseNext('after');
    const withoutReads: PaymentService['fetch'] = async (request) =>
      request.method === 'POST' ? service.fetch(request) : failure(503, 'server_error');
    const withoutPayment: PaymentService['fetch'] = async (request) =>
      request.url.endsWith(`/${paymentId}`) ? success({}) : service.fetch(request);
    const createPlanned = async (reference: string, fetch: PaymentService['fetch']): Promise<void> => {
      const payer = createWorker({}, { fetch });
      await payer.plan(reference, bodyOf(reference));
      await expect(runAll(payer)).rejects.toBeInstanceOf(Error);
    };
    await createPlanned('a', withoutReads);
    await createPlanned('b', async (request) =>
      request.method === 'POST' ? respond() : failure(503, 'server_error'),
    );
    const payer = createWorker({}, { fetch: withoutPayment });
    await expect(runAll(payer)).rejects.toMatchObject({ name });
    expect(await store.read('a')).toMatchObject({ state: 'created', boundBy: 'reconciled' });
    expect(await store.read('b')).toMatchObject({ state: 'unknown', unprovenPaymentId: paymentId });
  });

  it('ends after the creates that are running when its signal is aborted', async () => {
    const { service, createWorker, store } = setUp();
    const abort = new AbortController();
    const fetch: PaymentService['fetch'] = async (request) => {
      abort.abort();
      return service.fetch(request);
    };
    const payer = createWorker({ concurrency: 1 }, { fetch });
    for (const reference of ['a', 'b', 'c']) await payer.plan(reference, bodyOf(reference));
    const updates: IntentUpdate[] = [];
    for await (const update of payer.run({ signal: abort.signal })) updates.push(update);
    expect(statesOf(updates)).toEqual(['a created']);
    expect(await countStates(store)).toEqual({ planned: 2, created: 1 });
  });

  it('records running creates when the caller leaves the loop', async () => {
    const { payer, service, store } = setUp({ concurrency: 2 });
    for (const reference of ['a', 'b', 'c', 'd']) await payer.plan(reference, bodyOf(reference));
    for await (const _ of payer.run()) break;
    const { created, planned } = await countStates(store);
    expect([created, Number(created) + Number(planned)]).toEqual([service.payments.length, 4]);
  });
});

describe('the search of a run', () => {
  const rentOf = (name: string, amount = '10.00'): PaymentInput => ({
    ...bodyOf(name),
    amount,
    purpose: 'Rent November',
  });
  const nameOf = (index: number): string => `Supplier ${String(index).padStart(2, '0')}`;
  const limits = { concurrency: 1 };

  const referenceOf = (index: number): string => `line-${String(index).padStart(2, '0')}`;

  /** Plans lines, and loses the request or the response of each create. */
  async function loseAll(
    { service, store, createWorker }: Setup,
    count: number,
    when: (index: number) => 'before' | 'after',
  ): Promise<void> {
    const payer = createWorker(limits, { fetch: loseFetch(service) });
    for (let index = 0; index < count; index += 1) {
      await payer.plan(referenceOf(index), rentOf(nameOf(index)));
      service.loseNext(when(index));
    }
    await catchAll(payer);
    for (const { state } of await store.list({})) expect(state).toBe('unknown');
    service.requests.length = 0;
  }
  /** Fails every search, so that the intents stay unknown. */
  const loseFetch =
    ({ fetch }: PaymentService): PaymentService['fetch'] =>
    async (request) =>
      request.method === 'GET' ? failure(503, 'server_error') : fetch(request);
  const catchAll = (payer: Payer): Promise<unknown> => runAll(payer).catch(() => {});

  it('finds the payments of many intents in one walk, and retrieves each payment once', async () => {
    const setup = setUp();
    const { client, service, createWorker } = setup;
    // The client learns that the service returns all fields as sent.
    await client.payments.create({ ...rentOf('Known Ltd'), beneficiary_account: '1' });
    await loseAll(setup, 20, (index) => (index % 2 === 0 ? 'after' : 'before'));
    const updates = await runAll(createWorker());
    const evens = Array.from({ length: 10 }, (_, index) => 2 * index);
    expect(statesOf(updates).toSorted()).toEqual(evens.map((index) => `${referenceOf(index)} created`));
    for (const { payment, intent } of updates) expect(payment?.id).toBe(intent.paymentId);
    const names = updates.map(({ payment }) => payment?.beneficiary.name);
    expect(new Set(names)).toEqual(new Set(evens.map(nameOf)));
    expect(service.requests.filter((request) => request.endsWith('/transactions'))).toHaveLength(1);
    expect(service.requests).toHaveLength(1 + 1 + 10);
  });

  it('continues in the next run of its payer with the payments that it has retrieved', async () => {
    const setup = setUp();
    const { service, createWorker } = setup;
    await loseAll(setup, 12, () => 'after');
    const abort = new AbortController();
    let lookups = 0;
    const fetch: PaymentService['fetch'] = async (request) => {
      if (request.url.includes('/payments/') && (lookups += 1) === 7) abort.abort();
      return service.fetch(request);
    };
    const payer = createWorker({}, { fetch });
    for await (const _ of payer.run({ signal: abort.signal }));
    expect(lookups).toBeLessThan(12);
    const first = lookups;
    lookups = 100;
    expect(await runAll(payer)).toHaveLength(12);
    expect(lookups - 100).toBeLessThanOrEqual(12 - first + 4);
  });
});

describe('the account of a store', () => {
  it.each([
    ['mode', { apiKey: 'service_live_1' }, {}],
    ['baseUrl', { baseUrl: 'https://api.example.test/api/v2' }, {}],
    ['label', {}, { account: 'other' }],
  ])('is rejected with another %s, before anything is read or sent', async (name, clientOptions, options) => {
    const store = memoryStore();
    const { payer, createWorker, service } = setUp({ store });
    await payer.plan('a', bodyOf('Alder'));
    const operations = [vi.spyOn(store, 'read'), vi.spyOn(store, 'list')];
    const other = createWorker(options, clientOptions);
    for (const attempt of [
      () => runAll(other),
      () => other.plan('b', bodyOf('Birch')),
      () => other.pay('c', bodyOf('Cedar')),
    ]) {
      await expect(attempt()).rejects.toThrow(`belongs to another account: its ${name} is`);
    }
    for (const operation of operations) expect(operation).not.toHaveBeenCalled();
    expect(service.requests).toEqual([]);
  });

  it('is compared again by each run, because the API key can change', async () => {
    let apiKey = testKey;
    const { createWorker, service } = setUp();
    const payer = createWorker({}, { apiKey: () => apiKey });
    await payer.plan('a', bodyOf('Alder'));
    apiKey = 'service_live_1';
    await expect(runAll(payer)).rejects.toThrow('its mode is');
    expect(service.requests).toEqual([]);
  });

  it('needs a store that records it', () => {
    const store = { ...memoryStore(), bindAccount: undefined } as unknown as IntentStore;
    expect(() => setUp({ store })).toThrow('bindAccount');
  });
});

describe('a worker that was stopped', () => {
  it('sends nothing after its lease', async () => {
    const clock = createManualClock();
    const { payer, store, service, createWorker } = setUp({ clockSkew: 1_000 }, countUnique(clock));
    await payer.plan('a', bodyOf('Alder'));
    const swap: IntentStore['swap'] = async (next, write) => {
      const result = await store.swap(next, write);
      if (next.state === 'sending') clock.suspend(LEASE);
      return result;
    };
    const updates = await runAll(createWorker({ store: { ...store, swap } }));
    expect(service.payments).toEqual([]);
    expect(updates).toMatchObject([
      { state: 'planned', error: { name: 'TimeoutError', outcome: 'not_sent' } },
    ]);
    expect(await store.read('a')).toMatchObject({ state: 'planned', sends: [] });
  });
});

describe('a store that fails', () => {
  /** Creates a payer whose store fails at one kind of operation until it is repaired. */
  function setUpOutage(isAffected: (operation: keyof IntentStore, state?: Intent['state']) => boolean) {
    useSynchronousDigest();
    const clock = createManualClock();
    const inner = memoryStore();
    let failures = 0;
    let isRepaired = false;
    const fail = async <T>(
      operation: keyof IntentStore,
      step: () => Promise<T>,
      state?: Intent['state'],
    ): Promise<T> => {
      if (isRepaired || !isAffected(operation, state)) return step();
      failures += 1;
      throw new Error('the driver failed', {
        cause: Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' }),
      });
    };
    const store: IntentStore = {
      read: (reference) => fail('read', () => inner.read(reference)),
      swap: (next, write) => fail('swap', () => inner.swap(next, write), next.state),
      list: (filter) => fail('list', () => inner.list(filter)),
      bindAccount: (account) => fail('bindAccount', () => bindTo(inner, account)),
      now: () => fail('now', async () => clock.date()),
    };
    const setup = setUp({ store }, countUnique(clock));
    return {
      ...setup,
      clock,
      countFailures: () => failures,
      repair: (): void => void (isRepaired = true),
    };
  }

  const bindTo = async (store: IntentStore, account: StoreAccount): Promise<StoreAccount> => {
    const bound = await store.bindAccount?.(account);
    if (bound === undefined) throw new Error('The store has no account.');
    return bound;
  };

  type Outage = ReturnType<typeof setUpOutage>;

  /** Advances the time by a number of seconds, or until a promise settles. */
  async function advanceUntil(
    promise: Promise<unknown>,
    { clock }: Outage,
    seconds = Infinity,
  ): Promise<void> {
    const state = { isSettled: false };
    const settle = (): void => void (state.isSettled = true);
    promise.then(settle, settle);
    for (let second = 0; second < seconds; second += 1) {
      if (state.isSettled) return;
      await clock.advance(1_000);
    }
  }

  it.each([
    ['swap', 'sending'],
    ['swap', 'created'],
    ['list', undefined],
    ['now', undefined],
    ['bindAccount', undefined],
  ] as const)('is called again while it is gone for 20 s in %s %s', async (operation, state) => {
    let isGone = false;
    const outage = setUpOutage(
      (name, written) => isGone && name === operation && (state === undefined || written === state),
    );
    const { payer, createWorker, service, repair, clock, countFailures } = outage;
    for (const name of ['Alder', 'Birch', 'Cedar']) await payer.plan(name, bodyOf(name));
    isGone = true;
    const run = runAll(createWorker());
    await advanceUntil(run, outage, 20);
    expect(countFailures()).toBeGreaterThan(5);
    repair();
    await advanceUntil(run, outage);
    expect(statesOf(await run).toSorted()).toEqual(['Alder created', 'Birch created', 'Cedar created']);
    expect(service.payments).toHaveLength(3);
    expect(clock.pending()).toBe(0);
  });

  it('ends the run after one lease, and the next run continues', async () => {
    const outage = setUpOutage(
      (operation, state) =>
        operation === 'swap' && state === 'sending' && outage.service.payments.length === 1,
    );
    const { createWorker, service, clock, repair } = outage;
    const payer = createWorker({ concurrency: 1 });
    for (const name of ['Alder', 'Birch', 'Cedar']) await payer.plan(name, bodyOf(name));
    const run = runAll(payer);
    const start = clock.now();
    await advanceUntil(run, outage);
    await expect(run).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(
        'The intent store failed for 60 s: no space left on device, write (ENOSPC). Repair it, then plan, pay or run again',
      ) as string,
      cause: { message: 'the driver failed' },
    });
    expect(clock.now() - start).toBeGreaterThanOrEqual(LEASE);
    expect(clock.now() - start).toBeLessThan(LEASE + 5_000);
    expect(service.payments).toHaveLength(1);
    repair();
    expect(statesOf(await runAll(payer))).toEqual(['Birch created', 'Cedar created']);
    expect(service.payments).toHaveLength(3);
  });

  it('is not called again after an error that it explains itself', async () => {
    const explained = new ConfigurationError('The file was moved.');
    let calls = 0;
    const store: IntentStore = {
      ...memoryStore(),
      swap: async () => {
        calls += 1;
        throw explained;
      },
    };
    await expect(setUp({ store }).payer.plan('a', bodyOf('Alder'))).rejects.toBe(explained);
    expect(calls).toBe(1);
  });
});

describe('payments that do not fit', () => {
  /** Plans `b` in a store whose reference `a` has a payment already. */
  async function setUpPaid(toPaid: (setup: Setup) => Promise<Partial<Intent>>): Promise<Setup> {
    const setup = setUp();
    await setup.payer.plan('b', bodyOf('Birch'));
    const known = { reference: 'a', version: 1, state: 'created', digest: 'd', key: 'k', sends: [] } as const;
    await setup.store.swap({ ...known, ...(await toPaid(setup)) }, { fromVersion: 0, writeId: 'w' });
    return setup;
  }

  it('are displaced by the response to the create of another reference', async () => {
    let paymentId = '';
    const { payer, service, store } = await setUpPaid(async ({ client }) => {
      const { id } = await client.payments.create(bodyOf('Birch'));
      paymentId = `${id.slice(0, -1)}2`;
      return { paymentId, boundBy: 'reconciled' };
    });
    const updates = await runAll(payer);
    expect(service.payments[1]?.id).toBe(paymentId);
    expect(updates).toMatchObject([{ reference: 'b', state: 'created', intent: { paymentId } }]);
    expect(await store.read('a')).toMatchObject({ state: 'unknown' });
  });

  it('are reported as conflicts by every run', async () => {
    const { payer, service } = await setUpPaid(async () => ({
      paymentId: 'pay_test_000001',
      boundBy: 'response',
    }));
    const [update] = await runAll(payer);
    expect(service.payments[0]?.id).toBe('pay_test_000001');
    expect(update).toMatchObject({
      reference: 'b',
      state: 'unknown',
      payment: { id: 'pay_test_000001' },
      conflict: { paymentId: 'pay_test_000001' },
    });
    expect(await runAll(payer)).toMatchObject([
      { reference: 'b', conflict: { paymentId: 'pay_test_000001' } },
    ]);
  });
});

describe('payer.resolve', () => {
  async function setUpUnknown(): Promise<
    Setup & { readonly intent: Intent; readonly clock: ReturnType<typeof createManualClock> }
  > {
    const clock = createManualClock();
    const setup = setUp({ clockSkew: 1_000 }, countUnique(clock));
    await setup.payer.plan('a', bodyOf('Alder'));
    setup.service.loseNext('before');
    await runAll(setup.payer);
    return { ...setup, clock, intent: (await setup.store.read('a')) as Intent };
  }
  const audit = { by: 'Ada', because: 'the service confirmed it' };

  it('binds a payment that matches', async () => {
    const { payer, intent, client } = await setUpUnknown();
    const [own, other] = [
      await client.payments.create(bodyOf('Alder')),
      await client.payments.create({ ...bodyOf('Alder'), amount: '11.00' }),
    ];
    const decision = { ...audit, version: intent.version };
    await expect(payer.resolve('a', { ...decision, paymentId: other.id })).rejects.toMatchObject({
      name: 'ValidationError',
    });
    await expect(payer.resolve('a', { ...decision, paymentId: own.id, version: 1 })).rejects.toMatchObject({
      name: 'IdempotencyError',
    });
    expect(await payer.resolve('a', { ...decision, paymentId: own.id })).toMatchObject({
      state: 'created',
      paymentId: own.id,
      boundBy: 'person',
    });
  });

  it('binds a payment that another reference had when the response arrived, if it is free now', async () => {
    const { payer, intent, client, store } = await setUpUnknown();
    const { id } = await client.payments.create(bodyOf('Alder'));
    const version = intent.version + 1;
    const reason = `${id} is held by another reference.`;
    const taken = { ...intent, version, reason, otherPaymentId: id };
    await store.swap(taken, { fromVersion: intent.version, writeId: 'w' });
    expect(await payer.resolve('a', { ...audit, version, paymentId: id })).toMatchObject({
      state: 'created',
      paymentId: id,
    });
  });

  it.each([{ neverMade: true }, { release: true }] as const)(
    'closes the create for the client, so that it finds an equal one: %j',
    async (outcome) => {
      const { payer, intent, client, clock, service } = await setUpUnknown();
      clock.suspend(LEASE + 30_000 + 1_000);
      await payer.resolve('a', { ...audit, version: intent.version, ...outcome });
      service.loseNext('after');
      const error = await catchRejection(client.payments.create(bodyOf('Alder')));
      expect(await client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
        result: 'found',
        payment: { id: service.payments[0]?.id },
      });
    },
  );

  it('keeps the payment that a person named from an equal create of the client', async () => {
    const { payer, intent, client, service } = await setUpUnknown();
    const json = JSON.stringify({ ...bodyOf('Alder'), amount: 10 });
    await service.fetch(
      new Request('https://api.example.test/api/v1/payments', { method: 'POST', body: json }),
    );
    const { id: paymentId = '' } = service.payments[0] ?? {};
    await payer.resolve('a', { ...audit, version: intent.version, paymentId });
    service.loseNext('before');
    const error = await catchRejection(client.payments.create(bodyOf('Alder')));
    expect(error).toMatchObject({ exclude: [paymentId] });
    expect(await client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
      result: 'cannot_tell',
      reason: 'read_lag',
    });
  });

  it('rejects an incomplete decision and an unknown reference', async () => {
    const { payer } = await setUpUnknown();
    await expect(
      payer.resolve('a', { version: 3, by: 'Ada', because: ' ', neverMade: true }),
    ).rejects.toThrow('because must be');
    await expect(payer.resolve('a', { ...audit, version: 3 } as never)).rejects.toThrow(
      'either `paymentId`, `neverMade: true` or',
    );
    await expect(payer.resolve('x', { ...audit, version: 3, neverMade: true })).rejects.toThrow(
      'does not have this reference',
    );
  });
});

describe('the body of an intent', () => {
  it('is compared with the planned one before it is sent', async () => {
    const planned = memoryStore();
    const list: IntentStore['list'] = async (filter) =>
      (await planned.list(filter)).map((intent) => ({ ...intent, body: JSON.stringify(bodyOf('Birch')) }));
    const { payer, service } = setUp({ store: { ...planned, list } });
    await payer.plan('a', bodyOf('Alder'));
    await expect(runAll(payer)).rejects.toThrow('differs from the planned one');
    expect(service.payments).toEqual([]);
  });
});

describe('createPayer', () => {
  it.each([
    [{ keyRetention: 1_000 }, 'keyRetention'],
    [{ lease: 30_000 }, 'lease must be longer'],
    [{ concurrencey: 3 }, 'concurrency'],
    [{ concurrency: 0 }, 'concurrency must be'],
    [{ store: {} }, 'must be an object with the functions'],
  ])('rejects %o', (options, message) => {
    const { client } = setUp();
    expect(() => createPayer(client, { store: memoryStore(), ...options } as never)).toThrow(message);
  });

  it.each([[undefined], [{}], [{ store: undefined }], [{ store: null }], [{ concurrency: 8 }]])(
    'requires a store, and names the stores that survive a restart: %o',
    (options) => {
      const { client } = setUp();
      expect(() => createPayer(client, options as never)).toThrow(
        expect.objectContaining({
          name: 'ConfigurationError',
          message: expect.stringMatching(
            /^store must be .+ sqliteStore\(path\), postgresStore\(pool\) .+ memoryStore\(\) is for tests: it forgets its payments at a restart/,
          ) as unknown,
        }),
      );
    },
  );

  it('rejects a value that is not a client', () => {
    expect(() => createPayer({} as never, { store: memoryStore() })).toThrow('createClient');
  });
});
