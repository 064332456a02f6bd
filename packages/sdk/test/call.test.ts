import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  clientAnswering,
  failure,
  json,
  payment,
  paymentInput,
  rejection,
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
  test('sends one request, however often and in whatever form it is awaited', async () => {
    const { service, requests } = clientAnswering([success(balance)]);
    const call = service.balance.retrieve();
    expect(await call).toEqual(balance);
    expect(await call).toEqual(balance);
    expect((await call.withResponse()).data).toBe(await call);
    await Promise.all([call, call.withResponse(), call.then(String), call.finally(() => {})]);
    expect(requests).toHaveLength(1);
  });

  test('sends its request when it is made, awaited or not', async () => {
    const { service, requests } = clientAnswering([success(balance)]);
    void service.balance.retrieve();
    await settle();
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['the data', async (call: Promise<unknown>) => void (await rejection(call))],
    [
      'the response',
      async (call: { withResponse: () => Promise<unknown> }) => void (await rejection(call.withResponse())),
    ],
  ])('leaves no rejection unhandled when it fails and %s is awaited', async (_, look) => {
    const { service } = clientAnswering([failure(404, 'not_found')]);
    await look(service.balance.retrieve());
    await look(service.payments.create({ ...paymentInput, amount: 0 }));
    await look(service.transactions.list());
    await settle();
    expect(unhandled).toEqual([]);
  });

  test.each([
    ['neither form', () => {}],
    ['the response in passing', (call: { withResponse: () => unknown }) => void call.withResponse()],
  ])('is an unhandled rejection, once, when it fails and %s is looked at', async (_, look) => {
    // The rejection is meant, so it is kept from failing the run.
    const others = process.listeners('unhandledRejection').filter((listener) => listener !== onUnhandled);
    for (const listener of others) process.off('unhandledRejection', listener);
    onTestFinished(() => others.forEach((listener) => process.on('unhandledRejection', listener)));
    const { service } = clientAnswering([failure(404, 'not_found')]);
    look(service.balance.retrieve());
    await expect.poll(() => unhandled).toEqual([expect.objectContaining({ name: 'NotFoundError' })]);
  });

  test('tells what came with the data', async () => {
    const { service } = clientAnswering([success(balance, 202)]);
    const { response, ...answered } = await service.balance.retrieve().withResponse();
    expect(answered).toEqual({ data: balance, requestId: 'req_1', mode: 'test', attempts: 1, warnings: [] });
    expect(response.status).toBe(202);
    expect(response.headers.get('x-request-id')).toBe('req_1');
    expect(await response.json()).toEqual({ success: true, mode: 'test', data: balance });
  });

  test('bears an answer without mode and request id', async () => {
    const { service } = clientAnswering([Response.json({ success: true, data: balance })]);
    const answered = await service.balance.retrieve().withResponse();
    expect(answered).toMatchObject({ mode: undefined, requestId: undefined });
  });

  test.each([
    ['create', ({ payments }: Client) => payments.create(paymentInput)],
    ['waitFor', ({ payments }: Client) => payments.waitFor('x')],
    ['withResponse', ({ balance: { retrieve } }: Client) => retrieve().withResponse()],
    ['then', ({ balance: { retrieve } }: Client) => retrieve().then(({ balances }) => balances)],
    ['all', ({ balance: { retrieve } }: Client) => Promise.all([retrieve(), Promise.resolve()])],
    ['pages', ({ transactions }: Client) => transactions.list().pages().next()],
  ])('of %s rejects with an error whose stack leads to the code that waits for it', async (_, call) => {
    const { service } = clientAnswering([new TypeError('fetch failed')]);
    const waitForIt = async (): Promise<unknown> => {
      try {
        return await call(service);
      } catch (error) {
        return error;
      }
    };
    const { stack, name, message } = (await waitForIt()) as Error;
    expect(stack).toContain(`${name}: ${message}\n    at `);
    expect(stack).toContain('waitForIt');
    expect(stack).toContain('call.test.ts');
    expect(stack).not.toContain('transport');
  });

  test('that fails on a clock leads to it as well', async () => {
    const clock = createManualClock();
    const { service } = clientAnswering([never], { timeout: 100 }, clock);
    const failed = rejection(service.balance.retrieve());
    await clock.advance(100);
    const { stack } = (await failed) as Error;
    expect(stack).toMatch(/^TimeoutError: .*\n    at rejection /);
  });
});

describe('a timeout', () => {
  test('ends a request that gets no answer, after 30 seconds unless told otherwise', async () => {
    for (const [options, limit] of [
      [{}, 30_000],
      [{ timeout: 5_000 }, 5_000],
    ] as const) {
      const clock = createManualClock();
      const { service, requests } = clientAnswering([never], {}, clock);
      const failed = rejection(service.balance.retrieve(options));
      await clock.advance(limit - 1);
      expect(requests[0]?.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(requests[0]?.signal.aborted).toBe(true);
      expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 1 });
      expect(clock.pending()).toBe(0);
    }
  });

  test('covers the body', async () => {
    const clock = createManualClock();
    let cancelled = false;
    const stalled = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"success":')),
      cancel: () => {
        cancelled = true;
      },
    });
    const { service } = clientAnswering([() => new Response(stalled)], { timeout: 1_000 }, clock);
    const failed = rejection(service.payments.create(paymentInput));
    await clock.advance(1_000);
    expect(await failed).toMatchObject({ status: 200, attempts: 1, cause: { name: 'TimeoutError' } });
    await settle();
    expect(cancelled).toBe(true);
  });

  test('covers a key that does not come', async () => {
    const clock = createManualClock();
    const { service, requests } = clientAnswering([success(balance)], { apiKey: never }, clock);
    const failed = rejection(service.balance.retrieve());
    await clock.advance(30_000);
    const error = await failed;
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent', attempts: 0 });
    expect(String(error)).toContain('nothing was sent');
    expect(requests).toHaveLength(0);
  });

  test('lets go of the body of an answer that comes too late', async () => {
    const clock = createManualClock();
    let answer: (response: Response) => void = () => {};
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const { service } = clientAnswering([() => new Promise((resolve) => (answer = resolve))], {}, clock);
    const failed = rejection(service.balance.retrieve());
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError' });
    answer(new Response(body));
    await settle();
    expect(cancelled).toBe(true);
    expect(unhandled).toEqual([]);
  });

  test('leaves no timer behind, whatever becomes of the call', async () => {
    for (const answer of [
      success(balance),
      failure(500, 'server_error'),
      new Error('x'),
      new Response('<'),
    ]) {
      const clock = createManualClock();
      const { service } = clientAnswering([answer], {}, clock);
      await service.balance.retrieve().catch(() => {});
      expect(clock.pending()).toBe(0);
    }
  });
});

describe('a suspended process', () => {
  const answers = [success(payment)];

  test.each([
    ['the key', (suspend: () => void) => ({ apiKey: () => (suspend(), testKey) })],
    ['a hook', (suspend: () => void) => ({ onRequest: suspend })],
  ])('sends nothing when its time ran out in %s, before any timer has fired', async (_, suspendIn) => {
    const clock = createManualClock();
    const options = suspendIn(() => clock.suspend(30_000));
    const { service, requests } = clientAnswering(answers, options, clock);
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not_sent',
      attempts: 0,
    });
    expect(requests).toHaveLength(0);
    expect(clock.pending()).toBe(0);
  });

  test('sends nothing again when the total time ran out before the retry', async () => {
    const clock = createManualClock();
    const options = { maxRetries: 2, totalTimeout: 5_000 };
    const { service, requests } = clientAnswering([failure(429, 'rate_limit_error')], options, clock);
    const failed = rejection(service.payments.create(paymentInput));
    await settle();
    clock.suspend(6_000);
    await clock.advance(0);
    expect(await failed).toMatchObject({ name: 'RateLimitError', outcome: 'rejected', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test('hands the request to fetch before it logs it, since a logger can take long', async () => {
    const sent: number[] = [];
    const logger = {
      ...console,
      debug: () => sent.push(requests.length),
      info: () => {},
    };
    const { service, requests } = clientAnswering(answers, { logger, logLevel: 'debug' });
    await service.payments.create(paymentInput);
    expect(sent).toEqual([1]);
  });

  test.each([
    ['in the turn of its deadline', 30_000, 0],
    ['within 1 s after a suspension', 31_900, 31_000],
    ['within the time by which the timer was late', 30_140, 30_080],
  ])('returns a response that is read %s', async (_, readAt, suspension) => {
    const clock = createManualClock();
    const { service } = clientAnswering(
      [() => new Promise((resolve) => clock.schedule(() => resolve(success(payment)), readAt))],
      {},
      clock,
    );
    const created = service.payments.create(paymentInput);
    await settle();
    clock.suspend(suspension);
    await clock.advance(30_000);
    expect(await created).toMatchObject({ id: payment.id });
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['at once when the timer is on time', 0, 30_000],
    ['after the time by which the timer was late', 30_200, 200],
    ['1 s after a long suspension', 60_000, 1_000],
  ])('reports a timeout %s', async (_, suspension, wait) => {
    const clock = createManualClock();
    const { service } = clientAnswering([never], {}, clock);
    let ended = 0;
    const failed = rejection(service.payments.create(paymentInput)).finally(() => (ended = clock.now()));
    await settle();
    clock.suspend(suspension);
    await clock.advance(wait);
    expect(await failed).toMatchObject({ outcome: 'unknown', cause: { name: 'TimeoutError' } });
    expect(ended).toBe(suspension + wait);
  });
});

describe('a signal', () => {
  /** An AbortSignal that counts its listeners. */
  function countingSignal(): { controller: AbortController; listeners: () => number } {
    const controller = new AbortController();
    const { signal } = controller;
    let count = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      count += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      count -= 1;
      remove(...args);
    };
    return { controller, listeners: () => count };
  }

  test('sends nothing when it is aborted before', async () => {
    const reason = new Error('too late');
    const { service, requests } = clientAnswering([success(balance)]);
    const error = await rejection(service.balance.retrieve({ signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0, cause: reason });
    expect(requests).toHaveLength(0);
  });

  test('gives its reason on as it is, whatever that holds', async () => {
    const reason = Object.assign(new Error('the shop closed'), { orders: new Map([['A1', 5]]) });
    const { service } = clientAnswering([never]);
    const before = rejection(service.balance.retrieve({ signal: AbortSignal.abort(reason) }));
    const controller = new AbortController();
    const during = rejection(service.balance.retrieve({ signal: controller.signal }));
    await settle();
    controller.abort(reason);
    for (const error of [await before, await during]) expect((error as Error).cause).toBe(reason);
  });

  test('ends the call at once while it waits for the answer', async () => {
    const { controller, listeners } = countingSignal();
    const { service, requests } = clientAnswering([never]);
    const failed = rejection(service.balance.retrieve({ signal: controller.signal }));
    await settle();
    controller.abort();
    expect(await failed).toMatchObject({ name: 'AbortError', outcome: 'unknown', attempts: 1 });
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(listeners()).toBe(0);
  });

  test('ends the call at once while the body comes', async () => {
    const { controller, listeners } = countingSignal();
    const { service } = clientAnswering([() => new Response(new ReadableStream())]);
    const failed = rejection(service.balance.retrieve({ signal: controller.signal }));
    await settle();
    controller.abort('enough');
    expect(await failed).toMatchObject({ name: 'AbortError', status: 200, cause: 'enough' });
    expect(listeners()).toBe(0);
  });

  test('ends the call at once while the key is asked for', async () => {
    const controller = new AbortController();
    const { service, requests } = clientAnswering([success(balance)], { apiKey: never });
    const failed = rejection(service.balance.retrieve({ signal: controller.signal }));
    await settle();
    controller.abort();
    expect(await failed).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0 });
    expect(requests).toHaveLength(0);
  });

  test('sends nothing when it is aborted in the moment in which the key comes', async () => {
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
      const answer = (request: Request): Promise<Response> => {
        abortedBefore.push(request.signal.aborted);
        return never();
      };
      const { service } = clientAnswering([answer], { apiKey });
      const error = await rejection(service.balance.retrieve({ signal: controller.signal }));
      expect(error).toMatchObject({
        name: 'AbortError',
        outcome: abortedBefore.length > 0 ? 'unknown' : 'not_sent',
      });
      expect(abortedBefore).not.toContain(true);
    }
  });

  test('serves many calls at once with one listener, and ends them all', async () => {
    const { controller, listeners } = countingSignal();
    const { service } = clientAnswering([never]);
    const calls = Array.from({ length: 50 }, () =>
      rejection(service.balance.retrieve({ signal: controller.signal })),
    );
    await settle();
    expect(listeners()).toBe(1);
    controller.abort();
    expect((await Promise.all(calls)).map((error) => (error as Error).name)).toEqual(
      Array(50).fill('AbortError'),
    );
    expect(listeners()).toBe(0);
  });

  test('is let go of when the call is over', async () => {
    for (const answer of [success(balance), failure(500, 'server_error'), new Error('x')]) {
      const { controller, listeners } = countingSignal();
      const { service } = clientAnswering([answer]);
      await service.balance.retrieve({ signal: controller.signal }).catch(() => {});
      expect(listeners()).toBe(0);
    }
  });
});

test.each([{ signal: 'x' }, { signal: null }, { timeout: 0 }, { headers: { authorization: 'x' } }, 'x'])(
  'refuses the options %o before sending',
  async (options) => {
    const { service, requests } = clientAnswering([success(balance)]);
    expect(await rejection(service.balance.retrieve(options as never))).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
    });
    expect(requests).toHaveLength(0);
  },
);

test('refuses an answer of the other mode', async () => {
  const { service } = clientAnswering([json({ success: true, mode: 'live', data: balance })]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({
    name: 'ModeMismatchError',
    mode: 'live',
    status: 200,
    outcome: 'unknown',
  });
});

test('does not judge the mode of an answer that was not authenticated', async () => {
  const body = { success: false, mode: 'live', error: { type: 'authentication_error', message: 'No.' } };
  const { service } = clientAnswering([json(body, 401)]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({ name: 'AuthenticationError' });
});
