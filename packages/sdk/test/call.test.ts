import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Client, Fetch } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  json,
  payment,
  paymentInput,
  catchRefusal,
  catchRejection,
  expectRefused,
  success,
  testKey,
} from './service.ts';

const balance = { balances: [] };
const never = (): Promise<Response> => new Promise(() => {});

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', onUnhandled);
});

afterEach(() => {
  process.off('unhandledRejection', onUnhandled);
});

describe('a call', () => {
  it('sends one request, however often and in whatever form it is awaited', async () => {
    const { client, requests } = createStubClient([success(balance)]);
    const call = client.balance.retrieve();
    expect(await call).toEqual(balance);
    expect(await call).toEqual(balance);
    expect((await call.withResponse()).data).toBe(await call);
    await Promise.all([call, call.withResponse(), call.then(String), call.finally(() => {})]);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['the data', async (call: Promise<unknown>) => void (await catchRejection(call))],
    [
      'the response',
      async (call: { withResponse: () => Promise<unknown> }) =>
        void (await catchRejection(call.withResponse())),
    ],
  ])('causes no unhandled rejection when it fails and %s is awaited', async (_, handle) => {
    const { client } = createStubClient([failure(404, 'not_found')]);
    await handle(client.balance.retrieve());
    await handle(client.payments.create({ ...paymentInput, amount: 0 }));
    await handle(client.transactions.list());
    await settle();
    expect(unhandled).toEqual([]);
  });

  it.each([
    ['neither the data nor the response', () => {}],
    [
      'only the response, by a discarded promise,',
      (call: { withResponse: () => unknown }) => void call.withResponse(),
    ],
  ])('causes one unhandled rejection when it fails and %s is awaited', async (_, handle) => {
    // The rejection is expected, so it must not fail the run.
    const others = process.listeners('unhandledRejection').filter((listener) => listener !== onUnhandled);
    for (const listener of others) process.off('unhandledRejection', listener);
    onTestFinished(() => others.forEach((listener) => process.on('unhandledRejection', listener)));
    const { client } = createStubClient([failure(404, 'not_found')]);
    handle(client.balance.retrieve());
    await expect.poll(() => unhandled).toEqual([expect.objectContaining({ name: 'NotFoundError' })]);
  });

  it('returns the data with the response and its details', async () => {
    const { client } = createStubClient([success(balance, 202)]);
    const { response, ...result } = await client.balance.retrieve().withResponse();
    expect(result).toEqual({ data: balance, requestId: 'req_1', mode: 'test', attempts: 1, warnings: [] });
    expect(response.status).toBe(202);
    expect(response.headers.get('x-request-id')).toBe('req_1');
    expect(await response.json()).toEqual({ success: true, mode: 'test', data: balance });
  });

  it('returns the response of a fetch whose headers have only `get`', async () => {
    const { status, body } = { status: 201, body: JSON.stringify({ success: true, data: payment }) };
    // The text of a function of several lines is no valid value of a header.
    const headers = {
      get: (): null => {
        return null;
      },
    };
    const fetch: Fetch = async (_url, _init) => ({ status, headers, text: async () => body });
    const { client } = createStubClient([], { fetch });
    const { data, response } = await client.payments.create(paymentInput).withResponse();
    expect(data).toMatchObject({ id: payment.id });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe(body);
  });

  it.each([
    ['create', ({ payments }: Client) => payments.create(paymentInput)],
    ['waitFor', ({ payments }: Client) => payments.waitFor('x')],
    ['withResponse', ({ balance: { retrieve } }: Client) => retrieve().withResponse()],
    ['then', ({ balance: { retrieve } }: Client) => retrieve().then(({ balances }) => balances)],
    ['all', ({ balance: { retrieve } }: Client) => Promise.all([retrieve(), Promise.resolve()])],
    ['pages', ({ transactions }: Client) => transactions.list().pages().next()],
  ])('of %s rejects with a stack that leads to the awaiting code', async (_, call) => {
    const { client } = createStubClient([new TypeError('fetch failed')]);
    const waitForIt = async (): Promise<unknown> => {
      try {
        return await call(client);
      } catch (error) {
        return error;
      }
    };
    const { stack, name, message } = (await waitForIt()) as Error;
    expect(stack).toContain(`${name}: ${message}\n    at `);
    expect(stack).toContain('waitForIt');
    expect(stack).toContain('call.test.ts');
    expect(stack).not.toContain('src/transport');
  });

  it('rejects invalid options before sending', async () => {
    const invalid = [
      { signal: 'x' },
      { signal: null },
      { signal: { aborted: false, addEventListener: () => {} } },
      { timeout: 0 },
      { headers: {} },
      'x',
    ];
    const rows = invalid.map((options) => [options, ''] as const);
    await expectRefused((client, options) => client.balance.retrieve(options), rows, 'ConfigurationError');
  });

  it('ignores the mode of a 401 response', async () => {
    const body = { success: false, mode: 'live', error: { type: 'authentication_error', message: 'No.' } };
    const { client } = createStubClient([json(body, 401)]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({ name: 'AuthenticationError' });
  });
});

describe('the timeout of a call', () => {
  it('ends a request without a response, after 30 s by default', async () => {
    for (const [options, limit] of [
      [{}, 30_000],
      [{ timeout: 5_000 }, 5_000],
    ] as const) {
      const clock = createManualClock();
      const { client, requests } = createStubClient([never], {}, clock);
      const failed = catchRejection(client.balance.retrieve(options));
      await clock.advance(limit - 1);
      expect(requests[0]?.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(requests[0]?.signal.aborted).toBe(true);
      expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 1 });
      expect(clock.pending()).toBe(0);
    }
  });

  it('includes the body', async () => {
    const clock = createManualClock();
    let cancelled = false;
    const stalled = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"success":')),
      cancel: () => {
        cancelled = true;
      },
    });
    const { client } = createStubClient([() => new Response(stalled)], { timeout: 1_000 }, clock);
    const failed = catchRejection(client.payments.create(paymentInput));
    await clock.advance(1_000);
    expect(await failed).toMatchObject({ status: 200, attempts: 1, cause: { name: 'TimeoutError' } });
    await settle();
    expect(cancelled).toBe(true);
  });

  it('cancels the body of a late response', async () => {
    const clock = createManualClock();
    let respond: (response: Response) => void = () => {};
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const { client } = createStubClient([() => new Promise((resolve) => (respond = resolve))], {}, clock);
    const failed = catchRejection(client.balance.retrieve());
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError' });
    respond(new Response(body));
    await settle();
    expect(cancelled).toBe(true);
    expect(unhandled).toEqual([]);
  });
});

describe('a process that was suspended', () => {
  const responses = [success(payment)];

  it.each([
    ['the key', (suspend: () => void) => ({ apiKey: () => (suspend(), testKey) })],
    ['a hook', (suspend: () => void) => ({ onRequest: suspend })],
  ])('sends nothing when its time ran out in %s, before any timer fires', async (_, suspendIn) => {
    const clock = createManualClock();
    const options = suspendIn(() => clock.suspend(30_000));
    const { client, requests } = createStubClient(responses, options, clock);
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not_sent',
      attempts: 0,
    });
    expect(requests).toHaveLength(0);
    expect(clock.pending()).toBe(0);
  });

  it('sends no retry when the total time ran out before it', async () => {
    const clock = createManualClock();
    const options = { maxRetries: 2, totalTimeout: 5_000 };
    const { client, requests } = createStubClient([failure(429, 'rate_limit_error')], options, clock);
    const failed = catchRejection(client.payments.create(paymentInput));
    await settle();
    clock.suspend(6_000);
    await clock.advance(0);
    expect(await failed).toMatchObject({ name: 'RateLimitError', outcome: 'rejected', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['in the turn of its deadline', 30_000, [[0, 30_000]]],
    ['within 1 s after a suspension', 31_900, [[31_000, 30_000]]],
    ['within the time by which the timer was late', 30_140, [[30_080, 30_000]]],
    [
      'after a second suspension, in the wait of 200 ms for the sockets',
      45_000,
      [
        [30_200, 0],
        [12_000, 5_000],
      ],
    ],
  ] as const)('returns a response that is read %s', async (_, readAt, steps) => {
    const clock = createManualClock();
    const { client } = createStubClient(
      [() => new Promise((resolve) => clock.schedule(() => resolve(success(payment)), readAt))],
      {},
      clock,
    );
    const created = client.payments.create(paymentInput);
    await settle();
    for (const [suspension, advance] of steps) {
      clock.suspend(suspension);
      await clock.advance(advance);
    }
    expect(await created).toMatchObject({ id: payment.id });
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ['at once when the timer is on time', 0, 30_000],
    ['after the time by which the timer was late', 30_200, 200],
    ['5 s after a long suspension', 60_000, 5_000],
  ])('reports a timeout %s', async (_, suspension, wait) => {
    const clock = createManualClock();
    const { client } = createStubClient([never], {}, clock);
    let ended = 0;
    const failed = catchRejection(client.payments.create(paymentInput)).finally(() => (ended = clock.now()));
    await settle();
    clock.suspend(suspension);
    await clock.advance(wait);
    expect(await failed).toMatchObject({ outcome: 'unknown', cause: { name: 'TimeoutError' } });
    expect(ended).toBe(suspension + wait);
  });
});

describe('the signal of a call', () => {
  /** Creates an AbortSignal, and a function that counts its listeners. */
  function countingSignal(): { controller: AbortController; listeners: () => number } {
    const controller = new AbortController();
    return { controller, listeners: () => getEventListeners(controller.signal, 'abort').length };
  }

  it('prevents the request if it is aborted before', async () => {
    const reason = new Error('too late');
    const signal = AbortSignal.abort(reason);
    const error = await catchRefusal((client) => client.balance.retrieve({ signal }));
    expect(error).toMatchObject({ name: 'AbortError', cause: reason });
  });

  it('ends the calls immediately while they wait for the response, with one listener', async () => {
    const { controller, listeners } = countingSignal();
    const { client, requests } = createStubClient([never]);
    const calls = Array.from({ length: 50 }, () =>
      catchRejection(client.balance.retrieve({ signal: controller.signal })),
    );
    await settle();
    expect(listeners()).toBe(1);
    controller.abort();
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({ name: 'AbortError', outcome: 'unknown', attempts: 1 });
    expect(requests.every(({ signal }) => signal.aborted)).toBe(true);
    expect(listeners()).toBe(0);
  });

  it('ends the call immediately while it waits for the API key', async () => {
    const controller = new AbortController();
    const { client, requests } = createStubClient([success(balance)], { apiKey: never });
    const failed = catchRejection(client.balance.retrieve({ signal: controller.signal }));
    await settle();
    controller.abort();
    expect(await failed).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0 });
    expect(requests).toHaveLength(0);
  });

  it('prevents the request if it is aborted at the moment in which the API key arrives', async () => {
    for (let steps = 0; steps < 12; steps += 1) {
      const controller = new AbortController();
      const abort = async (): Promise<void> => {
        for (let step = 0; step < steps; step += 1) await Promise.resolve();
        controller.abort();
      };
      const apiKey = (): string => {
        void abort();
        return testKey;
      };
      const abortedBefore: boolean[] = [];
      const respond = (request: Request): Promise<Response> => {
        abortedBefore.push(request.signal.aborted);
        return never();
      };
      const { client } = createStubClient([respond], { apiKey });
      const error = await catchRejection(client.balance.retrieve({ signal: controller.signal }));
      expect(error).toMatchObject({
        name: 'AbortError',
        outcome: abortedBefore.length > 0 ? 'unknown' : 'not_sent',
      });
      expect(abortedBefore).not.toContain(true);
    }
  });

  it('leaves no timer and no listener, whatever the result of the call', async () => {
    for (const respond of [
      success(balance),
      failure(500, 'server_error'),
      new Error('x'),
      new Response('<'),
    ]) {
      const clock = createManualClock();
      const { controller, listeners } = countingSignal();
      const { client } = createStubClient([respond], {}, clock);
      await client.balance.retrieve({ signal: controller.signal }).catch(() => {});
      expect([clock.pending(), listeners()]).toEqual([0, 0]);
    }
  });
});
