import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import { PAYMENT_STATUSES } from '../src/event.ts';
import type {
  DedupeStore,
  ReceiverOptions,
  RetrievedPayment,
  WebhookError,
  WebhookEvent,
} from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { createDelivery, createPayment, rejectionOf, SECRET, writeEvent } from './samples.ts';
import { createSlowHandler } from './slow-handler.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const DAY = 86_400_000;

/** Returns the body of the event of a payment. */
const toBody = ({ id, status }: RetrievedPayment): string =>
  writeEvent({ event: `payment.${status}`, data: { id, status } });

describe.each(implementations)('handleRetrieved over $name', ({ createReceiver }) => {
  function setUp(options: Partial<ReceiverOptions> = {}) {
    const completed = vi.fn<(event: WebhookEvent) => unknown>();
    const fallback = vi.fn<(event: WebhookEvent) => unknown>();
    const onError = vi.fn<(error: WebhookError, event: WebhookEvent | undefined) => void>();
    const secrets = vi.fn<() => string>(() => SECRET);
    const on = { 'payment.completed': completed };
    const receive = createReceiver({ secrets, on, fallback, onError, now: () => NOW, ...options });
    const send = async (body: string) => (await receive(await createDelivery(body))).status;
    const read = (payment: object = createPayment()) => receive.handleRetrieved(payment as RetrievedPayment);
    return { receive, send, read, completed, fallback, onError, secrets };
  }

  it('runs the handler with an event that has all fields of the payment, its mode and no time', async () => {
    const { read, completed, fallback, onError, secrets } = setUp();
    const payment = Object.freeze(createPayment());
    expect(await read(payment)).toBe('handled');
    expect(completed.mock.calls).toEqual([
      [
        {
          kind: 'payment',
          source: 'read',
          event: 'payment.completed',
          data: { ...payment, mode: 'test' },
        },
      ],
    ]);
    for (const unused of [fallback, onError, secrets]) expect(unused).not.toHaveBeenCalled();
  });

  it('handles any order of events and reads of two payments once per payment and status', async () => {
    const step = fc.record({
      isRead: fc.boolean(),
      id: fc.constantFrom('pay_test_1', 'pay_test_2'),
      status: fc.constantFrom(...PAYMENT_STATUSES, 'on_hold'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const handled: string[] = [];
        const record = ({ event, data }: WebhookEvent): void =>
          void handled.push(`${event} ${(data as { id: string }).id}`);
        const { send, read } = setUp({ on: {}, fallback: record });
        await Promise.all(
          steps.map(({ isRead, ...parts }) =>
            isRead ? read(createPayment(parts)) : send(toBody(createPayment(parts))),
          ),
        );
        const expected = steps.map(({ id, status }) => `payment.${status} ${id}`);
        expect(handled.toSorted()).toEqual([...new Set(expected)].toSorted());
      }),
    );
  });

  it('returns in_progress at once while another call runs, and an event waits for the read', async () => {
    const { handler, entered, end } = createSlowHandler();
    const { send, read } = setUp({ on: { 'payment.completed': handler } });
    const first = read();
    await entered;
    expect(await read()).toBe('in_progress');
    const event = send(toBody(createPayment()));
    end();
    expect([await first, await event, await read()]).toEqual(['handled', 200, 'duplicate']);
    expect(handler).toHaveBeenCalledOnce();
  });

  it('shares no key with the receiver of another name', async () => {
    const store = memoryStore();
    const [billing, mail] = ['billing', 'mail'].map((name) => setUp({ store, name }));
    expect([await billing!.read(), await mail!.read(), await mail!.read()]).toEqual([
      'handled',
      'handled',
      'duplicate',
    ]);
  });

  it('returns other_mode by the id of the payment, without a claim', async () => {
    const claim = vi.fn<DedupeStore['claim']>();
    const { read } = setUp({ mode: 'live', store: { ...memoryStore(), claim } });
    expect(await read()).toBe('other_mode');
    expect(claim).not.toHaveBeenCalled();
    const live = setUp({ mode: 'live' });
    expect(await live.read(createPayment({ id: 'pay_live_1', mode: 'test' }))).toBe('handled');
    expect(live.completed.mock.calls).toMatchObject([[{ data: { mode: 'live' } }]]);
  });

  it('returns no_handler without a handler and a fallback, and records nothing', async () => {
    const inner = memoryStore();
    const claim = vi.fn<DedupeStore['claim']>((...values) => inner.claim(...values));
    const store = { ...inner, claim };
    const onWarning = vi.fn<NonNullable<ReceiverOptions['onWarning']>>();
    const { read, completed } = setUp({ store, fallback: undefined, onWarning });
    onWarning.mockClear();
    for (const status of ['failed', 'failed', 'on_hold'])
      expect(await read(createPayment({ status }))).toBe('no_handler');
    expect(onWarning.mock.calls.map(([{ code }]) => code)).toEqual([
      'event_without_handler',
      'event_without_handler',
    ]);
    expect([claim.mock.calls.length, await read(), completed.mock.calls.length]).toEqual([0, 'handled', 1]);
    const later = setUp({ store });
    expect(await later.read(createPayment({ status: 'failed' }))).toBe('handled');
    expect(later.fallback).toHaveBeenCalledOnce();
  });

  it('does not apply maxEventAge', async () => {
    const { read, send, completed } = setUp({ maxEventAge: 30 * DAY });
    expect(await read(createPayment({ created_at: '2019-01-01T00:00:00Z' }))).toBe('handled');
    expect(await send(writeEvent({ created_at: '2019-01-01T00:00:00Z' }))).toBe(200);
    expect(completed).toHaveBeenCalledOnce();
  });

  describe('of an undocumented status', () => {
    const held = createPayment({ status: 'on_hold' });

    it('passes it to the fallback as unknown', async () => {
      const { read, fallback } = setUp();
      expect([await read(held), await read({ ...held, purpose: 'changed' })]).toEqual([
        'handled',
        'duplicate',
      ]);
      expect(fallback.mock.calls).toEqual([
        [{ kind: 'unknown', source: 'read', event: 'payment.on_hold', data: { ...held, mode: 'test' } }],
      ]);
    });

    it('handles it once per payment and status, also in events whose bytes differ', async () => {
      const { send, read, fallback } = setUp();
      expect(await send(toBody(held))).toBe(200);
      expect(await send(` ${toBody(held)}`)).toBe(200);
      expect(await read(held)).toBe('duplicate');
      expect(await send(toBody({ ...held, id: 'pay_test_2' }))).toBe(200);
      expect(await send(toBody({ ...held, status: 'under review' }))).toBe(200);
      expect(fallback).toHaveBeenCalledTimes(3);
    });

    it.each([
      ['its name is not that of the status', { event: 'payment.updated' }],
      [
        'its status is too long for a key',
        { event: `payment.${'x'.repeat(65)}`, data: { status: 'x'.repeat(65) } },
      ],
      ['its status is not printable', { event: 'payment.a\u0000b', data: { status: 'a\u0000b' } }],
      ['its status is a number', { event: 'payment.5', data: { status: 5 } }],
      [
        'its id is not that of a payment',
        { event: 'payment.on_hold', data: { status: 'on_hold', id: 'po_1' } },
      ],
    ])('tells events apart by their bytes if %s', async (_, parts) => {
      const { send, fallback } = setUp();
      for (const note of ['one', 'two', 'one']) expect(await send(writeEvent({ ...parts, note }))).toBe(200);
      expect(fallback).toHaveBeenCalledTimes(2);
    });
  });

  describe('rejects', () => {
    const event = JSON.parse(writeEvent()) as { data: object };
    const values: Readonly<Record<string, readonly unknown[]>> = {
      invalid_event: [
        event,
        { event: 'payment.on_hold' },
        { ...createPayment(), event: undefined },
        { ...createPayment(), data: {} },
        { success: true, data: createPayment() },
        { kind: 'payment', source: 'read', event: 'payment.completed', data: createPayment() },
        Object.create({ event: 'payment.completed' }),
        writeEvent(),
        [createPayment()],
        null,
        undefined,
      ],
      // The data of an event has no time of creation.
      unreadable_event: [event.data, new TextEncoder().encode(writeEvent())],
    };
    it.each(Object.entries(values))('other values as %s, and handles nothing', async (code, given) => {
      const { receive, completed, fallback } = setUp();
      const handle = (value: unknown) => receive.handleRetrieved(value as never);
      const errors = await Promise.all(given.map((value) => rejectionOf(handle(value))));
      expect(errors).toMatchObject(given.map(() => ({ name: 'WebhookError', code })));
      for (const unused of [completed, fallback]) expect(unused).not.toHaveBeenCalled();
    });

    it.each([
      ['id', { id: 'txn_test_1' }],
      ['id', { id: 'pay_test_' }],
      ['id', { id: 7 }],
      ['id', { id: undefined }],
      ['status', { status: '' }],
      ['status', { status: 5 }],
      ['status', { status: undefined }],
      ['status', { status: 'x'.repeat(65) }],
      ['status', { status: 'secret\u0000' }],
      ['from_currency', { from_currency: null }],
      ['to_currency', { to_currency: '' }],
      ['send_amount', { send_amount: 'secret' }],
      ['receive_amount', { receive_amount: Number.NaN }],
      ['created_at (ISO 8601)', { created_at: undefined }],
      ['created_at (ISO 8601)', { created_at: 1_769_860_800 }],
    ])('%s of a payment with %j as unreadable_event, without its value', async (field, parts) => {
      const { read, onError, completed, fallback } = setUp();
      const error = await rejectionOf(read(createPayment(parts)));
      expect(error).toMatchObject({
        code: 'unreadable_event',
        message: `handleRetrieved: ${field} of the payment is not as documented. Pass a payment of payments.retrieve.`,
      });
      for (const unused of [onError, completed, fallback]) expect(unused).not.toHaveBeenCalled();
    });

    it.each([undefined, Number.NaN, 0])('payments over a store with the ttl %s', async (ttl) => {
      const { ttl: _, ...store } = memoryStore();
      const { read } = setUp({ store: ttl === undefined ? store : { ...store, ttl } });
      expect(await rejectionOf(read())).toMatchObject({
        code: 'invalid_options',
        message: 'handleRetrieved: the store must have a ttl, in milliseconds.',
      });
    });
  });

  describe('on failure', () => {
    it('throws handler_failed with the cause, and the next read or event runs the handler', async () => {
      const failure = new Error('database is down');
      const { read, send, completed, onError } = setUp();
      completed.mockRejectedValueOnce(failure);
      expect(await rejectionOf(read())).toMatchObject({ code: 'handler_failed', cause: failure });
      expect(onError).not.toHaveBeenCalled();
      expect([await send(toBody(createPayment())), await read()]).toEqual([200, 'duplicate']);
      expect(completed).toHaveBeenCalledTimes(2);
    });

    it.each(['claim', 'confirm of a duplicate', 'release'])(
      'throws store_failed if %s fails',
      async (title) => {
        const [name = ''] = title.split(' ');
        const store = { ...memoryStore(), ttl: DAY };
        const down = new Error('down');
        const failing = { ...store, [name]: () => Promise.reject(down) };
        const payment = createPayment(title === 'release' ? { created_at: '2025-01-01T00:00:00Z' } : {});
        if (name === 'confirm') await setUp({ store }).read(payment);
        const { read, completed } = setUp({ store: failing });
        expect(await rejectionOf(read(payment))).toMatchObject({ code: 'store_failed', cause: down });
        expect(completed).not.toHaveBeenCalled();
      },
    );

    it('returns handled and reports confirm_failed if the handler has run', async () => {
      const confirm = () => Promise.reject(new Error('down'));
      const { read, onError } = setUp({ store: { ...memoryStore(), confirm } });
      expect(await read()).toBe('handled');
      expect(onError.mock.calls).toMatchObject([[{ code: 'confirm_failed' }, { source: 'read' }]]);
    });
  });

  describe('over a store with a ttl', () => {
    /** Creates a store that forgets, on a clock of the test. */
    function createForgetfulStore(ttl: number) {
      const marks = new Map<string, number>();
      const clock = { now: NOW };
      const inner = memoryStore();
      const commands: string[] = [];
      const store: DedupeStore = {
        ...inner,
        ttl,
        claim: async (key, owner) => {
          commands.push('claim');
          if ((marks.get(key) ?? 0) > clock.now) return 'confirmed';
          return inner.claim(key, owner);
        },
        confirm: async (key, owner) => {
          commands.push('confirm');
          const isOther = (marks.get(key) ?? 0) > clock.now;
          marks.set(key, clock.now + ttl);
          await inner.release(key, owner);
          return isOther ? 'lost' : 'confirmed';
        },
        release: async (key, owner) => {
          commands.push('release');
          await inner.release(key, owner);
        },
      };
      return { store, clock, commands };
    }

    it('returns too_old for a payment from before its memory, without a handler and without a claim that stays', async () => {
      const { store, clock, commands } = createForgetfulStore(7 * DAY);
      const { read, send, completed } = setUp({ store, now: () => clock.now });
      const old = createPayment({ created_at: new Date(NOW - 7 * DAY - 1).toISOString() });
      expect([await read(old), await read(old)]).toEqual(['too_old', 'too_old']);
      expect(commands).toEqual(['claim', 'release', 'claim', 'release']);
      expect(completed).not.toHaveBeenCalled();
      expect(await send(toBody(old))).toBe(200);
      expect([await read(old), completed.mock.calls.length]).toEqual(['duplicate', 1]);
    });

    it.each([
      ['too_old', 7 * DAY - 59_000],
      ['handled', 7 * DAY - 61_000],
      ['handled', 0],
      ['handled', -DAY],
    ])(
      'returns %s for a payment of the age %i, with a minute for clocks that differ',
      async (result, age) => {
        const { store, clock } = createForgetfulStore(7 * DAY);
        const { read } = setUp({ store, now: () => clock.now });
        expect(await read(createPayment({ created_at: new Date(NOW - age).toISOString() }))).toBe(result);
      },
    );

    it('returns too_old if the clock fails', async () => {
      const { store } = createForgetfulStore(7 * DAY);
      expect(await setUp({ store, now: () => Number.NaN }).read()).toBe('too_old');
    });

    it('handles no payment twice, whatever the age of the payment and the time between its reads', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), isRead: fc.boolean() }), {
            minLength: 2,
            maxLength: 20,
          }),
          fc.integer({ min: 0, max: 4_000 }),
          async (steps, age) => {
            const { store, clock } = createForgetfulStore(2_000);
            const { read, completed, send } = setUp({ store, now: () => clock.now });
            const payment = createPayment({ created_at: new Date(NOW - age).toISOString() });
            if (steps[0]!.isRead) await send(toBody(payment));
            for (const { wait } of steps) {
              clock.now += wait;
              await read(payment);
            }
            expect(completed.mock.calls.length).toBeLessThanOrEqual(1);
          },
        ),
      );
    });
  });

  it('over memoryStore keeps a payment that is still read during many other events', async () => {
    const { read, completed } = setUp({ store: memoryStore({ maxEntries: 4 }) });
    for (let other = 0; other < 20; other += 1) {
      await read();
      await read(createPayment({ id: `pay_test_other${other}` }));
    }
    expect(completed).toHaveBeenCalledTimes(21);
  });
});
