import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { type Client, type Payment, WaitTimeoutError } from '../src/index.ts';
import type { Clock } from '../src/transport/deadline.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  payment,
  paymentInput,
  catchRejection,
  expectRefused,
  reset,
  success,
} from './service.ts';

const at = (status: string): Response => success({ ...payment, status });

function start(
  responses: Parameters<typeof createStubClient>[0],
  options: object = {},
  clientOptions: object = {},
) {
  const clock = createManualClock();
  const times: number[] = [];
  const onRequest = (): unknown => times.push(clock.now());
  const { client, requests } = createStubClient(responses, { onRequest, ...clientOptions }, clock);
  const waiting = client.payments.waitFor(payment.id, options);
  waiting.catch(() => {});
  return { clock, requests, times, waiting };
}

describe('payments.waitFor within the read lag', () => {
  const missing = failure(404, 'not_found');

  it('waits for a payment that reads do not show yet', async () => {
    const { clock, requests, waiting } = start([missing, missing, at('completed')]);
    await clock.advance(750);
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect(requests).toHaveLength(3);
  });

  it.each<[string, object, number, object?]>([
    ['10 s', {}, 10_750],
    ['the option of the client', {}, 2_750, { readLag: 2_000 }],
    ['zero', {}, 0, { readLag: 0 }],
  ])('ends after %s, with a later request', async (_, options, end, clientOptions = {}) => {
    const { clock, times, waiting } = start([missing], options, clientOptions);
    await clock.advance(60_000);
    expect(await catchRejection(waiting)).toMatchObject({ name: 'NotFoundError', status: 404 });
    expect(times.at(-1)).toBe(end);
    expect(clock.pending()).toBe(0);
  });

  it('counts from the create if this client made it', async () => {
    const clock = createManualClock();
    const { client, requests } = createStubClient([success(payment), missing], {}, clock);
    await client.payments.create(paymentInput);
    clock.suspend(10_000);
    expect(await catchRejection(client.payments.waitFor(payment.id))).toMatchObject({
      name: 'NotFoundError',
    });
    expect(requests).toHaveLength(2);
  });

  it('has the 404 as the cause of a timeout', async () => {
    const { clock, waiting } = start([missing], { timeout: 1_000 });
    await clock.advance(1_000);
    expect(await catchRejection(waiting)).toMatchObject({
      name: 'WaitTimeoutError',
      message: expect.stringContaining('never retrieved'),
      cause: { name: 'NotFoundError' },
    });
  });
});

const endless = (): Promise<void> => new Promise(() => {});

describe('payments.waitFor', () => {
  it('returns the final payment and reports each status once', async () => {
    const onStatus = vi.fn<(seen: Payment) => void>();
    const responses = [at('pending'), at('pending'), at('processing'), at('processing'), at('completed')];
    const { clock, requests, waiting } = start(responses, { onStatus });
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({ id: payment.id, status: 'completed' });
    expect(onStatus.mock.calls.map(([seen]) => seen.status)).toEqual(['pending', 'processing', 'completed']);
    expect(requests).toHaveLength(5);
    expect(clock.pending()).toBe(0);
  });

  it('keeps no listeners of earlier pauses: Node 20 warns of eleven', async () => {
    const signals = new Set<EventTarget>();
    const add = vi.spyOn(EventTarget.prototype, 'addEventListener');
    const { clock, waiting } = start([at('pending')], { timeout: 30_000 });
    await clock.advance(29_000);
    for (const signal of add.mock.contexts) signals.add(signal as EventTarget);
    add.mockRestore();
    const counts = [...signals].map((signal) => getEventListeners(signal, 'abort').length);
    expect(counts.length).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThan(3);
    await clock.advance(1_000);
    expect(await catchRejection(waiting)).toBeInstanceOf(WaitTimeoutError);
  });

  it('returns at the requested status, and at a final one', async () => {
    const processing = start([at('processing')], { until: 'processing' });
    expect(await processing.waiting).toMatchObject({ status: 'processing' });
    const skipped = start([at('pending'), at('completed')], { until: 'processing' });
    await skipped.clock.advance(1_000);
    expect(await skipped.waiting).toMatchObject({ status: 'completed' });
  });

  it('pauses up to 1 s in the first 30 s, and up to 5 s after that', async () => {
    const { clock, times, waiting } = start([at('pending')]);
    await clock.advance(60_000);
    expect(await catchRejection(waiting)).toBeInstanceOf(WaitTimeoutError);
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    const eager = Array.from({ length: 29 }, () => 1_000);
    expect(pauses).toEqual([0, 250, 500, ...eager, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
  });

  it('sends no request after a suspension beyond its deadline', async () => {
    const { clock, requests, waiting } = start([at('pending')], { timeout: 1_000 });
    await clock.advance(100);
    clock.suspend(5_000);
    await clock.advance(100);
    expect(await catchRejection(waiting)).toMatchObject({
      name: 'WaitTimeoutError',
      last: { status: 'pending' },
    });
    expect(requests).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('treats an unknown status as not final, without more requests', async () => {
    const { clock, requests, waiting } = start([at('under_review')], { timeout: 10_000 });
    await clock.advance(10_000);
    const error = await catchRejection(waiting);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ last: { id: payment.id, status: 'under_review' } });
    expect(String(error)).toContain('under_review');
    expect(requests.length).toBeLessThan(13);
  });

  it('retries temporary failures', async () => {
    const responses = [
      at('pending'),
      reset,
      failure(429, 'rate_limit_error'),
      failure(500, 'server_error'),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      at('completed'),
    ];
    const { clock, requests, waiting } = start(responses);
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect(requests).toHaveLength(6);
  });

  it('forgets a failure after a success', async () => {
    const responses = [failure(429, 'x', { 'retry-after': '7' }), at('pending')];
    const { clock, requests, waiting } = start(responses, { timeout: 10_000 });
    await clock.advance(7_500);
    expect(requests).toHaveLength(3);
    await clock.advance(2_500);
    const error = await catchRejection(waiting);
    expect(error).toMatchObject({ name: 'WaitTimeoutError', last: { status: 'pending' } });
    expect(error).not.toHaveProperty('cause');
  });

  it('hides the beneficiary when its error is printed', async () => {
    const { clock, waiting } = start([at('pending')]);
    await clock.advance(60_000);
    const error = await catchRejection(waiting);
    expect(inspect(error) + JSON.stringify(error)).not.toContain(payment.beneficiary.account);
  });

  it.each([429, 500, 503])('obeys Retry-After of a %i', async (status) => {
    const { clock, requests, waiting } = start([
      failure(status, 'x', { 'retry-after': '7' }),
      at('completed'),
    ]);
    await clock.advance(6_999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(await waiting).toMatchObject({ status: 'completed' });
  });

  it('limits each request by the timeout of the client', async () => {
    const responses = [() => new Promise<Response>(() => {}), at('completed')];
    const { clock, waiting } = start(responses, { timeout: 10_000 }, { timeout: 100 });
    await clock.advance(350);
    expect(await waiting).toMatchObject({ status: 'completed' });
  });

  it('has the previous failure as the cause if the deadline ends the last request', async () => {
    const responses = [failure(500, 'server_error'), () => new Promise<Response>(() => {})];
    const { clock, requests, waiting } = start(responses, { timeout: 1_000 });
    await clock.advance(1_000);
    expect(await catchRejection(waiting)).toMatchObject({
      name: 'WaitTimeoutError',
      cause: { name: 'ServerError', status: 500 },
    });
    expect(requests).toHaveLength(2);
  });

  it.each([1, 500, 999, 1_000])(
    'sends no request at its deadline of %i ms, even if timers fire early',
    async (timeout) => {
      const clock = createManualClock();
      const early: Clock = { ...clock, schedule: (run, ms) => clock.schedule(run, Math.max(0, ms - 0.5)) };
      const { client, requests } = createStubClient([failure(503, 'x', { 'retry-after': '60' })], {}, early);
      const waiting = catchRejection(client.payments.waitFor(payment.id, { timeout }));
      await clock.advance(timeout);
      expect(await waiting).toMatchObject({ name: 'WaitTimeoutError', cause: { name: 'ServerError' } });
      expect(requests).toHaveLength(1);
    },
  );

  it('ends a hanging request at its deadline', async () => {
    const { clock, waiting } = start([at('pending'), () => new Promise<Response>(() => {})], {
      timeout: 2_000,
    });
    await clock.advance(2_000);
    expect(await catchRejection(waiting)).toMatchObject({
      name: 'WaitTimeoutError',
      last: { status: 'pending' },
      message: expect.stringContaining('The last request received no response'),
    });
    expect(clock.pending()).toBe(0);
  });

  it.each([
    [failure(403, 'permission_error'), 'PermissionError'],
    [failure(401, 'authentication_error'), 'AuthenticationError'],
    [new Response('<html>'), 'UnreadableResponseError'],
  ])('rejects immediately with a permanent failure', async (response, name) => {
    const { requests, waiting } = start([response]);
    expect(await catchRejection(waiting)).toMatchObject({ name });
    expect(requests).toHaveLength(1);
  });

  it('ends immediately when its signal is aborted, in a request and in a pause', async () => {
    const reason = new Error('shutting down');
    for (const response of [at('pending'), () => new Promise<Response>(() => {})]) {
      const controller = new AbortController();
      const { clock, waiting } = start([response], { signal: controller.signal });
      await clock.advance(100);
      controller.abort(reason);
      expect(await catchRejection(waiting)).toMatchObject({ name: 'AbortError', cause: reason });
      expect(clock.pending()).toBe(0);
    }
  });

  it('ends a hanging onStatus at its deadline', async () => {
    const { clock, waiting } = start([at('completed')], { timeout: 300, onStatus: endless });
    await clock.advance(300);
    const error = await catchRejection(waiting);
    expect(error).toMatchObject({ name: 'WaitTimeoutError', last: { status: 'completed' } });
    expect(String(error)).toContain('onStatus');
    expect(clock.pending()).toBe(0);
  });

  it('ends immediately when its signal is aborted while onStatus runs', async () => {
    const reason = new Error('shutting down');
    const controller = new AbortController();
    const { clock, requests, waiting } = start([at('pending')], {
      signal: controller.signal,
      onStatus: endless,
    });
    await clock.advance(50);
    controller.abort(reason);
    expect(await catchRejection(waiting)).toMatchObject({
      name: 'AbortError',
      outcome: 'not_sent',
      cause: reason,
    });
    expect(requests).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('rejects with the error that onStatus throws', async () => {
    const thrownError = new Error('the shop is closed');
    const thrown = start([at('pending')], {
      onStatus: () => {
        throw thrownError;
      },
    });
    expect(await catchRejection(thrown.waiting)).toBe(thrownError);
    const rejected = start([at('pending')], { onStatus: () => Promise.reject(thrownError) });
    expect(await catchRejection(rejected.waiting)).toBe(thrownError);
  });

  it('rejects invalid options before sending', async () => {
    const rows = [
      [{ until: '' }, 'until'],
      [{ until: 5 }, 'until'],
      [
        { until: 'Completed' },
        "until must be 'final' or 'pending' or 'processing' or 'completed' or 'failed'.",
      ],
      [{ until: 'constructor' }, 'until'],
      [{ timeout: -1 }, 'timeout'],
      [{ pollInterval: 0 }, 'pollInterval'],
      [{ onStatus: 'x' }, 'onStatus'],
      [{ signal: new AbortController() }, 'controller.signal'],
      [{ interval: 5 }, 'interval'],
    ] as const;
    const wait = (client: Client, options: never) => client.payments.waitFor(payment.id, options);
    await expectRefused(wait, rows, 'ConfigurationError');
  });
});
