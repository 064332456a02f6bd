import { describe, expect, test } from 'vitest';
import { isServiceError, type ServiceError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import { clientAnswering, failure, json, payment, paymentInput, rejection, success } from './service.ts';

const balance = { balances: [] };
const coded = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
const refused = coded('ECONNREFUSED');
const reset = coded('ECONNRESET');
const polite = (after?: string): Response =>
  failure(429, 'rate_limit_error', after === undefined ? {} : { 'retry-after': after });

type Answers = Parameters<typeof clientAnswering>[0];

/** Makes a call of one operation on a clock that is moved by ten minutes, and returns what came of it. */
async function run(operation: 'create' | 'quote' | 'read', answers: Answers, options: object = {}) {
  const clock = createManualClock();
  const delays: number[] = [];
  const { service, requests } = clientAnswering(
    answers,
    { maxRetries: 2, onRetry: ({ delay }: { delay: number }) => delays.push(delay), ...options },
    clock,
  );
  const calls = {
    create: () => service.payments.create(paymentInput),
    quote: () => service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 }),
    read: () => service.balance.retrieve(),
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
  return { result: result as Record<string, unknown> & ServiceError, requests, delays, ended };
}

describe.each(['quote', 'read'] as const)('a %s', (operation) => {
  const good = operation === 'read' ? balance : { rate: 1, receive_amount: 1 };

  test.each<[string, Answers[number]]>([
    ['a reset', reset],
    ['a refused connection', refused],
    ['no answer at all', () => new Promise<Response>(() => {})],
    ['a body that breaks off', () => new Response(new ReadableStream({ start: (c) => c.error(reset) }))],
    ...[408, 429, 500, 502, 503, 504].map((status): [string, Response] => [
      `an empty ${status}`,
      new Response(null, { status }),
    ]),
  ])('is sent again after %s', async (_, answer) => {
    const { result, requests, delays } = await run(operation, [answer, answer, success(good)]);
    expect(isServiceError(result)).toBe(false);
    expect(requests).toHaveLength(3);
    expect(delays).toEqual([250, 500]);
  });

  test.each<[string, Answers[number]]>([
    ['a refusal', failure(422, 'validation_error')],
    ['a 425', new Response(null, { status: 425 })],
    ['a 501', new Response(null, { status: 501 })],
    ['a page of HTML', new Response('<html>')],
    ['a redirect', new Response(null, { status: 307, headers: { location: '/x' } })],
    ['the other mode', json({ success: true, mode: 'live', data: good })],
  ])('is not sent again after %s', async (_, answer) => {
    const { result, requests } = await run(operation, [answer, success(good)]);
    expect(isServiceError(result)).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test('gives up after two retries with what failed last, or as often as it is told', async () => {
    const { result, requests } = await run(operation, [reset, reset, failure(503, 'service_unavailable')]);
    expect(result).toMatchObject({ name: 'ServerError', status: 503, attempts: 3 });
    expect(requests).toHaveLength(3);
    expect((await run(operation, [reset], { maxRetries: 0 })).requests).toHaveLength(1);
    const patient = await run(operation, [reset], { maxRetries: 6 });
    expect(patient.delays).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});

describe('a create', () => {
  test.each<[string, Answers[number]]>([
    ['never left', refused],
    ['was turned away', polite()],
  ])('is sent again when it %s', async (_, answer) => {
    const { result, requests } = await run('create', [answer, answer, success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  test.each<[string, Answers[number], string]>([
    ['a reset', reset, 'ConnectionError'],
    ['no answer', () => new Promise<Response>(() => {}), 'TimeoutError'],
    ['an empty 429', new Response(null, { status: 429 }), 'RateLimitError'],
    ['a 429 of HTML', new Response('<html>', { status: 429 }), 'RateLimitError'],
    ['a 500', failure(500, 'server_error'), 'ServerError'],
    [
      'a 503 that asks to come back',
      failure(503, 'service_unavailable', { 'retry-after': '1' }),
      'ServerError',
    ],
    ['a 409', failure(409, 'idempotency_error'), 'IdempotencyError'],
    ['a 425', new Response(null, { status: 425 }), 'ServiceError'],
  ])('is not sent again after %s', async (_, answer, cause) => {
    const { result, requests } = await run('create', [answer, success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 1, cause: { name: cause } });
    expect(requests).toHaveLength(1);
  });

  test('is not sent again after a 429 without the envelope, and is known to be refused', async () => {
    const { result, requests } = await run('create', [json({ message: 'slow down' }, 429)]);
    expect(result).toMatchObject({ name: 'RateLimitError', outcome: 'rejected', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test('that never left is certain to be unknown once a later try did leave', async () => {
    const { result, requests } = await run('create', [refused, reset, success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2, phase: 'waiting' });
    expect(requests).toHaveLength(2);
  });

  test('sends the key of its caller each time, and that alone is no leave to send again', async () => {
    const { service, requests } = clientAnswering([refused, reset], { maxRetries: 2 });
    const error = await rejection(service.payments.create(paymentInput, { idempotencyKey: 'order-1' }));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', idempotencyKey: 'order-1' });
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['order-1', 'order-1']);
  });
});

describe('a create at a service that replays keys', () => {
  const idempotency = { serviceIdempotency: 'replayed', keyRetention: 86_400_000 };

  test('is sent again with one key that does not change', async () => {
    const answers = [reset, new Response(null, { status: 502 }), success(payment, 201)];
    const { result, requests } = await run('create', answers, idempotency);
    expect(result).toMatchObject({ id: payment.id });
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(Array(3).fill('unique-1'));
    expect(new Set(await Promise.all(requests.map((one) => one.text()))).size).toBe(1);
  });

  test.each<[string, Answers[number]]>([
    ['refused', failure(422, 'insufficient_funds')],
    ['in conflict', failure(409, 'idempotency_error')],
    ['not sent', refused],
  ])('stays unknown when a later try is %s, since the first may have been carried out', async (_, last) => {
    const broken = new Response(`{"data":{"id":"${payment.id}","sta`, { status: 502 });
    const { result } = await run('create', [broken, last], { ...idempotency, maxRetries: 1 });
    expect(result).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'answered',
      attempts: 2,
      salvagedId: payment.id,
      idempotencyKey: 'unique-1',
      sentAt: '2026-01-31T12:00:00.000Z',
      failedAt: '2026-01-31T12:00:00.250Z',
    });
  });

  test('sends a key with creates alone', async () => {
    const { requests } = await run('quote', [success({ rate: 1, receive_amount: 1 })], idempotency);
    expect(requests[0]?.headers.get('idempotency-key')).toBe(null);
  });
});

describe.each(['create', 'read'] as const)('Retry-After, to a %s,', (operation) => {
  const good = operation === 'read' ? success(balance) : success(payment, 201);

  test.each([
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
  ])('of %s is waited for %i ms', async (after, delay) => {
    const { delays, ended, requests } = await run(operation, [polite(after), good]);
    expect(delays).toEqual([delay]);
    expect(ended).toBe(delay);
    expect(requests).toHaveLength(2);
  });

  test.each(['61', '1000000000', 'Sat, 31 Jan 2026 12:02:00 GMT', '9'.repeat(400)])(
    'of %s is told at once and never undercut',
    async (after) => {
      const { result, requests, ended } = await run(operation, [polite(after), good]);
      expect(result).toMatchObject({ name: 'RateLimitError', outcome: 'rejected', attempts: 1 });
      expect(result.retryAfter).toBeGreaterThan(60);
      expect([requests.length, ended]).toEqual([1, 0]);
    },
  );
});

describe('totalTimeout', () => {
  const never = (): Promise<Response> => new Promise(() => {});

  test('bounds all requests of a call', async () => {
    const { result, ended, requests } = await run('read', [never], { timeout: 10_000, totalTimeout: 15_000 });
    expect(result).toMatchObject({ name: 'TimeoutError', attempts: 2 });
    expect([ended, requests.length]).toEqual([15_000, 2]);
  });

  test('lets no wait begin that it would not see the end of', async () => {
    const { result, ended } = await run('read', [polite('10')], { totalTimeout: 10_000 });
    expect(result).toMatchObject({ name: 'RateLimitError', attempts: 1, retryAfter: 10 });
    expect(ended).toBe(0);
  });
});

describe('an abort while a call waits to be sent again', () => {
  test.each([
    ['read', reset, { name: 'AbortError', outcome: 'unknown', attempts: 1 }],
    ['create', refused, { name: 'AbortError', outcome: 'not_sent', attempts: 1 }],
    ['create', polite('5'), { name: 'AbortError', outcome: 'rejected', attempts: 1 }],
  ] as const)('ends a %s at once', async (operation, answer, wanted) => {
    const clock = createManualClock();
    const controller = new AbortController();
    const { service, requests } = clientAnswering([answer], { maxRetries: 2 }, clock);
    const { signal } = controller;
    const call =
      operation === 'read'
        ? service.balance.retrieve({ signal })
        : service.payments.create(paymentInput, { signal });
    const failed = rejection(call);
    await clock.advance(1);
    expect(clock.pending()).toBe(1);
    controller.abort('enough');
    expect(await failed).toMatchObject({ ...wanted, cause: 'enough' });
    expect([requests.length, clock.pending()]).toEqual([1, 0]);
  });

  test('leaves a create in doubt that may have been carried out', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const { service } = clientAnswering(
      [reset],
      { maxRetries: 2, serviceIdempotency: 'replayed', keyRetention: 86_400_000 },
      clock,
    );
    const failed = rejection(service.payments.create(paymentInput, { signal: controller.signal }));
    await clock.advance(1);
    controller.abort();
    expect(await failed).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      cause: { name: 'AbortError', outcome: 'unknown' },
    });
  });
});

test.each([
  { maxRetries: -1 },
  { maxRetries: 1.5 },
  { totalTimeout: 0 },
  { idempotency: 'assume' },
  { idempotencyKeys: 'yes' },
  { serviceIdempotency: 'yes' },
])('refuses the option %o', (options) => {
  expect(() => clientAnswering([success(balance)], options)).toThrow(Object.keys(options)[0]!);
});
