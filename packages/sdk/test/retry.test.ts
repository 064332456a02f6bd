import { describe, expect, it } from 'vitest';
import { ServiceError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  payment,
  paymentInput,
  catchRejection,
  refused,
  reset,
  success,
} from './service.ts';

const balance = { balances: [] };
const polite = (after?: string): Response =>
  failure(429, 'rate_limit_error', after === undefined ? {} : { 'retry-after': after });

type Responses = Parameters<typeof createStubClient>[0];

/** Makes a call on a manual clock that is advanced by ten minutes, and returns its result. */
async function run(operation: 'create' | 'quote' | 'read', responses: Responses, options: object = {}) {
  const clock = createManualClock();
  const times: number[] = [];
  const { client, requests } = createStubClient(
    responses,
    { maxRetries: 2, onRequest: () => times.push(clock.now()), ...options },
    clock,
  );
  const calls = {
    create: () => client.payments.create(paymentInput),
    quote: () => client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 }),
    read: () => client.balance.retrieve(),
  };
  const start = clock.now();
  let ended = Number.NaN;
  const settle = (value: unknown): unknown => {
    ended = clock.now() - start;
    return value;
  };
  const settled = calls[operation]().then(settle, settle);
  await clock.advance(600_000);
  const result = await settled;
  expect(clock.pending()).toBe(0);
  const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return { result: result as Record<string, unknown> & ServiceError, requests, delays, ended };
}

describe.each(['quote', 'read'] as const)('a %s', (operation) => {
  const good = operation === 'read' ? balance : { rate: 1, receive_amount: 1 };

  it('succeeds after two retries', async () => {
    const { result, requests, delays } = await run(operation, [reset, reset, success(good)]);
    expect(result instanceof ServiceError).toBe(false);
    expect(requests).toHaveLength(3);
    expect(delays).toEqual([250, 500]);
  });

  it('rejects with the last failure after two retries, or after maxRetries', async () => {
    const { result, requests } = await run(operation, [reset, reset, failure(503, 'service_unavailable')]);
    expect(result).toMatchObject({ name: 'ServerError', status: 503, attempts: 3 });
    expect(requests).toHaveLength(3);
    expect((await run(operation, [reset], { maxRetries: 0 })).requests).toHaveLength(1);
    const patient = await run(operation, [reset], { maxRetries: 6 });
    expect(patient.delays).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});

describe('a create', () => {
  it.each<[string, Responses[number]]>([
    ['a refused connection', refused],
    ['a 429 with the envelope', polite()],
  ])('is retried after %s', async (_, response) => {
    const { result, requests } = await run('create', [response, response, success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('has an unknown outcome if a later attempt has one', async () => {
    const { result, requests } = await run('create', [refused, reset, success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2, phase: 'waiting' });
    expect(requests).toHaveLength(2);
  });

  it('sends the idempotency key of the call each time, and is not retried because of it', async () => {
    const { client, requests } = createStubClient([refused, reset], { maxRetries: 2 });
    const error = await catchRejection(client.payments.create(paymentInput, { idempotencyKey: 'order-1' }));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', idempotencyKey: 'order-1' });
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['order-1', 'order-1']);
  });
});

describe('a create at a service that replays keys', () => {
  const idempotency = { keyRetention: 86_400_000 };

  it.each<[string, Responses[number]]>([
    ['rejected', failure(422, 'insufficient_funds')],
    ['in conflict', failure(409, 'idempotency_error')],
    ['not sent', refused],
  ])(
    'has an unknown outcome if a later attempt is %s, because the first may have succeeded',
    async (_, last) => {
      const broken = new Response(`{"data":{"id":"${payment.id}","sta`, { status: 502 });
      const { result } = await run('create', [broken, last], { ...idempotency, maxRetries: 1 });
      expect(result).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        phase: 'responded',
        attempts: 2,
        paymentId: payment.id,
        idempotencyKey: 'unique-1',
        sentAt: '2026-01-31T12:00:00.000Z',
        failedAt: '2026-01-31T12:00:00.250Z',
      });
    },
  );
});

describe.each(['create', 'read'] as const)('Retry-After for a %s', (operation) => {
  const good = operation === 'read' ? success(balance) : success(payment, 201);

  it.each([
    ['1', 1_000],
    ['60', 60_000],
    ['0', 0],
    ['Sat, 31 Jan 2026 12:00:03 GMT', 3_000],
    ['-1', 250],
    ['1.5', 250],
    ['1e3', 250],
    ['soon', 250],
    ['2026-01-31T12:00:03Z', 250],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 250],
    [undefined, 250],
  ])('with the value %s delays the retry by %i ms', async (after, delay) => {
    const { delays, ended, requests } = await run(operation, [polite(after), good]);
    expect(delays).toEqual([delay]);
    expect(ended).toBe(delay);
    expect(requests).toHaveLength(2);
  });

  it.each(['61', '1000000000', 'Sat, 31 Jan 2026 12:02:00 GMT', '9'.repeat(400)])(
    'with the value %s fails the call immediately',
    async (after) => {
      const { result, requests, ended } = await run(operation, [polite(after), good]);
      expect(result).toMatchObject({ name: 'RateLimitError', outcome: 'rejected', attempts: 1 });
      expect(result.retryDelay).toBeGreaterThan(60_000);
      expect([requests.length, ended]).toEqual([1, 0]);
    },
  );
});

describe('totalTimeout', () => {
  const never = (): Promise<Response> => new Promise(() => {});

  it('limits all requests of a call', async () => {
    const { result, ended, requests } = await run('read', [never], { timeout: 10_000, totalTimeout: 15_000 });
    expect(result).toMatchObject({ name: 'TimeoutError', attempts: 2 });
    expect([ended, requests.length]).toEqual([15_000, 2]);
  });

  it('prevents a delay that would exceed it', async () => {
    const { result, ended } = await run('read', [polite('10')], { totalTimeout: 10_000 });
    expect(result).toMatchObject({ name: 'RateLimitError', attempts: 1, retryDelay: 10_000 });
    expect(ended).toBe(0);
  });
});

describe('an abort between two attempts', () => {
  it.each([
    ['read', reset, { name: 'AbortError', outcome: 'unknown', attempts: 1 }],
    ['create', refused, { name: 'AbortError', outcome: 'not_sent', attempts: 1 }],
    ['create', polite('5'), { name: 'AbortError', outcome: 'rejected', attempts: 1 }],
  ] as const)('ends a %s immediately', async (operation, response, wanted) => {
    const clock = createManualClock();
    const controller = new AbortController();
    const { client, requests } = createStubClient([response], { maxRetries: 2 }, clock);
    const { signal } = controller;
    const call =
      operation === 'read'
        ? client.balance.retrieve({ signal })
        : client.payments.create(paymentInput, { signal });
    const failed = catchRejection(call);
    await clock.advance(1);
    expect(clock.pending()).toBe(1);
    controller.abort('enough');
    expect(await failed).toMatchObject({ ...wanted, cause: 'enough' });
    expect([requests.length, clock.pending()]).toEqual([1, 0]);
  });

  it('leaves the outcome of a create unknown if an attempt has one', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const { client } = createStubClient([reset], { maxRetries: 2, keyRetention: 86_400_000 }, clock);
    const failed = catchRejection(client.payments.create(paymentInput, { signal: controller.signal }));
    await clock.advance(1);
    controller.abort();
    expect(await failed).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      cause: { name: 'AbortError', outcome: 'unknown' },
    });
  });
});
