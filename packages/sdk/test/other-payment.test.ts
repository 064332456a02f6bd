import { describe, expect, it } from 'vitest';
import { createDeferred } from '@service/internal';
import { createPayer, memoryStore, type Payer } from '../src/entries/payer.ts';
import {
  type Client,
  type PaymentInput,
  PaymentOutcomeUnknownError,
  type PaymentTrace,
} from '../src/index.ts';
import { systemClock } from '../src/transport/deadline.ts';
import { createPaymentService, openClient, type PaymentService } from './payment-service.ts';
import { catchRejection, createStubClient, json, payment, paymentInput, success } from './service.ts';

const bodyOf = (name: string): PaymentInput => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: `${name} Miller`,
  beneficiary_account: 'DE89370400440532013000',
  purpose: `salary ${name} 12`,
});

/** Creates a client, whose date can be another one than that of the system. */
const open = (fetch: PaymentService['fetch'], options: object = {}, date = () => new Date()): Client =>
  openClient(fetch, { maxRetries: 3, ...options }, { ...systemClock, date });

/** Exchanges the responses of the first two creates, as a proxy that confuses connections does. */
function exchangeResponses(
  { fetch }: PaymentService,
  damage: (response: Response) => Response | Promise<Response> = (response) => response,
): PaymentService['fetch'] {
  const first = createDeferred<Response>();
  const second = createDeferred<Response>();
  let creates = 0;
  return async (request) => {
    const response = await fetch(request);
    if (request.method !== 'POST' || (creates += 1) > 2) return response;
    const [own, other] = creates === 1 ? [first, second] : [second, first];
    own.resolve(response);
    return damage(await other.promise);
  };
}

/** Cuts the text of a response within its payment, after the id. */
async function cut(response: Response): Promise<Response> {
  const text = await response.text();
  return new Response(text.slice(0, text.indexOf('"status"') + 12), response);
}

describe('a create whose response shows the payment of another create', () => {
  const createBoth = async (client: Client): Promise<PaymentOutcomeUnknownError[]> => {
    const calls = ['Alice', 'Bob'].map((name) => catchRejection(client.payments.create(bodyOf(name))));
    return (await Promise.all(calls)) as PaymentOutcomeUnknownError[];
  };

  it('has an unknown outcome that names the fields and keeps the id apart', async () => {
    const service = createPaymentService();
    const errors = await createBoth(open(exchangeResponses(service)));
    const [alice, bob] = service.payments.map(({ id }) => id);
    expect(service.payments).toHaveLength(2);
    for (const [index, error] of errors.entries()) {
      expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
      expect(error).toMatchObject({
        code: 'other_payment',
        outcome: 'unknown',
        phase: 'responded',
        attempts: 1,
        paymentId: undefined,
        otherPaymentId: index === 0 ? bob : alice,
        differingFields: ['beneficiary_name', 'purpose'],
        exclude: [],
      });
      expect(error.message).toContain('(beneficiary_name, purpose)');
      expect(JSON.stringify(error)).not.toMatch(/Miller|DE89/);
    }
  });

  it('finds its own payment by reconcile, in the same client and in another one', async () => {
    const service = createPaymentService();
    const client = open(exchangeResponses(service));
    const errors = await createBoth(client);
    for (const [index, error] of errors.entries())
      for (const each of [client, open(service.fetch)])
        expect(await each.payments.reconcile(error)).toMatchObject({
          result: 'found',
          evidence: 'purpose+beneficiary',
          payment: { id: service.payments[index]?.id },
        });
  });

  it('is no payment that shows nothing but an id, which is looked up', async () => {
    const { id, status } = payment;
    const { client } = createStubClient([success({ id, status }, 201), success(payment)]);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ phase: 'responded', paymentId: id });
    expect(error).not.toHaveProperty('otherPaymentId');
    expect(await client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
      result: 'found',
      evidence: 'id',
    });
  });
});

describe('a payment that the client returned for another create', () => {
  const cached = (service: PaymentService): PaymentService['fetch'] => {
    let first: Response | undefined;
    return async (request) => {
      if (request.method !== 'POST') return service.fetch(request);
      first ??= await service.fetch(request);
      return first.clone();
    };
  };

  it('is no payment of a create with another key, also with an equal body', async () => {
    const service = createPaymentService();
    const client = open(cached(service));
    const { id } = await client.payments.create(bodyOf('Alice'), { idempotencyKey: 'a' });
    expect((await client.payments.create(bodyOf('Alice'), { idempotencyKey: 'a' })).id).toBe(id);
    for (const body of [bodyOf('Alice'), { ...bodyOf('Alice'), amount: '900.00' }])
      expect(await catchRejection(client.payments.create(body))).toMatchObject({
        code: 'other_payment',
        otherPaymentId: id,
        differingFields: [],
      });
  });

  it('is no payment of another reference, with one client or two', async () => {
    for (const isShared of [true, false]) {
      const service = createPaymentService();
      const fetch = cached(service);
      const store = memoryStore();
      const client = open(fetch);
      const payer = createPayer(client, { store });
      const other = isShared ? payer : createPayer(open(fetch), { store });
      const paid = await payer.pay('A', bodyOf('Alice'));
      const [b, c] = [
        await catchRejection(other.pay('B', bodyOf('Alice'))),
        await catchRejection(other.pay('C', { ...bodyOf('Alice'), amount: '900.00' })),
      ];
      for (const error of [b, c])
        expect(error).toMatchObject({ code: 'other_payment', otherPaymentId: paid.id });
      expect((await payer.pay('A', bodyOf('Alice'))).id).toBe(paid.id);
      expect(await store.read('B')).toMatchObject({ state: 'unknown' });
    }
  });

  it('stays with the reference for which it was found, if the response to another one shows it', async () => {
    const service = createPaymentService();
    const store = memoryStore();
    service.loseNext('after');
    const rent = (amount: string) => ({ ...bodyOf('Alice'), amount });
    const payer = createPayer(open(service.fetch), { store });
    await catchRejection(payer.pay('A', rent('250.00')));
    const { id } = await payer.pay('A', rent('250.00'));
    const answer = Response.json({ success: true, mode: 'test', data: service.payments[0] }, { status: 201 });
    const fetch: PaymentService['fetch'] = async (request) =>
      request.method === 'POST' ? answer.clone() : service.fetch(request);
    const error = await catchRejection(createPayer(open(fetch), { store }).pay('B', rent('900.00')));
    expect(error).toMatchObject({ code: 'other_payment', otherPaymentId: id });
    expect(await store.read('A')).toMatchObject({ state: 'created', paymentId: id });
  });

  it('is excluded where the service rounds the amounts of two creates alike', async () => {
    const service = createPaymentService({ takeAmount: Math.round });
    const client = open(service.fetch);
    const yen = (amount: string) => ({ ...bodyOf('Alice'), from_currency: 'JPY', amount });
    const { id } = await client.payments.create(yen('251'));
    const error = await lose(service, client, 'before', yen('250.50'));
    expect(error.exclude).toEqual([id]);
  });
});

describe('a reference whose recorded payment shows another supplier later', () => {
  it('is not answered with that payment', async () => {
    const service = createPaymentService();
    const store = memoryStore();
    const { id } = await createPayer(open(service.fetch), { store }).pay('A', bodyOf('Alice'));
    const fetch: PaymentService['fetch'] = async (request) => {
      const text = await (await service.fetch(request)).text();
      return new Response(text.replaceAll('Alice', 'Bob'), {
        headers: { 'content-type': 'application/json' },
      });
    };
    const error = await catchRejection(createPayer(open(fetch), { store }).pay('A', bodyOf('Alice')));
    expect(error).toMatchObject({ phase: 'recorded', code: 'other_payment', otherPaymentId: id });
  });
});

describe('two payers of one store whose responses are exchanged', () => {
  const payBoth = (payers: readonly Payer[], names: readonly string[]): Promise<unknown[]> =>
    Promise.all(
      names.map((name, index) => catchRejection(payers[index]?.pay(name, bodyOf(name)) as Promise<unknown>)),
    );

  it.each([
    ['complete', undefined, { keyRetention: 86_400_000 }],
    ['incomplete', cut, {}],
  ])('pay each reference once, and find its payment without a person: %s', async (_, damage, options) => {
    const service = createPaymentService();
    const fetch = exchangeResponses(service, damage);
    const store = memoryStore();
    const payers = [open(fetch, options), open(fetch, options)].map((client) =>
      createPayer(client, { store }),
    );
    const errors = await payBoth(payers, ['Alice', 'Bob']);
    expect(errors).toMatchObject([
      { name: 'PaymentOutcomeUnknownError' },
      { name: 'PaymentOutcomeUnknownError' },
    ]);
    // The other payer, and a new one: no process has to know more than the store.
    const late = [payers[1], createPayer(open(service.fetch), { store })];
    for (const [index, name] of ['Alice', 'Bob'].entries()) {
      const own = service.payments.find(({ purpose }) => purpose === bodyOf(name).purpose);
      expect((await late[index]?.pay(name, bodyOf(name)))?.id).toBe(own?.id);
      expect(await store.read(name)).toMatchObject({ state: 'created', paymentId: own?.id });
      expect(await store.read(name)).not.toHaveProperty('conflicts');
    }
    expect(service.payments).toHaveLength(2);
  });

  it('leave the payment of a reference to it if another one has its id from an incomplete response', async () => {
    const service = createPaymentService();
    const store = memoryStore();
    let bobs: Response | undefined;
    const fetch: PaymentService['fetch'] = async (request) => {
      const isCreate = request.method === 'POST';
      const isAlice = isCreate && (await request.clone().text()).includes('Alice');
      const response = await service.fetch(request);
      if (isAlice) return cut((bobs as Response).clone());
      if (!isCreate) return response;
      bobs = response.clone();
      // Bob's response arrives after Alice's.
      await catchRejection(payer.pay('Alice', bodyOf('Alice')));
      return response;
    };
    const payer = createPayer(open(fetch), { store });
    const bob = await payer.pay('Bob', bodyOf('Bob'));
    expect(await store.read('Bob')).toMatchObject({ paymentId: bob.id, boundBy: 'response' });
    expect(await store.read('Bob')).not.toHaveProperty('conflicts');
    expect(await store.read('Alice')).toMatchObject({ state: 'unknown', unprovenPaymentId: bob.id });
    expect((await payer.pay('Alice', bodyOf('Alice'))).purpose).toBe('salary Alice 12');
    expect(service.payments).toHaveLength(2);
  });

  it('do not let a person bind the payment of another create', async () => {
    const service = createPaymentService();
    const store = memoryStore();
    const stranger = await open(service.fetch).payments.create(bodyOf('Carol'));
    const fetch: PaymentService['fetch'] = async (request) =>
      request.method === 'POST'
        ? json({ success: true, mode: 'test', data: stranger }, 201)
        : service.fetch(request);
    const payer = createPayer(open(fetch), { store });
    expect(await catchRejection(payer.pay('Dan', bodyOf('Dan')))).toMatchObject({
      code: 'other_payment',
      reference: 'Dan',
      otherPaymentId: stranger.id,
    });
    const { version = 0, reason } = (await store.read('Dan')) ?? {};
    expect(reason).toBe('other_payment');
    const decision = { version, by: 'Ada', because: 'the id in the error' };
    await expect(payer.resolve('Dan', { ...decision, paymentId: stranger.id })).rejects.toThrow(
      'The payment is the one of another create',
    );
    // The reference that it belongs to can still have it.
    await store.swap(
      {
        reference: 'Carol',
        version: 1,
        state: 'unknown',
        digest: '',
        key: 'k',
        sends: [],
        paymentId: stranger.id,
      },
      { fromVersion: 0, writeId: 'w' },
    );
    expect(await store.read('Carol')).toMatchObject({ paymentId: stranger.id });
  });
});

/** Loses the response of the next create of a client, or the request. */
async function lose(
  service: PaymentService,
  client: Client,
  when: 'before' | 'after',
  body = bodyOf('Alice'),
): Promise<PaymentOutcomeUnknownError> {
  service.loseNext(when);
  return (await catchRejection(client.payments.create(body))) as PaymentOutcomeUnknownError;
}
/** Returns the JSON of an error with its beneficiary, as another process gets it. */
const toTrace = (error: PaymentOutcomeUnknownError): PaymentTrace => ({
  ...(JSON.parse(JSON.stringify(error)) as PaymentTrace),
  sent: error.getBody(),
});

describe('payments.reconcile beside other creates of equal bodies', () => {
  it('does not find the payment that the client returned for another create', async () => {
    const service = createPaymentService();
    const client = open(service.fetch);
    const { id } = await client.payments.create(bodyOf('Alice'));
    await client.payments.create({ ...bodyOf('Bob'), amount: '7.00' });
    const error = await lose(service, client, 'before');
    expect(error.exclude).toEqual([id]);
    for (const create of [error, toTrace(error)])
      for (const each of [client, open(service.fetch)])
        expect(await each.payments.reconcile(create)).toMatchObject({ result: 'not_found_yet' });
  });

  it('does not find it either if the clock of the client was set back', async () => {
    const service = createPaymentService();
    let ahead = 30_000;
    const client = open(service.fetch, {}, () => new Date(Date.now() + ahead));
    await client.payments.create(bodyOf('Alice'));
    ahead = -30_000;
    const error = await lose(service, client, 'before');
    ahead = 0;
    expect(await client.payments.reconcile(error)).toMatchObject({ result: 'not_found_yet' });
  });

  it('does not find the payment that the client returned for a later create', async () => {
    const service = createPaymentService();
    const client = open(service.fetch);
    const error = await lose(service, client, 'before');
    await client.payments.create(bodyOf('Alice'));
    expect(await client.payments.reconcile(error)).toMatchObject({ result: 'not_found_yet' });
  });

  it('is ambiguous for two lost creates that one payment can belong to', async () => {
    for (const idempotencyKeys of ['send', 'omit']) {
      const service = createPaymentService({ now: () => Date.UTC(2026, 0, 31, 12) });
      // All requests are sent in one moment.
      const date = (): Date => new Date(Date.UTC(2026, 0, 31, 12));
      const client = open(service.fetch, { idempotencyKeys }, date);
      const errors = [await lose(service, client, 'after'), await lose(service, client, 'before')];
      for (const error of [...errors, ...errors])
        expect(await client.payments.reconcile(error)).toMatchObject({
          result: 'ambiguous',
          reason: 'open_create',
          payments: [{ id: service.payments[0]?.id }],
        });
      expect(errors[1]?.openCreates).toEqual([errors[0]?.sentAt]);
      expect(
        await open(service.fetch).payments.reconcile(toTrace(errors[1] as PaymentOutcomeUnknownError)),
      ).toMatchObject({ result: 'ambiguous', reason: 'open_create' });
    }
  });

  it('gives a payment that was found for one create to no other one', async () => {
    let time = Date.now();
    const service = createPaymentService({ now: () => time });
    const client = open(service.fetch, {}, () => new Date(time));
    const first = await lose(service, client, 'after');
    time += 60_000;
    const second = await lose(service, client, 'before');
    const found = { result: 'found', payment: { id: service.payments[0]?.id } };
    // The second create was sent after the payment was made.
    expect(await client.payments.reconcile(first)).toMatchObject(found);
    expect(await client.payments.reconcile(first)).toMatchObject(found);
    // Its own payment is not there, and the other one has its create.
    expect(await client.payments.reconcile(second, { clockSkew: 3_600_000 })).toMatchObject({
      result: 'not_found_yet',
    });
  });

  it('counts a create that is still running', async () => {
    const service = createPaymentService();
    const running = createDeferred();
    let creates = 0;
    const client = open(async (request) => {
      if (request.method === 'POST' && (creates += 1) === 1) await running.promise;
      return service.fetch(request);
    });
    const first = client.payments.create(bodyOf('Alice'));
    const error = await lose(service, client, 'after');
    expect(await client.payments.reconcile(error)).toMatchObject({
      result: 'ambiguous',
      reason: 'open_create',
    });
    running.resolve();
    await first;
    expect(await client.payments.reconcile(error)).toMatchObject({
      result: 'found',
      payment: { id: service.payments[0]?.id },
    });
  });

  it('needs `exclude` for a body and a time, of whose other creates nothing is known', async () => {
    const service = createPaymentService();
    const { id } = await open(service.fetch).payments.create(bodyOf('Alice'));
    const lost = { ...bodyOf('Alice'), since: new Date() };
    const client = open(service.fetch);
    expect(await client.payments.reconcile(lost)).toMatchObject({
      result: 'ambiguous',
      reason: 'missing_exclude',
      payments: [{ id }],
    });
    expect(await client.payments.reconcile(lost, { exclude: [id] })).toMatchObject({
      result: 'not_found_yet',
    });
    expect(await client.payments.reconcile(lost, { exclude: [] })).toMatchObject({ result: 'found' });
  });
});

describe('payments.reconcile with clients of different experience', () => {
  /** A service that cuts purposes at 16 characters. */
  const cutting = () =>
    createPaymentService({ toBody: (one) => ({ ...one, purpose: one.purpose?.slice(0, 16) ?? null }) });
  const rent = (purpose: string): PaymentInput => ({ ...bodyOf('Alice'), purpose });

  it('has one answer for one error', async () => {
    const service = createPaymentService();
    const warm = open(service.fetch);
    const early = await lose(service, warm, 'before');
    await open(service.fetch).payments.create(bodyOf('Bob'));
    await warm.payments.create({ ...bodyOf('Carol'), amount: '7.00' });
    const late = await lose(service, warm, 'before', { ...bodyOf('Dan'), purpose: 'salary Dan 12' });
    for (const [error, expected] of [
      [early, { result: 'ambiguous', reason: 'different_fields' }],
      [late, { result: 'not_found_yet' }],
    ] as const)
      for (const client of [warm, open(service.fetch)])
        for (const create of [error, toTrace(error)])
          expect(await client.payments.reconcile(create)).toMatchObject(expected);
  });

  it('never finds a payment whose purpose the service can have cut', async () => {
    const service = cutting();
    const warm = open(service.fetch);
    await warm.payments.create(rent('rent for March flat 11'));
    // Another process pays another flat: its purpose is shown as `rent for March f`.
    await open(service.fetch).payments.create(rent('rent for March flat 12'));
    const error = await lose(service, warm, 'before', rent('rent for March f'));
    for (const client of [warm, open(service.fetch)])
      for (const create of [error, toTrace(error)])
        expect(await client.payments.reconcile(create)).toMatchObject({
          result: 'ambiguous',
          reason: 'unconfirmed_purpose',
        });
  });

  it('finds the payment of a reference beside older payments of the store whose purposes start with its own', async () => {
    let time = Date.now() - 5 * 86_400_000;
    const service = createPaymentService({ now: () => time });
    const store = memoryStore();
    const pay = (purpose: string) => {
      const client = open(service.fetch, {}, () => new Date(time));
      return createPayer(client, { store }).pay(purpose, rent(purpose));
    };
    await pay('INV-10');
    time = Date.now();
    service.loseNext('after');
    await catchRejection(pay('INV-1'));
    expect((await pay('INV-1')).purpose).toBe('INV-1');
    expect(service.payments).toHaveLength(2);
  });

  it('takes a purpose that another record starts with for no proof, unless the service returns purposes as sent', async () => {
    const service = createPaymentService();
    await open(service.fetch).payments.create({ ...rent('INV-41'), amount: '7.00' });
    const fresh = await lose(service, open(service.fetch), 'after', rent('INV-4'));
    const other = open(service.fetch);
    expect(await other.payments.reconcile(fresh)).toMatchObject({
      result: 'ambiguous',
      reason: 'unconfirmed_purpose',
    });
    const warm = open(service.fetch);
    await warm.payments.create({ ...rent('INV-5'), amount: '8.00' });
    const error = await lose(service, warm, 'after', rent('INV-6'));
    expect(error.returnedFields).toMatchObject({ purpose: 'exact', beneficiary_account: 'exact' });
    await warm.payments.create({ ...rent('INV-61'), amount: '7.00' });
    expect(await other.payments.reconcile(error)).toMatchObject({ result: 'found' });
  });
});
