import { describe, expect, it, vi } from 'vitest';
import {
  createDuplicateGuard,
  createMemoryStore,
  type DuplicateGuard,
  type Intent,
  type IntentStore,
  type ServiceError,
  type Warning,
} from '../../src/index.ts';
import { assembleGuard } from '../../src/intents/duplicate-guard.ts';
import { hideOperations } from '../../src/intents/guard-operations.ts';
import { type Clock, systemClock } from '../../src/transport/clock.ts';
import {
  createStubClient,
  failure,
  json,
  payment,
  paymentInput,
  catchRejection,
  success,
} from '../service.ts';

const reset = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
const refused = new TypeError('fetch failed', {
  cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
});
const reference = 'order-42';
const made = (id: string) => success({ ...payment, id }, 201);

/** Creates a clock whose date is set manually. */
function createDateClock(): Clock & { pass(milliseconds: number): void } {
  let now = Date.UTC(2026, 0, 31, 12);
  return { ...systemClock, date: () => new Date(now), pass: (milliseconds) => (now += milliseconds) };
}

type Responses = Parameters<typeof createStubClient>[0];

/** Creates a client with a duplicate guard over a store. */
function createGuardedClient(
  responses: Responses,
  store: IntentStore = createMemoryStore(),
  clock: Clock = systemClock,
) {
  const duplicateGuard = assembleGuard(store, clock);
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning): void => void warnings.push(warning);
  const stub = createStubClient(responses, {
    duplicateGuard: hideOperations(duplicateGuard),
    onWarning,
    readLag: 0,
  });
  const pay = (options: object = {}, input: object = paymentInput) =>
    stub.client.payments.create(input as typeof paymentInput, { reference, ...options });
  return { ...stub, duplicateGuard, store, warnings, pay };
}

const countPosts = (requests: readonly Request[]): number =>
  requests.filter(({ method }) => method === 'POST').length;

/** Wraps a store and replaces some functions. */
function override(store: IntentStore, changes: Partial<IntentStore>): IntentStore {
  return {
    fingerprintKey: store.fingerprintKey,
    read: store.read.bind(store),
    swap: store.swap.bind(store),
    list: store.list.bind(store),
    ...changes,
  };
}

/** Wraps a store and replaces single writes, by their number, counted from 1. */
function onSwap(store: IntentStore, acts: Record<number, IntentStore['swap']>): IntentStore {
  let count = 0;
  return override(store, {
    swap: (next, write) => (acts[(count += 1)] ?? store.swap.bind(store))(next, write),
  });
}

describe('creates of one reference in one process', () => {
  it('wait for the first one and return its payment', async () => {
    let respond: ((response: Response) => void) | undefined;
    const first = (): Promise<Response> => new Promise((resolve) => (respond = resolve));
    const { pay, requests } = createGuardedClient([first, success(payment)]);
    const calls = [1, 2, 3].map(() => pay());
    await expect.poll(() => typeof respond).toBe('function');
    respond?.(success(payment, 201));
    for (const one of await Promise.all(calls)) expect(one).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  it('are sent one after the other when the first is rejected', async () => {
    const { pay, requests } = createGuardedClient([
      failure(422, 'insufficient_funds'),
      success(payment, 201),
    ]);
    const results = await Promise.allSettled([pay(), pay(), pay()]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(countPosts(requests)).toBe(2);
  });

  it('have the same body whether the amount is a number or text', async () => {
    const { pay, requests } = createGuardedClient([success(payment, 201), success(payment)]);
    await pay({}, { ...paymentInput, amount: 100, from_currency: 'usd' });
    expect(await pay({}, { ...paymentInput, amount: '100.00' })).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  it('are rejected with another body', async () => {
    const { pay, requests } = createGuardedClient([success(payment, 201)]);
    await pay();
    for (const change of [{ amount: '5.00' }, { beneficiary_account: 'DE0' }, { purpose: undefined }]) {
      const error = await catchRejection(pay({}, { ...paymentInput, ...change }));
      expect(error).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent', paymentId: payment.id });
      expect(String(error)).toContain('another request body');
    }
    expect(countPosts(requests)).toBe(1);
  });
});

describe('the record of a create', () => {
  it('is stored as sending, with its key, time and lease, before the request is sent', async () => {
    const store = createMemoryStore();
    const clock = createDateClock();
    const seen: (Intent | undefined)[] = [];
    const respond = async (request: Request): Promise<Response> => {
      seen.push(await store.read(reference));
      expect(request.headers.get('idempotency-key')).toBe(seen[0]?.key);
      return success(payment, 201);
    };
    const { pay } = createGuardedClient([respond], store, clock);
    await pay({ timeout: 1_000, maxRetries: 1 });
    expect(seen).toMatchObject([
      {
        reference,
        version: 1,
        state: 'sending',
        sends: ['2026-01-31T12:00:00.000Z'],
        // The write, two requests and the longest delay after each.
        holder: { until: '2026-01-31T12:02:03.000Z' },
      },
    ]);
    expect(await store.read(reference)).toMatchObject({
      version: 2,
      state: 'created',
      paymentId: payment.id,
      key: seen[0]?.key,
    });
    expect(await store.read(reference)).not.toHaveProperty('holder');
  });

  it('contains no name, no account and no guessable digest', async () => {
    const store = createMemoryStore();
    const { pay } = createGuardedClient([success(payment, 201)], store);
    await pay();
    const record = await store.read(reference);
    expect(record).toMatchObject({ beneficiary: { name: hex64, account: hex64 }, digest: hex64 });
    expect(JSON.stringify(record)).not.toMatch(/Acme|DE89/);
    const other = createMemoryStore();
    await createGuardedClient([success(payment, 201)], other).pay();
    expect((await other.read(reference))?.digest).not.toBe(record?.digest);
  });

  it('contains no beneficiary if the store has no fingerprint key', async () => {
    const store = override(createMemoryStore(), { fingerprintKey: undefined });
    const { pay } = createGuardedClient([success(payment, 201)], store);
    await pay();
    expect((await store.read(reference))?.beneficiary).toBeUndefined();
  });

  it.each<[string, Responses[number], Partial<Intent>]>([
    ['planned when nothing was sent', refused, { state: 'planned', sends: [] }],
    [
      'rejected, with the name of the error, when the service refused it',
      failure(422, 'insufficient_funds'),
      { state: 'rejected', reason: 'InsufficientFundsError' },
    ],
    ['unknown when the connection broke', reset, { state: 'unknown' }],
    [
      'unknown, with the id that a broken response showed',
      new Response(`{"data":{"id":"${payment.id}",`, { status: 201 }),
      { state: 'unknown', paymentId: payment.id },
    ],
  ])('is %s', async (_, respond, record) => {
    const { pay, store } = createGuardedClient([respond]);
    await catchRejection(pay());
    expect(await store.read(reference)).toMatchObject(record);
  });

  it('is written with the idempotency key of the call', async () => {
    const { pay, store, requests } = createGuardedClient([success(payment, 201)]);
    await pay({ idempotencyKey: 'mine' });
    expect((await store.read(reference))?.key).toBe('mine');
    expect(requests[0]?.headers.get('idempotency-key')).toBe('mine');
  });

  it('keeps its key if nothing was sent, and gets a new one after a rejection or for another body', async () => {
    const { pay, store } = createGuardedClient([refused, failure(422, 'insufficient_funds'), refused]);
    const keys: (string | undefined)[] = [];
    for (const input of [paymentInput, paymentInput, paymentInput, { ...paymentInput, amount: '5.00' }]) {
      await catchRejection(pay({}, input));
      keys.push((await store.read(reference))?.key);
    }
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });
});

const hex64 = expect.stringMatching(/^[\da-f]{64}$/) as string;

describe('a reference with an unknown outcome', () => {
  it('is rejected with the time of the first create and the known id', async () => {
    const clock = createDateClock();
    const broken = new Response(`{"data":{"id":"${payment.id}",`, { status: 201 });
    const { pay, requests } = createGuardedClient([broken], createMemoryStore(), clock);
    await catchRejection(pay());
    clock.pass(5_000);
    const error = (await catchRejection(pay())) as ServiceError;
    expect(error).toMatchObject({
      name: 'IdempotencyError',
      outcome: 'not_sent',
      attempts: 0,
      reference,
      sentAt: '2026-01-31T12:00:00.000Z',
      paymentId: payment.id,
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ reference, paymentId: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  it('is settled only by a reconciliation that finds the payment', async () => {
    const row = { id: 'txn_1', type: 'payment', currency: 'USD', amount: -100, payment_id: payment.id };
    const transactions = [{ ...row, status: 'completed', created_at: payment.created_at }];
    const list = success({ transactions, pagination: { has_more: false } });
    const { client, requests, pay } = createGuardedClient([reset, list, success(payment), success(payment)]);
    await catchRejection(pay());
    const { beneficiary_name: _name, beneficiary_account: _account, ...asked } = paymentInput;
    const intent = { ...asked, since: payment.created_at, reference };
    expect(await client.payments.reconcile(intent)).toMatchObject({ result: 'found' });
    expect(await pay()).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  it('can be sent with the same key after its release, once its lease has ended', async () => {
    const clock = createDateClock();
    const { pay, requests, duplicateGuard } = createGuardedClient(
      [reset, success(payment, 201)],
      createMemoryStore(),
      clock,
    );
    await catchRejection(pay());
    expect(await catchRejection(duplicateGuard.release(reference))).toMatchObject({
      name: 'IdempotencyError',
      reference,
    });
    expect(await catchRejection(pay())).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
    clock.pass(600_000);
    await duplicateGuard.release(reference);
    expect(await pay()).toMatchObject({ id: payment.id });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('keeps its payment when it is released later', async () => {
    const { pay, requests, duplicateGuard } = createGuardedClient([success(payment, 201), success(payment)]);
    await pay();
    await duplicateGuard.release(reference);
    await pay();
    expect(countPosts(requests)).toBe(1);
  });

  it('is neither sent nor released once it was abandoned', async () => {
    const store = createMemoryStore();
    const abandoned: Intent = { reference, version: 1, state: 'abandoned', digest: 'd', key: 'k', sends: [] };
    await store.swap(abandoned, { fromVersion: 0, writeId: 'w' });
    const { pay, requests, duplicateGuard } = createGuardedClient([success(payment, 201)], store);
    for (const failed of [catchRejection(pay()), catchRejection(duplicateGuard.release(reference))]) {
      expect(await failed).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
    }
    expect(requests).toHaveLength(0);
  });
});

describe('a paid reference whose payment cannot be read', () => {
  it.each<[string, Responses[number]]>([
    ['429', failure(429, 'rate_limit_error')],
    ['401', failure(401, 'authentication_error')],
    ['403', failure(403, 'permission_error')],
    ['404', failure(404, 'not_found')],
    ['400', failure(400, 'invalid_request_error')],
    ['422', failure(422, 'validation_error')],
    ['a service that is down', refused],
    ['a reset', reset],
  ])('has an unknown outcome with the id, after %s', async (_, respond) => {
    const { pay, requests } = createGuardedClient([success(payment, 201), respond]);
    await pay();
    const error = (await catchRejection(pay())) as ServiceError;
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'recorded',
      paymentId: payment.id,
      reference,
      amount: '100.00',
      cause: { attempts: 1 },
    });
    expect(error.message).toContain(`retrieve ${payment.id}`);
    expect(countPosts(requests)).toBe(1);
  });
});

describe('a faulty store of the duplicate guard', () => {
  it('changes nothing if it applies a duplicated write after another worker paid', async () => {
    const store = createMemoryStore();
    let again: (() => Promise<unknown>) | undefined;
    // The driver keeps the write of `planned` and sends it again later.
    const doubling = onSwap(store, {
      2: (next, write) => {
        again = () => store.swap(next, write);
        return store.swap(next, write);
      },
    });
    await catchRejection(createGuardedClient([refused], doubling).pay());
    expect(await createGuardedClient([made('pay_test_1')], store).pay()).toMatchObject({ id: 'pay_test_1' });
    await again?.();
    const { pay, requests } = createGuardedClient([success({ ...payment, id: 'pay_test_1' })], store);
    expect(await pay()).toMatchObject({ id: 'pay_test_1' });
    expect(countPosts(requests)).toBe(0);
  });

  it('still has one payment if it responds lost to its own duplicated write', async () => {
    const store = createMemoryStore();
    const doubling = override(store, {
      swap: async (next, write) => {
        await store.swap(next, write);
        return store.swap(next, write);
      },
    });
    const { pay, requests, warnings } = createGuardedClient(
      [success(payment, 201), success(payment)],
      doubling,
    );
    expect([await pay(), await pay()]).toMatchObject([{ id: payment.id }, { id: payment.id }]);
    expect(countPosts(requests)).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('leaves the reference open for the process whose first write applies late', async () => {
    const store = createMemoryStore();
    let late: (() => Promise<unknown>) | undefined;
    const slow = onSwap(store, {
      1: (next, write) => {
        late = () => store.swap(next, write);
        return Promise.reject(new Error('timeout'));
      },
    });
    const { pay, requests } = createGuardedClient([success(payment, 201)], slow);
    expect(await catchRejection(pay())).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    await late?.();
    expect(await store.read(reference)).toMatchObject({ state: 'sending' });
    const other = createGuardedClient([success(payment, 201)], store);
    expect(await catchRejection(other.pay())).toMatchObject({
      name: 'IdempotencyError',
      outcome: 'not_sent',
    });
    expect(await pay()).toMatchObject({ id: payment.id });
    expect(countPosts([...requests, ...other.requests])).toBe(1);
    expect((await store.read(reference))?.sends).toHaveLength(1);
  });

  it('rejects a first write that applies after the next create', async () => {
    const store = createMemoryStore();
    let late: (() => Promise<unknown>) | undefined;
    const slow = onSwap(store, {
      1: (next, write) => {
        late = () => store.swap(next, write);
        return Promise.reject(new Error('timeout'));
      },
    });
    const { pay, requests } = createGuardedClient([reset], slow);
    await catchRejection(pay());
    await catchRejection(pay());
    expect(await late?.()).toBe('lost');
    expect(await store.read(reference)).toMatchObject({ state: 'unknown' });
    expect(await catchRejection(pay())).toMatchObject({ name: 'IdempotencyError' });
    expect(countPosts(requests)).toBe(1);
  });

  it('leaves the reference open for the process if a write applies and then fails', async () => {
    const store = createMemoryStore();
    const failing = onSwap(store, {
      1: async (next, write) => {
        await store.swap(next, write);
        throw new Error('connection lost');
      },
    });
    const { pay, requests } = createGuardedClient([success(payment, 201)], failing);
    expect(await catchRejection(pay())).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    // Another body is allowed, because nothing was sent.
    expect(await pay({}, { ...paymentInput, amount: '5.00' })).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(1);
  });

  it('rejects the create if reads stay stale, and nothing is sent', async () => {
    const store = createMemoryStore();
    await createGuardedClient([success(payment, 201)], store).pay();
    const replica = override(store, { read: async () => undefined });
    const { pay, requests } = createGuardedClient([success(payment, 201)], replica);
    const error = await catchRejection(pay());
    expect(error).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
    expect(String(error)).toContain('returns stale reads');
    expect(requests).toHaveLength(0);
  });

  it('returns the payment after a second read if the first read is stale', async () => {
    const store = createMemoryStore();
    await createGuardedClient([success(payment, 201)], store).pay();
    let reads = 0;
    const replica = override(store, {
      read: async (name) => ((reads += 1) === 1 ? undefined : store.read(name)),
    });
    const { pay, requests } = createGuardedClient([success(payment)], replica);
    expect(await pay()).toMatchObject({ id: payment.id });
    expect(countPosts(requests)).toBe(0);
  });

  it('prevents the request if it fails before the create, and is named in the error', async () => {
    const broken = (): never => {
      throw new Error('the disk is full');
    };
    for (const change of [{ read: broken }, { swap: broken }]) {
      const { pay, requests } = createGuardedClient(
        [success(payment, 201)],
        override(createMemoryStore(), change),
      );
      const error = await catchRejection(pay());
      expect(error).toMatchObject({
        name: 'ConfigurationError',
        outcome: 'not_sent',
        cause: { message: 'the disk is full' },
      });
      expect(requests).toHaveLength(0);
    }
  });

  it('loses no payment if it fails after the create', async () => {
    const failing = onSwap(createMemoryStore(), { 2: () => Promise.reject(new Error('full')) });
    const { pay, warnings } = createGuardedClient([success(payment, 201)], failing);
    expect(await pay()).toMatchObject({ id: payment.id });
    expect(warnings).toMatchObject([{ code: 'guard_failed' }]);
    expect(await catchRejection(pay())).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
  });

  it.each([undefined, null, {}, { get: () => {}, put: () => {} }, new Map()])(
    'is not accepted as %o',
    (store) => {
      expect(() => createDuplicateGuard(store as never)).toThrow('`read`, `swap` and `list`');
    },
  );

  it.each(['', 'short', 5])('requires a fingerprint key of 32 characters, not %o', (fingerprintKey) => {
    const store = override(createMemoryStore(), { fingerprintKey: fingerprintKey as never });
    expect(() => createDuplicateGuard(store)).toThrow('32 characters');
  });

  it.each(['{"state":"created"}', {}, 5, true, { reference: 'another' }])(
    'is rejected if it returns %o',
    async (record) => {
      const store = override(createMemoryStore(), { read: async () => record as never });
      const { pay, requests } = createGuardedClient([success(payment, 201)], store);
      const error = await catchRejection(pay());
      expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
      expect(String(error)).toContain('Return parsed JSON');
      expect(requests).toHaveLength(0);
    },
  );

  it('may return null for an unknown reference, and must return documented results', async () => {
    const store = override(createMemoryStore(), { read: async () => null as never });
    expect(await createGuardedClient([success(payment, 201)], store).pay()).toMatchObject({ id: payment.id });
    const wordless = override(createMemoryStore(), { swap: async () => true as never });
    const { pay, requests } = createGuardedClient([success(payment, 201)], wordless);
    expect(String(await catchRejection(pay()))).toContain("'done', 'lost' or 'id_taken'");
    expect(requests).toHaveLength(0);
  });
});

describe('duplicateGuard.release', () => {
  it('changes nothing if a reconciliation binds the payment meanwhile', async () => {
    const clock = createDateClock();
    const store = createMemoryStore();
    let reader: DuplicateGuard | undefined;
    const racing = override(store, {
      read: async (name) => {
        const seen = await store.read(name);
        await reader?.resolve(name, payment.id);
        return seen;
      },
    });
    await catchRejection(createGuardedClient([reset], store, clock).pay());
    clock.pass(600_000);
    reader = createDuplicateGuard(store);
    const error = await catchRejection(assembleGuard(racing, clock).release(reference));
    expect(error).toMatchObject({ name: 'IdempotencyError' });
    expect(String(error)).toContain('changed while it was released');
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: payment.id });
  });

  it('is rejected while a worker sends, and is overridden by that create after the lease', async () => {
    const clock = createDateClock();
    const store = createMemoryStore();
    let respond: ((response: Response) => void) | undefined;
    const first = (): Promise<Response> => new Promise((resolve) => (respond = resolve));
    const { pay } = createGuardedClient([first], store, clock);
    const other = createGuardedClient([success(payment)], store, clock);
    const paying = pay();
    await expect.poll(() => typeof respond).toBe('function');
    const error = await catchRejection(other.duplicateGuard.release(reference));
    expect(error).toMatchObject({ name: 'IdempotencyError', reference });
    expect(String(error)).toContain('may still be sent until');
    clock.pass(3_600_000);
    await other.duplicateGuard.release(reference);
    expect(await store.read(reference)).toMatchObject({ state: 'planned', reason: 'released' });
    respond?.(success(payment, 201));
    expect(await paying).toMatchObject({ id: payment.id });
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: payment.id });
    expect(await other.pay()).toMatchObject({ id: payment.id });
    expect(countPosts(other.requests)).toBe(0);
  });

  it('leads to no second payment if the first worker was suspended before sending', async () => {
    const clock = createDateClock();
    const store = createMemoryStore();
    let resume: (() => void) | undefined;
    const suspended = new Promise<void>((resolve) => (resume = resolve));
    const onRequest = vi.fn<() => Promise<void>>(() => suspended);
    const first = createStubClient([made('pay_test_1')], {
      duplicateGuard: hideOperations(assembleGuard(store, clock)),
      onRequest,
    });
    const paying = catchRejection(first.client.payments.create(paymentInput, { reference }));
    await expect.poll(() => onRequest.mock.calls.length).toBe(1);
    clock.pass(3_600_000);
    const second = createGuardedClient([made('pay_test_2')], store, clock);
    await second.duplicateGuard.release(reference);
    expect(await second.pay()).toMatchObject({ id: 'pay_test_2' });
    resume?.();
    expect(await paying).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(first.requests).toHaveLength(0);
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: 'pay_test_2' });
  });

  it('does nothing for an unknown reference', async () => {
    const { store, duplicateGuard } = createGuardedClient([]);
    await duplicateGuard.release(reference);
    expect(await store.read(reference)).toBeUndefined();
  });
});

describe('a payment that was created while its record changed', () => {
  /** Creates a payment and lets something else write to the store before the response arrives. */
  async function payDuring(
    meanwhile: (store: IntentStore, clock: ReturnType<typeof createDateClock>) => unknown,
  ) {
    const clock = createDateClock();
    const store = createMemoryStore();
    const respond = async (): Promise<Response> => {
      await meanwhile(store, clock);
      return made('pay_test_1');
    };
    const one = createGuardedClient([respond], store, clock);
    return { ...one, paid: await one.pay() };
  }

  it('outranks another id that was bound, with a warning that names both', async () => {
    const { paid, store, warnings } = await payDuring((shared) =>
      createDuplicateGuard(shared).resolve(reference, 'pay_test_other'),
    );
    expect(paid).toMatchObject({ id: 'pay_test_1' });
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: 'pay_test_1' });
    expect(warnings).toMatchObject([{ code: 'guard_conflict' }]);
    expect(warnings[0]?.message).toMatch(/pay_test_1 .* pay_test_other/);
  });

  it('agrees with the same id that was bound', async () => {
    const { store, warnings } = await payDuring((shared) =>
      createDuplicateGuard(shared).resolve(reference, 'pay_test_1'),
    );
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: 'pay_test_1' });
    expect(warnings).toEqual([]);
  });

  it('is returned with a warning if another worker sends after a release', async () => {
    const { paid, store, warnings } = await payDuring(async (shared, clock) => {
      clock.pass(3_600_000);
      const other = createGuardedClient([() => new Promise<Response>(() => {})], shared, clock);
      await other.duplicateGuard.release(reference);
      void other.pay().catch(() => {});
      await expect.poll(async () => (await shared.read(reference))?.state).toBe('sending');
    });
    expect(paid).toMatchObject({ id: 'pay_test_1' });
    expect(await store.read(reference)).toMatchObject({ state: 'created', paymentId: 'pay_test_1' });
    expect(warnings).toMatchObject([{ code: 'guard_conflict' }]);
  });

  it('is returned with a warning if another reference holds its id, and closes its reference', async () => {
    const { paid, store, warnings, pay } = await payDuring((shared) =>
      shared.swap(
        {
          reference: 'b',
          version: 1,
          state: 'created',
          digest: 'd',
          key: 'k',
          sends: [],
          paymentId: 'pay_test_1',
        },
        { fromVersion: 0, writeId: 'w' },
      ),
    );
    expect(paid).toMatchObject({ id: 'pay_test_1' });
    expect(warnings).toMatchObject([{ code: 'guard_conflict' }]);
    expect(warnings[0]?.message).toContain('pay_test_1');
    expect(await store.read(reference)).toMatchObject({
      state: 'unknown',
      reason: 'pay_test_1 is held by another reference',
    });
    expect(await catchRejection(pay())).toMatchObject({ name: 'IdempotencyError' });
  });
});

describe('payments.reconcile', () => {
  it('rejects the cause of an error and asks for the error itself', async () => {
    const { client } = createGuardedClient([reset]);
    const error = (await catchRejection(client.payments.create(paymentInput))) as Error;
    const wrong = await catchRejection(client.payments.reconcile(error.cause as never));
    expect(String(wrong)).toContain('PaymentOutcomeUnknownError');
    expect(wrong).toMatchObject({ outcome: 'not_sent' });
  });

  it('accepts the error as JSON', async () => {
    const { client } = createGuardedClient([
      reset,
      success({ transactions: [], pagination: { has_more: false } }),
    ]);
    const error = await catchRejection(client.payments.create(paymentInput));
    const kept = JSON.parse(JSON.stringify(error)) as never;
    expect(await client.payments.reconcile(kept)).toEqual({ result: 'not_found_yet', reason: 'no_record' });
  });
});

describe('the duplicate guard after a rejected idempotency key of the call', () => {
  it('keeps the reference closed, because a payment may exist under that key', async () => {
    const message = 'This Idempotency-Key was used with another request body.';
    const respond = json(
      { success: false, mode: 'test', error: { type: 'idempotency_error', message } },
      422,
    );
    const { client, requests } = createGuardedClient([respond, success(payment, 201)]);
    const create = (options: object): Promise<unknown> =>
      catchRejection(client.payments.create(paymentInput, { reference, ...options }));
    expect(await create({ idempotencyKey: 'k1' })).toMatchObject({ name: 'IdempotencyError' });
    expect(await create({})).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
    expect(countPosts(requests)).toBe(1);
  });
});
