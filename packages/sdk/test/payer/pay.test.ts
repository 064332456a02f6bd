import { describe, expect, it, vi } from 'vitest';
import {
  createPayer,
  type Intent,
  type IntentStore,
  memoryStore,
  type Payer,
  type PayerOptions,
} from '../../src/entries/payer.ts';
import type { Client, Payment, PaymentInput, ServiceError, Warning } from '../../src/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { createPaymentService, openClient, type ServiceOptions } from '../payment-service.ts';
import { catchRejection, failure, refused, reset } from '../service.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const reference = 'order-42';
const body: PaymentInput = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};
const other: PaymentInput = { ...body, amount: '5.00' };
const lost = { name: 'PaymentOutcomeUnknownError', outcome: 'unknown' };
const notSent = { name: 'IdempotencyError', outcome: 'not_sent', reference };
const LEASE = 60_000;
const DAY = 86_400_000;

type Respond = (request: Request) => Response | Promise<Response>;

/** Creates a store whose digests are synchronous, so that no time passes meanwhile. */
const createPlainStore = (): IntentStore => ({ ...memoryStore(), fingerprintKey: undefined });

/** Creates workers of one store at a service. `respond` answers instead of the service if it returns a response. */
function setUp({
  store = createPlainStore(),
  toBody,
}: { readonly store?: IntentStore; readonly toBody?: ServiceOptions['toBody'] } = {}) {
  useSynchronousDigest();
  let unique = 0;
  const clock = { ...createManualClock(), unique: () => `unique-${(unique += 1)}` };
  const service = createPaymentService({ now: () => clock.date().getTime(), ...(toBody && { toBody }) });
  const answers: (Error | Response | Respond)[] = [];
  const keys: (string | null)[] = [];
  const warnings: Warning[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method === 'POST') keys.push(request.headers.get('idempotency-key'));
    const answer = request.method === 'POST' ? answers.shift() : undefined;
    if (answer instanceof Error) throw answer;
    if (answer === undefined) return service.fetch(request);
    return typeof answer === 'function' ? answer(request) : answer;
  };
  const createClient = (clientOptions: object = {}): Client =>
    openClient(
      fetch,
      { onWarning: (warning: Warning) => void warnings.push(warning), ...clientOptions },
      clock,
    );
  const createWorker = (options: Partial<PayerOptions> = {}, clientOptions: object = {}): Payer =>
    createPayer(createClient(clientOptions), { store, ...options });
  /** Advances the time until a promise settles. */
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    const state = { isSettled: false };
    const end = (): void => void (state.isSettled = true);
    promise.then(end, end);
    while (!state.isSettled) await clock.advance(500);
    return promise;
  };
  const write = async (intent: Intent): Promise<void> => {
    const fromVersion = (await store.read(intent.reference))?.version ?? 0;
    await store.swap(intent, { fromVersion, writeId: `write-${(unique += 1)}` });
  };
  const read = async (): Promise<Intent> => {
    const found = await store.read(reference);
    if (found === undefined) throw new Error('The store does not have the reference.');
    return found;
  };
  return { clock, service, answers, keys, warnings, store, createClient, createWorker, settle, write, read };
}

type Setup = ReturnType<typeof setUp>;

/** Returns the release of a reference by a person, after the last request can no longer arrive. */
async function releaseByPerson({ clock, read }: Setup, payer: Payer): Promise<Intent> {
  clock.suspend(10 * LEASE);
  const { version } = await read();
  return payer.resolve(reference, { version, by: 'Ada', because: 'no payment exists', release: true });
}

const past = { worker: 'w', until: '2026-01-31T11:50:00.000Z' };
const states = {
  new: undefined,
  planned: { state: 'planned', sends: [], body: 'planned' },
  'not sent': { state: 'planned', sends: [] },
  released: { state: 'planned' },
  held: { state: 'sending', holder: { worker: 'w', until: '2026-01-31T12:01:00.000Z' } },
  lapsed: { state: 'sending', holder: past },
  'lapsed, planned': { state: 'sending', holder: past, body: 'planned' },
  unknown: { state: 'unknown' },
  'unknown, planned': { state: 'unknown', body: 'planned' },
  'in conflict': { state: 'unknown', conflicts: [{ paymentId: 'pay_test_9', at: '', problem: 'p' }] },
  created: { state: 'created', paymentId: 'pay_test_000001', boundBy: 'response' },
  rejected: { state: 'rejected', sends: [] },
  'rejected, planned': { state: 'rejected', sends: [], body: 'planned' },
  abandoned: { state: 'abandoned' },
} as const satisfies Record<string, Partial<Intent> | undefined>;

/**
 * What each call sends and does. `old` and `new`: one create with the recorded key, or a new one. `find`: nothing is
 * sent, and the payment is searched. `return`: nothing is sent, and the recorded payment is returned. `refuse`: an error with
 * `not_sent`. `-`: nothing.
 */
type Cell = 'old' | 'new' | 'find' | 'return' | 'refuse' | '-';

// The table of docs/decisions/0051-paying-once-per-reference.md.
const cells: Record<keyof typeof states, readonly Cell[]> = {
  //                   the same body    another body     a run
  //                   no keys  keys    no keys  keys    no keys keys
  new: ['new', 'new', 'new', 'new', '-', '-'],
  planned: ['old', 'old', 'refuse', 'refuse', 'old', 'old'],
  'not sent': ['old', 'old', 'new', 'new', '-', '-'],
  released: ['old', 'old', 'new', 'new', '-', '-'],
  held: ['refuse', 'refuse', 'refuse', 'refuse', '-', '-'],
  lapsed: ['find', 'old', 'refuse', 'refuse', '-', '-'],
  'lapsed, planned': ['find', 'old', 'refuse', 'refuse', 'find', 'old'],
  unknown: ['find', 'old', 'refuse', 'refuse', '-', '-'],
  'unknown, planned': ['find', 'old', 'refuse', 'refuse', 'find', 'old'],
  'in conflict': ['find', 'find', 'refuse', 'refuse', '-', '-'],
  created: ['return', 'return', 'refuse', 'refuse', '-', '-'],
  rejected: ['new', 'new', 'new', 'new', '-', '-'],
  'rejected, planned': ['new', 'new', 'new', 'new', '-', '-'],
  abandoned: ['refuse', 'refuse', 'refuse', 'refuse', '-', '-'],
};

const calls = (['the same body', 'another body', 'a run'] as const).flatMap((event) =>
  [undefined, DAY].map((keyRetention) => ({ event, keyRetention })),
);

function toOutcome(result: unknown): string {
  if (result === undefined) return 'nothing';
  const { id, name, outcome } = result as { id?: string; name?: string; outcome?: string };
  if (id === 'pay_test_000001') return 'payment';
  return name === 'IdempotencyError' && outcome === 'not_sent' ? 'refused' : String(name);
}

describe('a reference', () => {
  it.each(
    Object.entries(cells).flatMap(([name, row]) =>
      row.map((cell, index) => ({ name: name as keyof typeof states, cell, ...calls[index] })),
    ),
  )('that is $name, with $event and keyRetention $keyRetention: $cell', async (row) => {
    const { name, cell, event, keyRetention } = row;
    const { createWorker, write, service, keys, settle, clock } = setUp();
    const payer = createWorker({}, { keyRetention });
    const { digest, body: planned } = await payer.prepare(reference, body);
    const fields: Partial<Intent> | undefined = states[name];
    // The payment that a create made, whose response was lost or recorded.
    const hasPayment = cell === 'find' || cell === 'return';
    if (hasPayment)
      await service.fetch(
        new Request('http://localhost/payments', { method: 'POST', body: JSON.stringify(body) }),
      );
    if (fields) {
      const sends = ['2026-01-31T12:00:00.000Z'];
      const known: Intent = { reference, version: 3, state: 'planned', digest, key: 'old', sends, ...fields };
      await write({ ...known, ...(fields.body && { body: planned }) });
    }
    clock.suspend(1_000);
    service.requests.length = 0;
    const runAll = async (): Promise<void> => {
      for await (const _ of payer.run());
    };
    const work: Promise<unknown> =
      event === 'a run' ? runAll() : payer.pay(reference, event === 'another body' ? other : body);
    const result = await settle(work.then(toOutcome, toOutcome));
    const outcome = cell === 'refuse' ? 'refused' : event === 'a run' ? 'nothing' : 'payment';
    expect({
      keys: keys.map((key) => (key === 'old' ? 'old' : 'new')),
      result,
      isSearched: service.requests.some((path) => path.endsWith('/transactions')),
    }).toEqual({
      keys: cell === 'old' || cell === 'new' ? [cell] : [],
      result: outcome,
      isSearched: cell === 'find',
    });
  });
});

describe('calls of one reference', () => {
  it('wait for the first one of the process and return its payment', async () => {
    const { createWorker, answers, service, settle } = setUp();
    const release = Promise.withResolvers<void>();
    answers.push(async (request) => {
      await release.promise;
      return service.fetch(request);
    });
    const payer = createWorker();
    const works = [1, 2, 3].map(() => payer.pay(reference, body));
    release.resolve();
    for (const one of await settle(Promise.all(works))) expect(one.id).toBe('pay_test_000001');
    expect(service.payments).toHaveLength(1);
  });

  it('are sent one after the other when the first is rejected', async () => {
    const { createWorker, answers, keys, settle } = setUp();
    answers.push(failure(422, 'insufficient_funds'));
    const payer = createWorker();
    const works = [1, 2, 3].map(() => payer.pay(reference, body));
    const results = await settle(Promise.allSettled(works));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(keys).toHaveLength(2);
  });

  it('have the same body whether the amount is a number or text', async () => {
    const { createWorker, keys, settle } = setUp();
    const payer = createWorker();
    await settle(payer.pay(reference, { ...body, amount: 100, from_currency: 'usd' }));
    expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
    for (const change of [{ amount: '5.00' }, { beneficiary_account: 'DE0' }, { purpose: undefined }]) {
      const error = await catchRejection(settle(payer.pay(reference, { ...body, ...change })));
      expect(error).toMatchObject({ ...notSent, paymentId: 'pay_test_000001' });
      expect(String(error)).toContain(`The reference ${reference} was used with another request body.`);
    }
    expect(keys).toHaveLength(1);
  });

  it.each([
    ['an option that does not exist', () => ({ signl: undefined })],
    ['a signal that is none', () => ({ signal: {} })],
  ])('are refused with %s', async (_, createOptions) => {
    const { createWorker, keys } = setUp();
    const error = await catchRejection(createWorker().pay(reference, body, createOptions() as never));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    expect(keys).toEqual([]);
  });
});

describe('the record of a payment', () => {
  it('contains no body, no name, no account and no guessable digest', async () => {
    const { createWorker, read, settle } = setUp({ store: memoryStore() });
    await settle(createWorker().pay(reference, body));
    const record = await read();
    expect(record).not.toHaveProperty('body');
    expect(JSON.stringify(record)).not.toMatch(/Acme|DE89/);
    const another = setUp({ store: memoryStore() });
    await another.settle(another.createWorker().pay(reference, body));
    expect((await another.read()).digest).not.toBe(record.digest);
  });

  it.each<[string, Error | Response, Partial<Intent>]>([
    ['planned when nothing was sent', refused, { state: 'planned', sends: [] }],
    ['planned after a 429', failure(429, 'rate_limit_error'), { state: 'planned' }],
    ['planned after a rejected key', failure(401, 'authentication_error'), { state: 'planned' }],
    [
      'rejected, with the name of the error, when the service refused it',
      failure(422, 'insufficient_funds'),
      { state: 'rejected', reason: 'InsufficientFundsError' },
    ],
    ['unknown when the connection broke', reset, { state: 'unknown' }],
    [
      'unknown, with the id that a broken response showed',
      new Response('{"data":{"id":"pay_test_000001",', { status: 201 }),
      { state: 'unknown', unprovenPaymentId: 'pay_test_000001' },
    ],
  ])('is %s', async (_, answer, record) => {
    const { createWorker, answers, read, settle } = setUp();
    answers.push(answer);
    await catchRejection(settle(createWorker().pay(reference, body)));
    expect(await read()).toMatchObject(record);
  });
});

/** The forms in which some services show payments. */
const withBeneficiary =
  (change: (beneficiary: Payment['beneficiary']) => object) =>
  (payment: Payment): object => ({
    ...payment,
    beneficiary: { ...payment.beneficiary, ...change(payment.beneficiary) },
  });
const cutName = withBeneficiary(({ name }) => ({ name: name.slice(0, 13) }));
const plainName = withBeneficiary(({ name }) => ({ name: name.replace('ü', 'u') }));
const cutBank = withBeneficiary(({ bank }) => ({ bank: bank?.slice(0, 10) }));
const hideAccount = withBeneficiary(() => ({ account: null }));
const roundAmount = (payment: Payment): object => ({ ...payment, send_amount: 100 });
const cutPurpose = (payment: Payment): object => ({ ...payment, purpose: payment.purpose?.slice(0, 15) });

describe('a reference with an unknown outcome', () => {
  it('stays unknown while no payment is found, with the facts of the create', async () => {
    const { createWorker, service, settle, keys, clock } = setUp();
    service.loseNext('before');
    const payer = createWorker();
    await catchRejection(settle(payer.pay(reference, body)));
    clock.suspend(5_000);
    const error = (await catchRejection(settle(payer.pay(reference, body)))) as ServiceError;
    expect(error).toMatchObject({
      ...lost,
      phase: 'searched',
      reference,
      sentAt: '2026-01-31T12:00:00.000Z',
      sent: { amount: '100.00' },
      idempotencyKey: keys[0],
    });
    expect(error.message).toContain('Nothing was sent');
    expect(keys).toHaveLength(1);
  });

  it('stays unknown if the search fails, with the cause', async () => {
    const { createWorker, answers, settle, service } = setUp();
    answers.push(reset);
    const fetch = async (request: Request): Promise<Response> =>
      request.method === 'GET' ? failure(503, 'server_error') : service.fetch(request);
    await catchRejection(settle(createWorker().pay(reference, body)));
    const error = await catchRejection(settle(createWorker({}, { fetch }).pay(reference, body)));
    expect(error).toMatchObject({ ...lost, phase: 'searched', cause: { name: 'ServerError' } });
  });

  it('keeps the id of an unreadable response, and gets only that payment', async () => {
    const { createWorker, service, answers, settle } = setUp();
    answers.push(async (request) => {
      await service.fetch(request);
      return new Response('{"data":{"id":"pay_test_000001",', { status: 201 });
    });
    const payer = createWorker();
    await catchRejection(settle(payer.pay(reference, body)));
    service.errorStatuses.set('pay_test_000001', 404);
    expect(await catchRejection(settle(payer.pay(reference, body)))).toMatchObject({
      ...lost,
      paymentId: 'pay_test_000001',
    });
    service.errorStatuses.clear();
    expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
    expect(service.requests).not.toContain('GET /api/v1/transactions');
  });

  const longNames = { beneficiary_name: 'Alder Limited Branch' };
  const alder = { beneficiary_name: 'Alder Limited', beneficiary_account: undefined };
  it.each<[string, Partial<PaymentInput>, Partial<PaymentInput>, (payment: Payment) => object, boolean]>([
    ['names', { beneficiary_name: 'Alder Limited' }, longNames, cutName, true],
    ['accents', { beneficiary_name: 'Muller' }, { beneficiary_name: 'Müller' }, plainName, true],
    [
      'banks',
      { ...alder, beneficiary_bank: 'Alder Bank' },
      { ...alder, beneficiary_bank: 'Alder Bank plc' },
      cutBank,
      true,
    ],
    ['accounts', alder, { ...alder, beneficiary_account: 'DE89370400440532013000' }, hideAccount, true],
    ['amounts', {}, { amount: '100.004' }, roundAmount, true],
    ['purposes', { purpose: 'Rent of October' }, { purpose: 'Rent of October, flat' }, cutPurpose, true],
    ['other accounts', {}, { beneficiary_account: 'DE89370400440532013001' }, (payment) => payment, false],
    ['other purposes', {}, { purpose: 'INV-43' }, (payment) => payment, false],
  ])('does not get the payment of another one: %s', async (_, own, rival, toBody, isAlike) => {
    const { createWorker, service, settle, clock } = setUp({ toBody });
    service.loseNext('before');
    const payer = createWorker();
    const pay = (): Promise<unknown> => catchRejection(settle(payer.pay(reference, { ...body, ...own })));
    await pay();
    service.loseNext('after');
    await catchRejection(settle(payer.pay('order-43', { ...body, ...rival })));
    clock.suspend(5_000);
    expect(await pay()).toMatchObject(lost);
    const found = payer.pay('order-43', { ...body, ...rival }).then(({ id }) => id);
    expect(await settle(found.catch(() => 'unknown'))).toBe(isAlike ? 'unknown' : 'pay_test_000001');
  });

  it('is sent again with its key after a person has released it', async () => {
    const setup = setUp();
    const { createWorker, service, settle, keys, read } = setup;
    const payer = createWorker();
    service.loseNext('before');
    await catchRejection(settle(payer.pay(reference, body)));
    const { version } = await read();
    const early = payer.resolve(reference, { version, by: 'Ada', because: 'sure', release: true });
    expect(await catchRejection(settle(early))).toMatchObject(notSent);
    expect(await settle(releaseByPerson(setup, payer))).toMatchObject({
      state: 'planned',
      audit: { by: 'Ada', decision: 'released' },
    });
    expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
    expect(keys).toEqual([keys[0], keys[0]]);
    expect((await read()).sends).toHaveLength(1);
  });
});

describe('a paid reference whose payment cannot be read', () => {
  it.each([400, 401, 403, 404, 422, 429, 500])(
    'has an unknown outcome with the id, after %i',
    async (status) => {
      const { createWorker, service, settle, keys } = setUp();
      const payer = createWorker();
      const { id } = await settle(payer.pay(reference, body));
      service.errorStatuses.set(id, status);
      const error = (await catchRejection(settle(payer.pay(reference, body)))) as ServiceError;
      expect(error).toMatchObject({ ...lost, phase: 'recorded', paymentId: id, reference });
      expect(error).toHaveProperty('sent.amount', '100.00');
      expect(error.message).toContain(`retrieve ${id}`);
      expect(keys).toHaveLength(1);
    },
  );
});

describe('the signal of a call', () => {
  it('ends it before anything is sent', async () => {
    const { createWorker, keys } = setUp();
    const error = await catchRejection(
      createWorker().pay(reference, body, { signal: AbortSignal.abort('enough') }),
    );
    expect(error).toMatchObject({ name: 'AbortError', outcome: 'not_sent', cause: 'enough' });
    expect(keys).toEqual([]);
  });

  it('ends it while the store hangs, and then nothing is sent', async () => {
    const store = createPlainStore();
    const hang = Promise.withResolvers<void>();
    const read = vi.fn<IntentStore['read']>(async (name) => {
      await hang.promise;
      return store.read(name);
    });
    const { createWorker, keys, settle } = setUp({ store: { ...store, read } });
    const controller = new AbortController();
    const failed = catchRejection(createWorker().pay(reference, body, { signal: controller.signal }));
    await expect.poll(() => read.mock.calls.length).toBe(1);
    controller.abort();
    expect(await failed).toMatchObject({ name: 'AbortError', outcome: 'not_sent' });
    hang.resolve();
    expect(await settle(createWorker({ store }).pay('line-1', body))).toMatchObject({ status: 'pending' });
    expect(keys).toHaveLength(1);
  });

  it('ends the wait for another call, and that call goes on', async () => {
    const { createWorker, answers, settle, service, keys } = setUp();
    const [arrived, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answers.push(async (request) => {
      arrived.resolve();
      await end.promise;
      return service.fetch(request);
    });
    const payer = createWorker();
    const first = payer.pay(reference, body);
    await arrived.promise;
    const controller = new AbortController();
    const second = catchRejection(payer.pay(reference, body, { signal: controller.signal }));
    controller.abort();
    expect(await second).toMatchObject({ name: 'AbortError', outcome: 'not_sent' });
    end.resolve();
    expect(await settle(first)).toMatchObject({ id: 'pay_test_000001' });
    expect(keys).toHaveLength(1);
  });

  it.each([
    ['searched', 'has an unknown outcome', true, undefined],
    ['recorded', 'has a payment', false, 'pay_test_000001'],
  ])(
    'leaves the outcome unknown, with the phase %s, if the reference %s',
    async (phase, _, isLost, paymentId) => {
      const { createWorker, settle, service, keys } = setUp();
      const payer = createWorker();
      if (isLost) service.loseNext('after');
      await settle(payer.pay(reference, body)).catch(() => {});
      const controller = new AbortController();
      vi.spyOn(service, 'fetch').mockImplementation(() => {
        controller.abort();
        return new Promise(() => {});
      });
      const paying = payer.pay(reference, body, { signal: controller.signal });
      expect(await catchRejection(settle(paying))).toMatchObject({ ...lost, phase, reference, paymentId });
      expect(keys).toHaveLength(1);
    },
  );
});

/** Wraps a store whose single writes fail, by the state that they write. `isApplied`: the write is applied before it fails. */
function failWrites(state: Intent['state'], isApplied = false) {
  const inner = createPlainStore();
  const outage = { isOver: false, late: undefined as (() => Promise<unknown>) | undefined };
  const store: IntentStore = {
    ...inner,
    swap: async (next, write) => {
      if (outage.isOver || next.state !== state) return inner.swap(next, write);
      if (isApplied) await inner.swap(next, write);
      outage.late = () => inner.swap(next, write);
      throw new Error('the disk is full');
    },
  };
  return { store, inner, outage };
}

describe('a store that fails', () => {
  it.each([false, true])(
    'prevents the request if it fails before it, and later it is sent once: applied %s',
    async (isApplied) => {
      const { store, outage } = failWrites('sending', isApplied);
      const { createWorker, keys, settle, service } = setUp({ store });
      const payer = createWorker();
      expect(await catchRejection(settle(payer.pay(reference, body)))).toMatchObject({
        name: 'ConfigurationError',
        outcome: 'not_sent',
        cause: { message: 'the disk is full' },
      });
      expect(keys).toEqual([]);
      outage.isOver = true;
      // Another body is allowed, because nothing was sent.
      expect(await settle(payer.pay(reference, other))).toMatchObject({ send_amount: 5 });
      expect(service.payments).toHaveLength(1);
    },
  );

  it('prevents the request if it hangs before it, and hides no payment if it hangs after it', async () => {
    const endless = (): Promise<never> => new Promise(() => {});
    const before = setUp({ store: { ...createPlainStore(), read: endless } });
    expect(await catchRejection(before.settle(before.createWorker().pay(reference, body)))).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
    });
    expect(before.keys).toEqual([]);
    const inner = createPlainStore();
    const swap: IntentStore['swap'] = (next, write) =>
      next.state === 'created' ? endless() : inner.swap(next, write);
    const after = setUp({ store: { ...inner, swap } });
    expect(await after.settle(after.createWorker().pay(reference, body))).toMatchObject({
      id: 'pay_test_000001',
    });
    expect(after.warnings).toMatchObject([{ code: 'store_failed' }]);
  });

  it('leaves a reference open for the process whose claim is applied late, and closed for others', async () => {
    const { store, inner, outage } = failWrites('sending');
    const { createWorker, keys, settle, read } = setUp({ store });
    const payer = createWorker();
    await catchRejection(settle(payer.pay(reference, body)));
    outage.isOver = true;
    await outage.late?.();
    expect(await inner.read(reference)).toMatchObject({ state: 'sending' });
    expect(await catchRejection(settle(createWorker().pay(reference, body)))).toMatchObject(notSent);
    expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
    expect(keys).toHaveLength(1);
    expect((await read()).sends).toHaveLength(1);
  });

  it.each([false, true])(
    'loses no payment if it fails after the create, and records it later: applied %s',
    async (isApplied) => {
      const { store, inner, outage } = failWrites('created', isApplied);
      const { createWorker, keys, settle, warnings } = setUp({ store });
      const payer = createWorker();
      expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
      expect(warnings).toMatchObject([{ code: 'store_failed' }]);
      outage.isOver = true;
      expect(await settle(payer.pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
      expect(await inner.read(reference)).toMatchObject({ state: 'created', boundBy: 'response' });
      expect(keys).toHaveLength(1);
    },
  );

  it('prevents the request if its reads stay stale', async () => {
    const store = createPlainStore();
    const { createWorker, keys, settle } = setUp({ store });
    await settle(createWorker().pay(reference, body));
    const replica = createWorker({ store: { ...store, read: async () => undefined } });
    expect(await catchRejection(settle(replica.pay(reference, body)))).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
      message: expect.stringContaining('returns the latest write') as string,
    });
    let reads = 0;
    const lagging: IntentStore = {
      ...store,
      read: async (name) => ((reads += 1) === 1 ? undefined : store.read(name)),
    };
    expect(await settle(createWorker({ store: lagging }).pay(reference, body))).toMatchObject({
      id: 'pay_test_000001',
    });
    expect(keys).toHaveLength(1);
  });

  it.each(['{"state":"created"}', {}, 5, true, { reference: 'another' }])(
    'prevents the request if it returns %o',
    async (record) => {
      const { createWorker, keys, settle } = setUp({
        store: { ...createPlainStore(), read: async () => record as never },
      });
      const error = await catchRejection(settle(createWorker().pay(reference, body)));
      expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
      expect(String(error)).toContain('Return parsed JSON');
      expect(keys).toEqual([]);
    },
  );

  it('may return null for an unknown reference, and must return documented results', async () => {
    const nulls = setUp({ store: { ...createPlainStore(), read: async () => null as never } });
    expect(await nulls.settle(nulls.createWorker().pay(reference, body))).toMatchObject({
      status: 'pending',
    });
    const { createWorker, keys, settle } = setUp({
      store: { ...createPlainStore(), swap: async () => true as never },
    });
    const error = await catchRejection(settle(createWorker().pay(reference, body)));
    expect(String(error)).toContain("'done', 'lost' or 'id_taken'");
    expect(keys).toEqual([]);
    const lists = setUp({ store: { ...createPlainStore(), list: async function* () {} as never } });
    const failed = catchRejection(lists.createWorker().run()[Symbol.asyncIterator]().next());
    expect(String(await lists.settle(failed))).toContain('must return an array of intents');
  });

  it.each([null, {}, { get: () => {}, put: () => {} }, new Map()])('is not accepted as %o', (store) => {
    expect(() => setUp().createWorker({ store: store as never })).toThrow('store');
  });

  it.each(['', 'short', 5])('needs a fingerprint key of 32 characters, not %o', (fingerprintKey) => {
    const store = { ...createPlainStore(), fingerprintKey: fingerprintKey as never };
    expect(() => setUp().createWorker({ store })).toThrow('32 characters');
  });
});

describe('a payment whose record changed during its create', () => {
  /** Pays while the record gets another payment id. */
  async function payWhileBound(bound: Partial<Intent>) {
    const { createWorker, answers, settle, service, read, write, warnings } = setUp();
    answers.push(async (request) => {
      const current = await read();
      await write({ ...current, version: current.version + 1, state: 'created', ...bound });
      return service.fetch(request);
    });
    expect(await settle(createWorker().pay(reference, body))).toMatchObject({ id: 'pay_test_000001' });
    expect(await read()).toMatchObject({ state: 'created', paymentId: 'pay_test_000001' });
    return warnings;
  }

  it('is returned and recorded beside another id that a person bound, with a warning', async () => {
    const warnings = await payWhileBound({ paymentId: 'pay_test_9', boundBy: 'person' });
    expect(warnings).toMatchObject([{ code: 'reference_conflict' }]);
    expect(warnings[0]?.message).toMatch(/pay_test_000001 .* pay_test_9/);
  });

  it('agrees with the same id that was bound', async () => {
    expect(await payWhileBound({ paymentId: 'pay_test_000001' })).toEqual([]);
  });
});

describe('the account of a call', () => {
  it('is read within the timeout of the client', async () => {
    const { createWorker, keys, settle } = setUp();
    const apiKey = (): Promise<string> => new Promise(() => {});
    const payer = createWorker({}, { apiKey });
    const attempts: (() => Promise<unknown>)[] = [
      () => payer.pay(reference, body),
      () => payer.plan(reference, body),
      () => payer.run()[Symbol.asyncIterator]().next(),
    ];
    for (const call of attempts)
      expect(await catchRejection(settle(call()))).toMatchObject({
        name: 'TimeoutError',
        outcome: 'not_sent',
        message: expect.stringContaining('apiKey function') as string,
      });
    expect(keys).toEqual([]);
  });
});
