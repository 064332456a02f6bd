import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { type Payment, WaitTimeoutError } from '../src/index.ts';
import type { Clock } from '../src/transport/clock.ts';
import { createManualClock } from './manual-clock.ts';
import {
  clientAnswering,
  failure,
  payment,
  paymentInput,
  polluteObjects,
  rejection,
  success,
} from './service.ts';

const at = (status: string): Response => success({ ...payment, status });
const dropped = new TypeError('fetch failed', {
  cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
});

function start(answers: Parameters<typeof clientAnswering>[0], options: object = {}) {
  const clock = createManualClock();
  const { service, requests } = clientAnswering(answers, {}, clock);
  const waiting = service.payments.waitFor(payment.id, options);
  waiting.catch(() => {});
  return { clock, requests, waiting };
}

test('waits until the payment is final, and tells each status once', async () => {
  const onStatus = vi.fn<(seen: Payment) => void>();
  const answers = [at('pending'), at('pending'), at('processing'), at('processing'), at('completed')];
  const { clock, requests, waiting } = start(answers, { onStatus });
  await clock.advance(30_000);
  expect(await waiting).toMatchObject({ id: payment.id, status: 'completed' });
  expect(onStatus.mock.calls.map(([seen]) => seen.status)).toEqual(['pending', 'processing', 'completed']);
  expect(requests).toHaveLength(5);
  expect(clock.pending()).toBe(0);
});

test('returns a payment that failed', async () => {
  const { waiting } = start([at('failed')]);
  expect(await waiting).toMatchObject({ status: 'failed' });
});

test('waits for the status that it is told, but not past a final one', async () => {
  const processing = start([at('processing')], { until: 'processing' });
  expect(await processing.waiting).toMatchObject({ status: 'processing' });
  const skipped = start([at('pending'), at('completed')], { until: 'processing' });
  await skipped.clock.advance(1_000);
  expect(await skipped.waiting).toMatchObject({ status: 'completed' });
});

test('pauses up to 1 s in the first 30 s, and up to 5 s after that', async () => {
  const times: number[] = [];
  const clock = createManualClock();
  const answer = (): Response => {
    times.push(clock.now());
    return at('pending');
  };
  const { service } = clientAnswering([answer], {}, clock);
  const waiting = rejection(service.payments.waitFor(payment.id));
  await clock.advance(60_000);
  expect(await waiting).toBeInstanceOf(WaitTimeoutError);
  const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
  const eager = Array.from({ length: 29 }, () => 1_000);
  expect(pauses).toEqual([0, 250, 500, ...eager, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
});

test('sees a payment that is final after 4.0 s at 4.75 s', async () => {
  const clock = createManualClock();
  const answer = (): Response => at(clock.now() < 4_000 ? 'pending' : 'completed');
  const { service } = clientAnswering([answer], {}, clock);
  const waiting = service.payments.waitFor(payment.id).then(({ status }) => [status, clock.now()]);
  await clock.advance(10_000);
  expect(await waiting).toEqual(['completed', 4_750]);
});

test('keeps a first pause that is longer than the longest', async () => {
  const { clock, requests, waiting } = start([at('pending')], { pollInterval: 8_000 });
  await clock.advance(24_000);
  expect(requests).toHaveLength(4);
  await clock.advance(60_000);
  expect(await rejection(waiting)).toBeInstanceOf(WaitTimeoutError);
});

describe('waitFor within the read lag', () => {
  const missing = failure(404, 'not_found');

  test('waits for a payment that reads do not show yet', async () => {
    const { clock, requests, waiting } = start([missing, missing, at('completed')]);
    await clock.advance(750);
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['10 s', {}, 10_750],
    ['its option', { readLag: 2_000 }, 2_750],
    ['zero', { readLag: 0 }, 0],
  ])('gives up after %s, with a request that was sent later than that', async (_, options, end) => {
    let last = 0;
    const clock = createManualClock();
    const answer = (): Response => {
      last = clock.now();
      return missing.clone();
    };
    const { service } = clientAnswering([answer], {}, clock);
    const waiting = rejection(service.payments.waitFor(payment.id, options));
    await clock.advance(60_000);
    expect(await waiting).toMatchObject({ name: 'NotFoundError', status: 404 });
    expect(last).toBe(end);
    expect(clock.pending()).toBe(0);
  });

  test('counts from the create, if the client made it', async () => {
    const clock = createManualClock();
    const { service, requests } = clientAnswering([success(payment), missing], {}, clock);
    await service.payments.create(paymentInput);
    clock.suspend(10_000);
    expect(await rejection(service.payments.waitFor(payment.id))).toMatchObject({ name: 'NotFoundError' });
    expect(requests).toHaveLength(2);
  });

  test('takes the read lag of the client', async () => {
    const clock = createManualClock();
    const { service, requests } = clientAnswering([missing], { readLag: 0 }, clock);
    expect(await rejection(service.payments.waitFor(payment.id))).toMatchObject({ name: 'NotFoundError' });
    expect(requests).toHaveLength(1);
  });

  test('looks at once at an event, and as late as Retry-After asks', async () => {
    const clock = createManualClock();
    const later = failure(404, 'not_found', { 'retry-after': '3' });
    const { service, requests } = clientAnswering([missing, later, at('completed')], {}, clock);
    const waiting = service.payments.waitFor(payment.id);
    await clock.advance(100);
    service.payments.notify({ data: { id: payment.id } });
    await clock.advance(2_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    expect(await waiting).toMatchObject({ status: 'completed' });
  });

  test('does not wait for an address that only a proxy knows nothing of', async () => {
    const { requests, waiting } = start([new Response('<h1>Not found</h1>', { status: 404 })]);
    expect(await rejection(waiting)).toMatchObject({ name: 'NotFoundError', outcome: 'unknown' });
    expect(requests).toHaveLength(1);
  });

  test('names the 404 as the cause when its deadline comes first', async () => {
    const { clock, waiting } = start([missing], { timeout: 1_000 });
    await clock.advance(1_000);
    expect(await rejection(waiting)).toMatchObject({
      name: 'WaitTimeoutError',
      message: expect.stringContaining('never seen'),
      cause: { name: 'NotFoundError' },
    });
  });
});

test('sends no request after a suspension beyond its deadline', async () => {
  const { clock, requests, waiting } = start([at('pending')], { timeout: 1_000 });
  await clock.advance(100);
  clock.suspend(5_000);
  await clock.advance(100);
  expect(await rejection(waiting)).toMatchObject({ name: 'WaitTimeoutError', last: { status: 'pending' } });
  expect(requests).toHaveLength(1);
  expect(clock.pending()).toBe(0);
});

test('takes a status that it does not know for one that is not final, without haste', async () => {
  const { clock, requests, waiting } = start([at('under_review')], { timeout: 10_000 });
  await clock.advance(10_000);
  const error = await rejection(waiting);
  expect(error).toBeInstanceOf(WaitTimeoutError);
  expect(error).toMatchObject({ last: { id: payment.id, status: 'under_review' } });
  expect(String(error)).toContain('under_review');
  expect(requests.length).toBeLessThan(13);
});

test('asks no more after its deadline', async () => {
  const { clock, requests, waiting } = start([at('processing')], { timeout: 2_000 });
  await clock.advance(2_000);
  expect(await rejection(waiting)).toMatchObject({
    name: 'WaitTimeoutError',
    last: { status: 'processing' },
  });
  const count = requests.length;
  await clock.advance(60_000);
  expect(requests).toHaveLength(count);
  expect(clock.pending()).toBe(0);
});

test('bears failures that may pass', async () => {
  const answers = [
    at('pending'),
    dropped,
    failure(429, 'rate_limit_error'),
    failure(500, 'server_error'),
    new Response('<h1>Bad gateway</h1>', { status: 502 }),
    at('completed'),
  ];
  const { clock, requests, waiting } = start(answers);
  await clock.advance(30_000);
  expect(await waiting).toMatchObject({ status: 'completed' });
  expect(requests).toHaveLength(6);
});

test('forgets a failure that has passed', async () => {
  const answers = [failure(429, 'x', { 'retry-after': '7' }), at('pending')];
  const { clock, requests, waiting } = start(answers, { timeout: 10_000 });
  await clock.advance(7_500);
  expect(requests).toHaveLength(3);
  await clock.advance(2_500);
  const error = await rejection(waiting);
  expect(error).toMatchObject({ name: 'WaitTimeoutError', last: { status: 'pending' } });
  expect(error).not.toHaveProperty('cause');
});

test('shows no beneficiary when its error is printed', async () => {
  const { clock, waiting } = start([at('pending')]);
  await clock.advance(60_000);
  const error = await rejection(waiting);
  expect(inspect(error) + JSON.stringify(error)).not.toContain(payment.beneficiary.account);
});

test.each([429, 500, 503])('waits as long as a %i asks', async (status) => {
  const { clock, requests, waiting } = start([failure(status, 'x', { 'retry-after': '7' }), at('completed')]);
  await clock.advance(6_999);
  expect(requests).toHaveLength(1);
  await clock.advance(1);
  expect(await waiting).toMatchObject({ status: 'completed' });
});

test('limits each request by the timeout of the client', async () => {
  const clock = createManualClock();
  const answers = [() => new Promise<Response>(() => {}), at('completed')];
  const { service } = clientAnswering(answers, { timeout: 100 }, clock);
  const waiting = service.payments.waitFor(payment.id, { timeout: 10_000 });
  await clock.advance(350);
  expect(await waiting).toMatchObject({ status: 'completed' });
});

test('keeps the last failure as the cause when time runs out', async () => {
  const { clock, waiting } = start([dropped], { timeout: 1_000 });
  await clock.advance(1_000);
  expect(await rejection(waiting)).toMatchObject({
    name: 'WaitTimeoutError',
    last: undefined,
    cause: { name: 'ConnectionError' },
  });
});

test('keeps what failed before as the cause when the deadline cuts the last request', async () => {
  const answers = [failure(500, 'server_error'), () => new Promise<Response>(() => {})];
  const { clock, requests, waiting } = start(answers, { timeout: 1_000 });
  await clock.advance(1_000);
  expect(await rejection(waiting)).toMatchObject({
    name: 'WaitTimeoutError',
    cause: { name: 'ServerError', status: 500 },
  });
  expect(requests).toHaveLength(2);
});

test.each([1, 500, 999, 1_000])(
  'asks no more at its deadline of %i ms, though timers run early',
  async (timeout) => {
    const clock = createManualClock();
    const early: Clock = { ...clock, schedule: (run, ms) => clock.schedule(run, Math.max(0, ms - 0.5)) };
    const { service, requests } = clientAnswering([failure(503, 'x', { 'retry-after': '60' })], {}, early);
    const waiting = rejection(service.payments.waitFor(payment.id, { timeout }));
    await clock.advance(timeout);
    expect(await waiting).toMatchObject({ name: 'WaitTimeoutError', cause: { name: 'ServerError' } });
    expect(requests).toHaveLength(1);
  },
);

test('gives up on an answer that is another payment', async () => {
  const { waiting } = start([success({ ...payment, id: 'pay_test_other', status: 'completed' })]);
  expect(await rejection(waiting)).toMatchObject({ name: 'UnreadableResponseError' });
});

test('counts a request that hangs against its deadline', async () => {
  const { clock, waiting } = start([at('pending'), () => new Promise<Response>(() => {})], {
    timeout: 2_000,
  });
  await clock.advance(2_000);
  expect(await rejection(waiting)).toMatchObject({
    name: 'WaitTimeoutError',
    last: { status: 'pending' },
    message: expect.stringContaining('the last request got no answer'),
  });
  expect(clock.pending()).toBe(0);
});

test.each([
  [failure(403, 'permission_error'), 'PermissionError'],
  [failure(401, 'authentication_error'), 'AuthenticationError'],
  [new Response('<html>'), 'UnreadableResponseError'],
])('gives up at once on what will not pass', async (answer, name) => {
  const { requests, waiting } = start([answer]);
  expect(await rejection(waiting)).toMatchObject({ name });
  expect(requests).toHaveLength(1);
});

test('ends at once when its signal is aborted, while it asks and while it pauses', async () => {
  const reason = new Error('shutting down');
  for (const answer of [at('pending'), () => new Promise<Response>(() => {})]) {
    const controller = new AbortController();
    const { clock, waiting } = start([answer], { signal: controller.signal });
    await clock.advance(100);
    controller.abort(reason);
    expect(await rejection(waiting)).toMatchObject({ name: 'AbortError', cause: reason });
    expect(clock.pending()).toBe(0);
  }
});

test('sends nothing when its signal is aborted before', async () => {
  const { requests, waiting } = start([at('pending')], { signal: AbortSignal.abort() });
  expect(await rejection(waiting)).toMatchObject({ name: 'AbortError', outcome: 'not_sent' });
  expect(requests).toHaveLength(0);
});

test('takes nothing from a polluted prototype', async () => {
  polluteObjects({ until: 'pending', timeout: 1, pollInterval: 1 });
  const { clock, waiting } = start([at('pending'), at('completed')]);
  await clock.advance(250);
  expect(await waiting).toMatchObject({ status: 'completed' });
});

const endless = (): Promise<void> => new Promise(() => {});

test('waits for onStatus no longer than its deadline', async () => {
  const { clock, waiting } = start([at('completed')], { timeout: 300, onStatus: endless });
  await clock.advance(300);
  const error = await rejection(waiting);
  expect(error).toMatchObject({ name: 'WaitTimeoutError', last: { status: 'completed' } });
  expect(String(error)).toContain('onStatus');
  expect(clock.pending()).toBe(0);
});

test('ends at once when its signal is aborted while onStatus runs', async () => {
  const reason = new Error('shutting down');
  const controller = new AbortController();
  const { clock, requests, waiting } = start([at('pending')], {
    signal: controller.signal,
    onStatus: endless,
  });
  await clock.advance(50);
  controller.abort(reason);
  expect(await rejection(waiting)).toMatchObject({ name: 'AbortError', outcome: 'not_sent', cause: reason });
  expect(requests).toHaveLength(1);
  expect(clock.pending()).toBe(0);
});

test('ends at once when onStatus aborts its signal', async () => {
  const controller = new AbortController();
  const { clock, waiting } = start([at('pending')], {
    signal: controller.signal,
    onStatus: () => controller.abort(),
  });
  expect(await rejection(waiting)).toMatchObject({ name: 'AbortError' });
  expect(clock.pending()).toBe(0);
});

test('rejects with what onStatus throws', async () => {
  const trouble = new Error('the shop is closed');
  const thrown = start([at('pending')], {
    onStatus: () => {
      throw trouble;
    },
  });
  expect(await rejection(thrown.waiting)).toBe(trouble);
  const rejected = start([at('pending')], { onStatus: () => Promise.reject(trouble) });
  expect(await rejection(rejected.waiting)).toBe(trouble);
});

test.each([
  [{ until: '' }, 'until'],
  [{ until: 5 }, 'until'],
  [{ until: 'procesing' }, 'Did you mean "processing"?'],
  [{ until: 'Completed' }, 'Did you mean "completed"?'],
  [{ until: 'under_review' }, 'Known are: final, pending, processing, completed, failed.'],
  [{ until: 'constructor' }, 'until'],
  [{ timeout: -1 }, 'timeout'],
  [{ pollInterval: 0 }, 'pollInterval'],
  [{ readLag: -1 }, 'readLag'],
  [{ onStatus: 'x' }, 'onStatus'],
  [{ signal: new AbortController() }, 'controller.signal'],
  [{ interval: 5 }, 'interval'],
])('refuses %o', async (options, message) => {
  const { requests, waiting } = start([at('pending')], options);
  const error = await rejection(waiting);
  expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
  expect(String(error)).toContain(message);
  expect(requests).toHaveLength(0);
});
