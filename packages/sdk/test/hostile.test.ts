// What careless and hostile surroundings do to a client: each of these once broke a promise of it.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDuplicateGuard, createMemoryStore, exact, type Warning } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  clientAnswering,
  failure,
  json,
  payment,
  paymentInput,
  polluteObjects,
  rejection,
  success,
  testKey,
} from './service.ts';

const endless = (): Promise<never> => new Promise(() => {});
const coded = (code: unknown): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });
const limited = (seconds: number): Response =>
  json({ success: false, error: { type: 'rate_limit_error' } }, 429, { 'retry-after': String(seconds) });

describe('a create is sent once', () => {
  test.each([
    'UNABLE_TO_GET_RESPONSE',
    'CERT_OK_BUT_BODY_CUT',
    'MY_SELF_SIGNED_CERT',
    ['ENOTFOUND'],
    'enotfound',
  ])('when the failure has the code %o, which only looks like one of before it left', async (code) => {
    const { service, requests } = clientAnswering([coded(code)], { maxRetries: 2 });
    const error = await rejection(service.payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', outcome: 'unknown' });
    expect(requests).toHaveLength(1);
  });

  test.each([{ code: 'ECONNREFUSED' }, { syscall: 'connect' }])(
    'when a polluted prototype says %o of every failure',
    async (fields) => {
      const { service, requests } = clientAnswering([new Error('reset')], { maxRetries: 2 });
      polluteObjects(fields);
      const error = await rejection(service.payments.create(paymentInput));
      expect(error).toMatchObject({ outcome: 'unknown' });
      expect(requests).toHaveLength(1);
    },
  );

  test('under one idempotency key, whatever a hook makes of it', async () => {
    const clock = createManualClock();
    let count = 0;
    const onRequest = ({ headers }: { headers: Headers }): void => {
      headers.set('idempotency-key', `mine-${(count += 1)}`);
      headers.set('content-length', '3');
      headers.set('content-type', 'text/plain');
      headers.set('x-trace', `trace-${count}`);
    };
    const options = {
      serviceIdempotency: 'replayed',
      keyRetention: 86_400_000,
      maxRetries: 2,
      onRequest,
    };
    const { service, requests } = clientAnswering([failure(503, 'x'), success(payment, 201)], options, clock);
    const made = service.payments.create(paymentInput);
    await clock.advance(60_000);
    await made;
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['unique-1', 'unique-1']);
    expect(requests.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(2).fill('application/json'),
    );
    expect(requests.map(({ headers }) => headers.get('x-trace'))).toEqual(['trace-1', 'trace-2']);
  });
});

describe('a call ends', () => {
  test('when the schema of its answer does not', async () => {
    const clock = createManualClock();
    const hung = { '~standard': { version: 1, vendor: 'test', validate: endless } };
    const options = { responseValidation: 'warn', responseSchemas: { createPayment: hung }, timeout: 100 };
    const { service, requests } = clientAnswering([success(payment, 201)], options, clock);
    const failed = rejection(service.payments.create(paymentInput));
    await clock.advance(100);
    expect(await failed).toMatchObject({ name: 'PaymentOutcomeUnknownError', salvagedId: payment.id });
    expect(requests).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('when the store of the guard does not answer, and says that nothing was sent', async () => {
    const clock = createManualClock();
    const read = vi.fn<() => Promise<never>>(endless);
    const duplicateGuard = createDuplicateGuard({ ...createMemoryStore(), read });
    const { service, requests } = clientAnswering([success(payment, 201)], { duplicateGuard }, clock);
    const late = rejection(service.payments.create(paymentInput, { reference: 'a', timeout: 100 }));
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = rejection(service.payments.create(paymentInput, { reference: 'b', signal }));
    await expect.poll(() => read.mock.calls).toHaveLength(2);
    await clock.advance(100);
    controller.abort();
    expect(await late).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(await aborted).toMatchObject({ name: 'AbortError', outcome: 'not_sent' });
    expect(requests).toHaveLength(0);
    expect(clock.pending()).toBe(0);
  });

  test('when its signal can be listened to and not be left alone', async () => {
    const { service, requests } = clientAnswering([success(payment)]);
    const signal = { aborted: false, addEventListener: () => {} } as never;
    expect(await rejection(service.balance.retrieve({ signal }))).toMatchObject({ outcome: 'not_sent' });
    expect(requests).toHaveLength(0);
  });

  test('in silence where it was given up before it was sent', async () => {
    const clock = createManualClock();
    const info = vi.fn<(message: string) => void>();
    const logger = { debug: info, info, warn: info, error: () => {} };
    const onRequest = vi.fn<() => void>();
    let giveKey: ((key: string) => void) | undefined;
    const apiKey = (): Promise<string> => new Promise((resolve) => (giveKey = resolve));
    const options = { apiKey, onRequest, logger, logLevel: 'debug', timeout: 100 };
    const { service, requests } = clientAnswering([success(payment)], options, clock);
    const failed = rejection(service.balance.retrieve());
    await clock.advance(100);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    giveKey?.(testKey);
    await clock.advance(0);
    expect(requests).toHaveLength(0);
    expect(onRequest).not.toHaveBeenCalled();
    expect(info).not.toHaveBeenCalled();
  });
});

describe('a payment that was made is told', () => {
  const strict = {
    onWarning: (warning: Warning): never => {
      throw new Error(warning.code);
    },
  };

  test('when the store of the guard fails afterwards, and who listens for warnings too', async () => {
    const store = createMemoryStore();
    let swaps = 0;
    const swap: typeof store.swap = (next, write) => {
      if ((swaps += 1) > 1) throw new Error('full');
      return store.swap(next, write);
    };
    const duplicateGuard = createDuplicateGuard({ ...store, swap });
    const { service } = clientAnswering([success(payment, 201)], { duplicateGuard, ...strict });
    expect(await service.payments.create(paymentInput, { reference: 'a' })).toMatchObject({ id: payment.id });
    expect(await store.read('a')).toMatchObject({ state: 'sending' });
  });

  test('when the store of the guard hangs afterwards', async () => {
    const clock = createManualClock();
    const warnings: string[] = [];
    let swaps = 0;
    const swap = async (): Promise<'done'> => ((swaps += 1) > 1 ? endless() : 'done');
    const duplicateGuard = createDuplicateGuard({ ...createMemoryStore(), swap });
    const onWarning = ({ code }: Warning): void => void warnings.push(code);
    const { service } = clientAnswering([success(payment, 201)], { duplicateGuard, onWarning }, clock);
    const made = service.payments.create(paymentInput, { reference: 'a', timeout: 100 });
    await expect.poll(() => swaps).toBe(2);
    await clock.advance(200);
    expect(await made).toMatchObject({ id: payment.id });
    expect(warnings).toEqual(['guard_failed']);
  });

  test('when reconciling finds it, and the store of the guard hangs', async () => {
    const clock = createManualClock();
    const warnings: string[] = [];
    const read = vi.fn<() => Promise<never>>(endless);
    const options = {
      duplicateGuard: createDuplicateGuard({ ...createMemoryStore(), read }),
      onWarning: ({ code }: Warning): void => void warnings.push(code),
      timeout: 100,
    };
    const { service } = clientAnswering([success(payment)], options, clock);
    const lost = { ...paymentInput, sentAt: payment.created_at, salvagedId: payment.id, reference: 'a' };
    const found = service.payments.reconcile(lost as never);
    await expect.poll(() => read.mock.calls).toHaveLength(1);
    await clock.advance(100);
    expect(await found).toMatchObject({ result: 'found' });
    expect(warnings).toEqual(['guard_failed']);
    expect(clock.pending()).toBe(0);
  });

  test('when reconciling finds it, and the store of the guard fails', async () => {
    const warnings: string[] = [];
    const broken = (): never => {
      throw new Error(testKey);
    };
    const options = {
      duplicateGuard: createDuplicateGuard({ read: broken, swap: broken, list: broken }),
      onWarning: ({ code }: Warning): void => void warnings.push(code),
    };
    const { service } = clientAnswering([success(payment)], options);
    const lost = { ...paymentInput, sentAt: payment.created_at, salvagedId: payment.id, reference: 'a' };
    expect(await service.payments.reconcile(lost as never)).toMatchObject({ result: 'found' });
    expect(warnings).toEqual(['guard_failed']);
  });
});

describe('waiting', () => {
  test.each([2_592_000, 1e15])('asks once when it is to come again in %d seconds', async (seconds) => {
    const { service, requests } = clientAnswering([limited(seconds)]);
    const error = await rejection(service.payments.waitFor(payment.id, { timeout: 50 }));
    expect(error).toMatchObject({ name: 'WaitTimeoutError' });
    expect(requests).toHaveLength(1);
  });

  test('is not hastened by news beyond what the service asks for', async () => {
    const clock = createManualClock();
    const { service, requests } = clientAnswering(
      [limited(30), success({ ...payment, status: 'completed' })],
      {},
      clock,
    );
    const waiting = service.payments.waitFor(payment.id);
    for (let news = 0; news < 20; news += 1) {
      await clock.advance(10);
      service.payments.notify({ data: { id: payment.id } });
    }
    expect(requests).toHaveLength(1);
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect(requests).toHaveLength(2);
  });

  test('logs no failure for what it bears', async () => {
    const error = vi.fn<(message: string) => void>();
    const quiet = (): void => {};
    const logger = { debug: quiet, info: quiet, warn: quiet, error };
    const clock = createManualClock();
    const { service } = clientAnswering([failure(503, 'x')], { logger, logLevel: 'error' }, clock);
    const waiting = rejection(service.payments.waitFor(payment.id, { timeout: 1_000 }));
    await clock.advance(1_000);
    expect(await waiting).toMatchObject({ name: 'WaitTimeoutError' });
    expect(error).not.toHaveBeenCalled();
    await rejection(service.balance.retrieve());
    expect(error).toHaveBeenCalledTimes(1);
  });
});

describe('no key is shown', () => {
  const key = 'service_test_ab.cd/EF+TAIL==';

  test('of those that only the service knows to be one', async () => {
    const apiKey = (): never => {
      throw new Error(`cannot use ${key}`);
    };
    const { service } = clientAnswering([], { apiKey });
    const error = (await rejection(service.balance.retrieve())) as Error;
    expect(String(error.cause)).not.toContain('TAIL');
    expect(() => clientAnswering([], { [key]: true })).toThrow(expect.not.stringContaining('TAIL'));
  });

  test('that the service writes into the id of a request', async () => {
    const answer = (): Response => json({ error: {} }, 404, { 'x-request-id': `req ${testKey}` });
    const { service } = clientAnswering([answer]);
    expect(JSON.stringify(await rejection(service.balance.retrieve()))).not.toContain(testKey);
  });
});

test('listeners that fail later end no process', async () => {
  const failing = (): Promise<never> => Promise.reject(new Error('no'));
  const logger = { debug: failing, info: failing, warn: failing, error: failing };
  const options = { logger, logLevel: 'debug', onWarning: failing };
  const { service } = clientAnswering([success({ ...payment, send_amount: 100.01 }, 201)], options);
  expect(await service.payments.create(paymentInput)).toMatchObject({ id: payment.id });
});

test('a hook that throws rejects a read, also one that was answered with 503', async () => {
  const onResponse = (): never => {
    throw new Error('metrics are down');
  };
  const { service, requests } = clientAnswering([failure(503, 'x')], { maxRetries: 2, onResponse });
  expect(await rejection(service.balance.retrieve())).toMatchObject({ name: 'ConfigurationError' });
  expect(requests).toHaveLength(1);
});

test('many calls that end late leave one listener on a signal that they share', async () => {
  const clock = createManualClock();
  const controller = new AbortController();
  const { signal } = controller;
  const add = vi.spyOn(signal, 'addEventListener');
  const remove = vi.spyOn(signal, 'removeEventListener');
  const settle: (() => void)[] = [];
  const answer = (): Promise<Response> =>
    new Promise((resolve) => settle.push(() => resolve(success({ balances: [] }))));
  const { service } = clientAnswering([answer], { timeout: 100 }, clock);
  const calls: Promise<unknown>[] = [];
  for (let round = 0; round < 10; round += 1) {
    calls.push(rejection(service.balance.retrieve({ signal })));
    await clock.advance(60);
    settle[round - 2]?.();
    await clock.advance(0);
  }
  await clock.advance(1_000);
  await Promise.all(calls);
  expect(add.mock.calls.length - remove.mock.calls.length).toBeLessThanOrEqual(0);
});

test('an answer of more than 8 MiB is let go where there are no streams', async () => {
  const big = success({ balances: [], filler: 'x'.repeat(9 * 1024 * 1024) });
  const { service } = clientAnswering([() => Object.defineProperty(big, 'body', { value: undefined })]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({ name: 'UnreadableResponseError' });
});

test('a path that is not there makes one think of baseUrl, a payment that is not does not', async () => {
  const { service } = clientAnswering([failure(404, 'not_found')]);
  const asked = [
    service.balance.retrieve(),
    service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 }),
  ];
  for (const call of asked) expect(String(await rejection(call))).toContain('Is baseUrl right');
  expect(String(await rejection(service.payments.retrieve(payment.id)))).not.toContain('baseUrl');
});

test('exact of nothing is nothing', () => {
  const nothing: unknown = null;
  expect(exact(nothing as never, 'send_amount')).toBe(undefined);
});

test('a page that names no next page by an empty text is the last one', async () => {
  const onWarning = vi.fn<(warning: Warning) => void>();
  const data = {
    transactions: [{ id: 'txn_1', amount: 1 }],
    pagination: { next_page_url: '', has_more: null },
  };
  const { service, requests } = clientAnswering([success(data)], { onWarning });
  const ids: (string | null)[] = [];
  for await (const { id } of service.transactions.list()) ids.push(id);
  expect([ids, requests.length, onWarning.mock.calls.length]).toEqual([['txn_1'], 1, 0]);
});

test('a cause of another realm is shown', async () => {
  const foreign = Object.assign(Object.create(null) as object, {
    message: 'socket hang up',
    code: 'ECONNRESET',
  });
  Object.defineProperty(foreign, Symbol.toStringTag, { value: 'Error' });
  const { service } = clientAnswering([
    () => {
      throw foreign as unknown as Error;
    },
  ]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({ cause: { code: 'ECONNRESET' } });
});

test.each([
  [null, 'The argument of reconcile must be an object'],
  [{ from_currency: 5 }, 'from_currency must be a 3-letter'],
  [{ since: 5 }, 'since must be a Date'],
  [{ purpose: 5 }, 'purpose must be a string or null'],
  [{ amount: true }, 'plain decimal'],
  [{ amount: '0x64' }, 'plain decimal'],
  [{ ammount: 100 }, 'Did you mean "amount"?'],
  [{ since: undefined }, 'reconcile needs'],
])('reconcile refuses %o', async (change, message) => {
  const intent = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: 100,
    purpose: 'a',
    since: '2026-01-01T00:00:00Z',
  };
  const { service, requests } = clientAnswering([success(payment)]);
  const lost = change && { ...intent, ...change };
  const error = await rejection(service.payments.reconcile(lost as never));
  expect(error).toMatchObject({ name: 'ValidationError', outcome: 'not_sent' });
  expect(String(error)).toContain(message);
  expect(requests).toHaveLength(0);
});

test('a create says what it misses where there is no Web Crypto to make idempotency keys', async () => {
  vi.stubGlobal('crypto', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { service, requests } = clientAnswering([success(payment, 201)]);
  const error = await rejection(service.payments.create(paymentInput));
  expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
  expect(String(error)).toContain("idempotencyKeys: 'omit'");
  expect(requests).toHaveLength(0);
  await service.payments.create(paymentInput, { idempotencyKey: 'order-42' });
  expect(requests).toHaveLength(1);
});

test('the guard says what it misses where there is no Web Crypto', async () => {
  vi.stubGlobal('crypto', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const duplicateGuard = createDuplicateGuard(createMemoryStore());
  const { service, requests } = clientAnswering([success(payment, 201)], { duplicateGuard });
  const error = await rejection(service.payments.create(paymentInput, { reference: 'a' }));
  expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
  expect(String(error)).toContain('Web Crypto');
  expect(requests).toHaveLength(0);
});

test.each([
  [{ logger: {} }, 'logger must be an object with the functions'],
  [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'must not set Transfer-Encoding'],
  [{ headers: { Expect: '100-continue' } }, 'must not set Expect'],
])('a client refuses %o', (options, message) => {
  expect(() => clientAnswering([], options)).toThrow(message);
});
