import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { DedupeStore, ReceiverOptions } from '@service/webhooks/edge';
import { unusableSecrets } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import {
  createDelivery,
  encode,
  OTHER_SECRET,
  SECRET,
  signByOracle,
  thrownBy,
  writeEvent,
} from './samples.ts';
import { createSlowHandler } from './slow-handler.ts';

/** Creates a store that exposes the number of waiting duplicates and their abort signals. */
function createObservedStore() {
  const store = memoryStore();
  const signals: AbortSignal[] = [];
  const reached = Promise.withResolvers<void>();
  let expected = 1;
  const whenWaiting = (count: number): Promise<void> => {
    expected = count;
    return reached.promise;
  };
  const observed: DedupeStore = {
    ...store,
    wait: (key, signal) => {
      if (signals.push(signal) === expected) reached.resolve();
      return store.wait(key, signal);
    },
  };
  return { store: observed, signals, whenWaiting };
}

/** Creates a store with one method that fails. */
const createFailingStore = (method: keyof DedupeStore): DedupeStore => ({
  ...memoryStore(),
  [method]: () => Promise.reject(new Error(`${method} failed`)),
});

const ignore = (): void => {};

const post = (body: ReadableStream, headers: Record<string, string> = {}): Request =>
  new Request('https://shop.example/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

describe.each(implementations)('createReceiver over $name', ({ createReceiver }) => {
  const setUp = (options?: Partial<ReceiverOptions>) => setUpReceiver(createReceiver, options);

  describe('responds', () => {
    it('200 after the handler of the event has run', async () => {
      const { send, completed, fallback, errors } = setUp();
      expect(await send()).toBe(200);
      expect(completed.mock.calls).toEqual([
        [{ ...JSON.parse(writeEvent()), kind: 'payment', source: 'webhook' }],
      ]);
      expect(fallback).not.toHaveBeenCalled();
      expect(errors).toEqual([]);
    });

    it('401 with one body to every invalid signature', async () => {
      const { receive, errors, completed } = setUp();
      const genuine = await signByOracle(writeEvent());
      const other = await signByOracle(writeEvent(), OTHER_SECRET);
      const missing = await createDelivery(writeEvent());
      missing.headers.delete('x-service-signature');
      const signatures = ['', genuine.toUpperCase(), `${genuine}, ${genuine}`, other];
      const signed = signatures.map((signature) =>
        createDelivery(writeEvent(), { 'x-service-signature': signature }),
      );
      const requests = [missing, ...(await Promise.all(signed))];
      const responses = await Promise.all(requests.map(receive));
      const shown = responses.map(async (response) =>
        JSON.stringify([response.status, await response.text(), ...response.headers]),
      );
      const [first] = await Promise.all(shown);
      expect(first).toMatch(/^\[401,/);
      expect(new Set(await Promise.all(shown))).toEqual(new Set([first]));
      expect(errors.map(([code]) => code).toSorted()).toEqual([
        'ambiguous_signature',
        'malformed_signature',
        'malformed_signature',
        'missing_signature',
        'signature_mismatch',
      ]);
      expect(completed).not.toHaveBeenCalled();
    });

    it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('405 to %s', async (method) => {
      const { receive } = setUp();
      const response = await receive(new Request('https://shop.example/webhooks', { method }));
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    });

    it('413 over maxBodyBytes, and 200 at maxBodyBytes', async () => {
      const body = writeEvent();
      const { send } = setUp({ maxBodyBytes: body.length });
      expect(await send(body)).toBe(200);
      const { send: sendMore, errors } = setUp({ maxBodyBytes: body.length - 1 });
      expect(await sendMore(body)).toBe(413);
      expect(errors).toEqual([['body_too_large', undefined]]);
    });

    it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => object]>([
      ['arrayBuffer', (bytes) => ({ body: { pipe: () => {} }, arrayBuffer: async () => bytes.buffer })],
      ['text', (bytes) => ({ body: undefined, text: async () => new TextDecoder().decode(bytes) })],
    ])('200 and 413 to a Request without a web stream, read with %s', async (_, toBody) => {
      const { method, headers } = await createDelivery(writeEvent());
      const request = { method, headers, ...toBody(encode(writeEvent())) } as unknown as Request;
      const { receive, completed } = setUp();
      expect((await receive(request)).status).toBe(200);
      expect(completed).toHaveBeenCalledOnce();
      const { receive: receiveLess, errors } = setUp({ maxBodyBytes: 10 });
      expect((await receiveLess(request)).status).toBe(413);
      expect(errors).toEqual([['body_too_large', undefined]]);
    });

    it('413 to an endless body without a content-length, and stops reading', async () => {
      const { receive } = setUp();
      const chunk = new Uint8Array(1024);
      let pulls = 0;
      // The response must not wait for a cancel that never settles.
      const cancel = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
      const endless = new ReadableStream({
        pull: (controller) => {
          pulls += 1;
          controller.enqueue(chunk);
        },
        cancel,
      });
      expect((await receive(post(endless))).status).toBe(413);
      expect(pulls).toBeLessThan(70);
      expect(cancel).toHaveBeenCalledOnce();
    });

    it('200 to a body that arrives byte by byte', async () => {
      const { receive, completed } = setUp();
      const bytes = encode(writeEvent());
      const body = new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
          controller.close();
        },
      });
      const headers = { 'x-service-signature': await signByOracle(bytes) };
      expect((await receive(post(body, headers))).status).toBe(200);
      expect(completed).toHaveBeenCalledOnce();
    });

    it('401 to a request without a body', async () => {
      const { receive } = setUp();
      expect((await receive(new Request('https://shop.example/', { method: 'POST' }))).status).toBe(401);
    });

    it('500 to a body that was read before or ends with an error', async () => {
      const { receive, errors } = setUp();
      const used = await createDelivery(writeEvent());
      await used.text();
      expect((await receive(used)).status).toBe(500);
      const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
      expect((await receive(post(broken))).status).toBe(500);
      expect(errors).toEqual([
        ['body_unreadable', undefined],
        ['body_unreadable', undefined],
      ]);
    });
  });

  describe('handles each event once', () => {
    beforeEach(
      () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
    );
    afterEach(() => void vi.useRealTimers());

    it('acknowledges a duplicate without handling it, also if its bytes differ', async () => {
      const { send, completed, errors } = setUp();
      expect(await send()).toBe(200);
      expect(await send()).toBe(200);
      expect(await send(writeEvent({ created_at: '2026-02-01T00:00:00Z' }))).toBe(200);
      expect(completed).toHaveBeenCalledOnce();
      expect(errors).toEqual([]);
    });

    it.each([
      ['different names', '{"event":"x","data":{"id":"wal_1"}}', '{"event":"y","data":{"id":"wal_1"}}'],
      [
        'different amounts of one wallet',
        '{"event":"wallet.credited","data":{"id":"wal_1","amount":5}}',
        '{"event":"wallet.credited","data":{"id":"wal_1","amount":70}}',
      ],
      [
        'different notes on one payment',
        writeEvent({ event: 'payment.note_added', data: { note: 'one' } }),
        writeEvent({ event: 'payment.note_added', data: { note: 'two' } }),
      ],
    ])('handles unknown events with %s separately, and equal bytes once', async (_, first, second) => {
      const { send, fallback } = setUp();
      for (const body of [first, second, first, second]) expect(await send(body)).toBe(200);
      expect(fallback.mock.calls.map(([event]) => event)).toEqual(
        [first, second].map((body) => ({
          ...(JSON.parse(body) as object),
          kind: 'unknown',
          source: 'webhook',
        })),
      );
    });

    it('handles an unknown event once if it is signed with different secrets', async () => {
      const { send, fallback } = setUp({ secrets: [SECRET, OTHER_SECRET] });
      const body = '{"event":"wallet.credited"}';
      for (const secret of [SECRET, OTHER_SECRET]) {
        expect(await send(body, { 'x-service-signature': await signByOracle(body, secret) })).toBe(200);
      }
      expect(fallback).toHaveBeenCalledOnce();
    });

    it('uses short keys in the store, also for a long name of an unknown event', async () => {
      const claim = vi.fn<DedupeStore['claim']>(async () => 'confirmed');
      const { send } = setUp({ store: { ...memoryStore(), claim } });
      await send(JSON.stringify({ event: 'x'.repeat(10_000) }));
      await send();
      expect(claim.mock.calls.map(([key]) => key)).toEqual([
        expect.stringMatching(/^unknown\/[0-9a-f]{64}$/),
        'payment.completed/pay_test_4Zs81kQ0vYw2',
      ]);
    });

    it('delays duplicates until the first delivery ends, and acknowledges all of them', async () => {
      const { handler, end } = createSlowHandler();
      const { store, whenWaiting } = createObservedStore();
      const { send } = setUp({ on: { 'payment.completed': handler }, store });
      const waiting = whenWaiting(99);
      const statuses: number[] = [];
      const all = Array.from({ length: 100 }, async () => statuses.push(await send()));
      await waiting;
      expect(statuses).toEqual([]);
      // One timer per waiting duplicate, and one for the renewal of the claim.
      expect(vi.getTimerCount()).toBe(100);
      end();
      await Promise.all(all);
      expect(statuses).toEqual(Array.from({ length: 100 }, () => 200));
      expect(handler).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    });

    it('responds 500 to the first delivery and its duplicates if the handler throws, and handles the next', async () => {
      const failure = new Error('database is down');
      const { handler, fail } = createSlowHandler();
      const { store, whenWaiting } = createObservedStore();
      const { send, errors, failures } = setUp({ on: { 'payment.completed': handler }, store });
      const both = [send(), send()];
      await whenWaiting(1);
      fail(failure);
      expect(await Promise.all(both)).toEqual([500, 500]);
      expect(new Map(errors)).toEqual(
        new Map([
          ['handler_failed', 'payment.completed'],
          ['first_delivery_failed', 'payment.completed'],
        ]),
      );
      expect(failures.map(({ cause }) => cause)).toContain(failure);
      handler.mockResolvedValue();
      expect(await send()).toBe(200);
      expect(handler).toHaveBeenCalledTimes(2);
    });

    it('responds 503 to a duplicate that waited for 8 s, and 200 to the first when it ends', async () => {
      const { handler, entered, end } = createSlowHandler();
      const { store, signals, whenWaiting } = createObservedStore();
      const { send, errors } = setUp({ on: { 'payment.completed': handler }, store });
      const first = send();
      await entered;
      const duplicate = send();
      await whenWaiting(1);
      vi.advanceTimersByTime(7_999);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      vi.advanceTimersByTime(1);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(await duplicate).toBe(503);
      expect(errors).toEqual([['first_delivery_running', 'payment.completed']]);
      end();
      expect(await first).toBe(200);
      expect(await send()).toBe(200);
      expect(handler).toHaveBeenCalledOnce();
    });
  });

  describe('on failure', () => {
    const throwing = (error: unknown) => () => {
      throw error as Error;
    };

    it.each([
      ['throws an error', throwing(new Error('no'))],
      ['throws undefined', throwing(undefined)],
      ['rejects', () => Promise.reject(new Error('no'))],
      [
        'throws the error of an invalid signature',
        throwing(Object.assign(new Error('no'), { code: 'signature_mismatch', name: 'WebhookError' })),
      ],
    ])('responds 500 if the handler or the fallback %s', async (_, handler) => {
      const { send, errors } = setUp({ on: { 'payment.completed': handler }, fallback: handler });
      expect([await send(), await send('{"event":"x"}')]).toEqual([500, 500]);
      expect(errors).toEqual([
        ['handler_failed', 'payment.completed'],
        ['handler_failed', 'x'],
      ]);
    });

    it.each([
      ['throws', throwing(new Error('logger'))],
      ['rejects', () => Promise.reject(new Error('logger'))],
      ['never ends', () => new Promise(() => {})],
    ])('sends the same response if onError %s', async (_, onError) => {
      const { send } = setUp({ onError });
      expect(await send('[1')).toBe(500);
      expect(await send(writeEvent(), { 'x-service-signature': 'x' })).toBe(401);
    });

    it.each([undefined, null, false, true, 0, 'OK', 'confirm', {}, new Error('claim failed')])(
      'responds 500 and handles nothing if claim returns %j or fails',
      async (state) => {
        const claim = async () => (state instanceof Error ? Promise.reject(state) : (state as never));
        const { send, errors, failures, completed } = setUp({ store: { ...memoryStore(), claim } });
        expect(await send()).toBe(500);
        expect(errors).toEqual([['store_failed', 'payment.completed']]);
        const cause = new TypeError('The store must return claimed or in_progress or confirmed.');
        expect(failures[0]?.cause).toEqual(state instanceof Error ? state : cause);
        expect(completed).not.toHaveBeenCalled();
      },
    );

    it.each([undefined, null, false, true, 'OK', 'elapsed', 'claimed', {}])(
      'responds 500 to a duplicate if wait returns %j',
      async (outcome) => {
        const store: DedupeStore = {
          ...memoryStore(),
          claim: async () => 'in_progress',
          wait: () => Promise.resolve(outcome as never),
        };
        const { send, errors, failures } = setUp({ store });
        expect(await send()).toBe(500);
        expect(errors).toEqual([['store_failed', 'payment.completed']]);
        expect(String(failures[0]?.cause)).toBe('TypeError: The store must return confirmed or released.');
      },
    );

    it('responds 200 if the store fails to confirm, because the handler has run', async () => {
      const { send, errors } = setUp({ store: createFailingStore('confirm') });
      expect(await send()).toBe(200);
      expect(errors).toEqual([['confirm_failed', 'payment.completed']]);
    });

    it('responds 500 and reports both causes if the store fails to release', async () => {
      const failure = new Error('handler');
      const { send, failures } = setUp({
        store: createFailingStore('release'),
        on: { 'payment.completed': () => Promise.reject(failure) },
      });
      expect(await send()).toBe(500);
      expect(failures.map(({ code, cause }) => [code, cause])).toEqual([
        ['store_failed', new Error('release failed')],
        ['handler_failed', failure],
      ]);
    });

    it('responds 500 to a duplicate if the store fails to wait', async () => {
      const { handler, entered, end } = createSlowHandler();
      const { send, errors } = setUp({
        store: createFailingStore('wait'),
        on: { 'payment.completed': handler },
      });
      const first = send();
      await entered;
      expect(await send()).toBe(500);
      expect(errors).toEqual([['store_failed', 'payment.completed']]);
      end();
      expect(await first).toBe(200);
    });
  });

  describe('acknowledges an event without a handler', () => {
    const failed = writeEvent({ event: 'payment.failed', data: { status: 'failed' } });
    const held = writeEvent({ event: 'payment.on_hold', data: { status: 'on_hold' } });
    const unknown = '{"event":"wallet.credited"}';

    it.each([
      ['a documented name', failed],
      ['a status that is not documented', held],
      ['another name', unknown],
    ])('with %s, and records nothing, so that a handler that is added later gets it', async (_, body) => {
      const inner = memoryStore();
      const claim = vi.fn<DedupeStore['claim']>((...values) => inner.claim(...values));
      const store = { ...inner, claim };
      const before = setUp({ fallback: undefined, store, onWarning: ignore });
      expect([await before.send(body), await before.send(body)]).toEqual([200, 200]);
      expect(claim).not.toHaveBeenCalled();
      const after = setUp({ store });
      expect([await after.send(body), await after.send(body)]).toEqual([200, 200]);
      expect(after.fallback).toHaveBeenCalledOnce();
      expect([...before.errors, ...after.errors]).toEqual([]);
    });

    it('and names it once', async () => {
      const onWarning = vi.fn<NonNullable<ReceiverOptions['onWarning']>>();
      const { send } = setUp({ fallback: undefined, on: {}, onWarning });
      for (const body of [unknown, failed, unknown, held, failed, held]) await send(body);
      expect(onWarning.mock.calls.map(([{ code, message }]) => [code, message.split(' ')[0]])).toEqual([
        ['event_without_handler', 'wallet.credited'],
        ['event_without_handler', 'payment.failed'],
        ['event_without_handler', 'payment.on_hold'],
      ]);
    });

    it('and names at most 100, in at most 64 printable characters', async () => {
      const messages: string[] = [];
      const { send } = setUp({
        fallback: undefined,
        on: {},
        onWarning: ({ message }) => messages.push(message),
      });
      await send(JSON.stringify({ event: `a\n\u001b[2J\u009b\u202e${'x'.repeat(100)}` }));
      for (let index = 0; index < 120; index += 1) await send(JSON.stringify({ event: `name.${index}` }));
      expect(messages[0]).toMatch(/^a\?\?\[2J\?\?x{56} has no handler in on, and there is no fallback\./);
      expect(messages).toHaveLength(100);
    });

    it('also if onWarning throws, but not a forged one', async () => {
      const fail = vi.fn<() => void>(() => {
        throw new Error('no log');
      });
      const { send, errors } = setUp({ fallback: undefined, on: {}, onWarning: fail });
      expect(await send(failed, { 'x-service-signature': 'a'.repeat(64) })).toBe(401);
      expect(fail).not.toHaveBeenCalled();
      expect(await send(failed)).toBe(200);
      expect(errors).toEqual([['signature_mismatch', undefined]]);
      expect(fail).toHaveBeenCalledOnce();
    });
  });

  it.each<[title: string, options: Partial<ReceiverOptions>, codes: string[]]>([
    ['payment.completed only', { on: { 'payment.completed': ignore } }, ['failed_without_handler']],
    ['payment.completed and a fallback', { on: { 'payment.completed': ignore }, fallback: ignore }, []],
    ['both', { on: { 'payment.completed': ignore, 'payment.failed': ignore } }, []],
    ['payment.failed only', { on: { 'payment.failed': ignore } }, []],
    ['none', { on: {} }, []],
  ])('warns at construction about handlers of %s: %o', async (_, options, codes) => {
    const onWarning = vi.fn<NonNullable<ReceiverOptions['onWarning']>>();
    const { send } = setUp({ fallback: undefined, onWarning, ...options });
    expect(onWarning.mock.calls.map(([{ code }]) => code)).toEqual(codes);
    await send(writeEvent({ data: { id: 'pay_test_first' } }));
    await send(writeEvent({ data: { id: 'pay_test_second' } }));
    expect(onWarning.mock.calls.filter(([{ code }]) => code === 'failed_without_handler')).toHaveLength(
      codes.length,
    );
  });

  describe('rejects at construction', () => {
    const on = {};
    const valid = { secrets: SECRET, on, fallback: ignore };

    it.each<[unknown, RegExp]>([
      [undefined, /^The options of createReceiver must be an object\.$/],
      [{ ...valid, fallback: 'log' }, /fallback`? must be a function/],
      [{ secrets: SECRET, fallback: ignore }, /on`? must be an object .*: \{ 'payment\.completed'/],
      [
        { ...valid, on: { 'payment.complete': ignore } },
        /^"payment\.complete" is unknown\. Use one of: payment\.pending, .*, payment\.failed\.$/,
      ],
      [{ ...valid, on: { 'payment.failed': 'notify' } }, /payment\.failed`? must be a function/],
      [{ ...valid, on: { 'payment.failed': undefined } }, /must be a function/],
      [{ ...valid, handlers: {} }, /^"handlers" is unknown\. Use one of: secrets, mode, .*\.$/],
      [{ ...valid, onError: true }, /onError`? must be a function/],
      [{ ...valid, name: '' }, /name`? must be a string that is not empty/],
      [{ ...valid, name: 5 }, /name`? must be a string that is not empty/],
      [{ ...valid, name: null }, /name`? must be a string that is not empty/],
      [{ ...valid, maxBodyBytes: 0 }, /maxBodyBytes`? must be a whole number from 1/],
      [{ ...valid, maxBodyBytes: NaN }, /maxBodyBytes/],
      [{ ...valid, maxHandlerTime: 0 }, /maxHandlerTime/],
      [
        { ...valid, maxHandlerTime: 2 ** 31 },
        /maxHandlerTime`? must be a positive number of milliseconds, at most 2147483647\./,
      ],
      [{ ...valid, store: new Map() }, /`store\.claim` must be a function/],
      [{ ...valid, store: { ...memoryStore(), renew: true } }, /`store\.renew` must be a function/],
      [{ ...valid, store: memoryStore }, /store`? must be a DedupeStore/],
      [{ ...valid, mode: 'prod' }, /mode`? must be 'test' or 'live'/],
      [{ ...valid, secrets: ignore, mode: 'prod' }, /mode/],
    ])('%o', (options, message) => {
      expect(thrownBy(() => createReceiver(options as never))).toMatchObject({
        code: 'invalid_options',
        message: expect.stringMatching(message) as unknown,
      });
    });

    it.each(unusableSecrets)('%s as the secret', (_, secrets) => {
      expect(thrownBy(() => createReceiver({ ...valid, secrets: secrets as never }))).toMatchObject({
        code: 'unusable_secret',
      });
    });
  });
});
