import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { ReceiverOptions, UnreadableEvent } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { writeEvent } from './samples.ts';

/** Signed events with an invalid field, and the name of the field in the error. */
const invalidEvents: readonly (readonly [field: string, body: string])[] = [
  ['data.send_amount', writeEvent({ data: { send_amount: null } })],
  ['data.receive_amount', writeEvent({ data: { receive_amount: '1e3' } })],
  ['created_at', writeEvent({ created_at: '2026-01-31T12:00:00' })],
  ['created_at', writeEvent({ created_at: '2026-02-30T12:00:00+00:00' })],
  ['data.mode', writeEvent({ data: { mode: undefined } })],
  ['data.from_currency', writeEvent({ data: { from_currency: { code: 'USD' } } })],
  ['data.to_currency', writeEvent({ data: { to_currency: undefined } })],
  ['data.status', writeEvent({ data: { status: 'settled' } })],
  ['data.id', writeEvent({ data: { id: 17 } })],
  ['data', '{"event":"payment.completed","created_at":"2026-01-31T12:00:00Z","data":[]}'],
];

const bodyOf = (event: UnreadableEvent): string => new TextDecoder().decode(event.body);

describe.each(implementations)('unreadable events over $name', ({ createReceiver }) => {
  const setUp = (options?: Partial<ReceiverOptions>) => setUpReceiver(createReceiver, options);
  const setUpHandled = () => {
    const onUnreadable = vi.fn<(event: UnreadableEvent) => unknown>();
    return { ...setUp({ onUnreadable }), onUnreadable };
  };

  it.each(invalidEvents)('get a 500 by default, and %s is reported: %s', async (field, body) => {
    const { send, fallback, completed, errors, failures } = setUp();
    expect(await send(body)).toBe(500);
    expect(errors).toEqual([['unreadable_event', undefined]]);
    expect(failures[0]?.message.split(' ')[2]).toBe(field);
    expect(failures[0]?.message).toMatch(/^unreadable event: .* of payment\.completed is not as documented$/);
    expect(fallback).not.toHaveBeenCalled();
    expect(completed).not.toHaveBeenCalled();
  });

  it('are handled by a retry after the receiver can read them', async () => {
    const store = memoryStore();
    const before = setUp({ store });
    expect(await before.send(writeEvent({ data: { send_amount: null } }))).toBe(500);
    const after = setUp({ store });
    expect(await after.send(writeEvent())).toBe(200);
    expect(after.completed).toHaveBeenCalledOnce();
  });

  it.each(invalidEvents)('are passed to onUnreadable, and %s is reported: %s', async (_, body) => {
    const { send, fallback, onUnreadable, completed, failures } = setUpHandled();
    expect(await send(body)).toBe(200);
    const [event] = onUnreadable.mock.calls[0] ?? [];
    if (event?.kind !== 'unreadable') throw new Error('onUnreadable got another kind of event');
    expect([event.event, bodyOf(event)]).toEqual(['payment.completed', body]);
    expect(failures.map(({ code }) => code)).toEqual(['unreadable_event']);
    expect(event.reason).toBe(failures[0]?.message);
    expect(fallback).not.toHaveBeenCalled();
    expect(completed).not.toHaveBeenCalled();
  });

  it('are passed to onUnreadable once per body', async () => {
    const { send, onUnreadable } = setUpHandled();
    const [first, second] = [1, 2].map((purpose) => writeEvent({ data: { send_amount: null, purpose } }));
    for (const body of [first!, second!, first!, second!]) expect(await send(body)).toBe(200);
    expect(onUnreadable.mock.calls.map(([event]) => bodyOf(event))).toEqual([first, second]);
  });

  it('get a 500 if onUnreadable throws, and are passed to it again at the next delivery', async () => {
    const { send, onUnreadable, failures } = setUpHandled();
    const body = writeEvent({ data: { send_amount: null } });
    onUnreadable.mockRejectedValueOnce(new Error('the queue is full'));
    expect([await send(body), await send(body)]).toEqual([500, 200]);
    expect(failures.map(({ code }) => code)).toEqual([
      'unreadable_event',
      'handler_failed',
      'unreadable_event',
    ]);
    expect(onUnreadable).toHaveBeenCalledTimes(2);
  });

  it('are not duplicates of the valid event', async () => {
    const { send, onUnreadable, completed } = setUpHandled();
    expect(await send(writeEvent({ data: { send_amount: null } }))).toBe(200);
    expect(await send(writeEvent())).toBe(200);
    expect([onUnreadable.mock.calls.length, completed.mock.calls.length]).toEqual([1, 1]);
  });

  it.each([
    ['not JSON', '[1', 500],
    ['without a name', '{"data":{}}', 500],
    ['of the other mode', writeEvent({ data: { mode: 'live', send_amount: null } }), 200],
  ])('do not include a signed body %s, which gets a %3$i', async (_, body, status) => {
    const onUnreadable = vi.fn<(event: UnreadableEvent) => unknown>();
    for (const handlers of [{}, { onUnreadable }]) {
      const { send, fallback } = setUp({ ...handlers, mode: 'test' });
      expect(await send(body)).toBe(status);
      expect(fallback).not.toHaveBeenCalled();
      expect(onUnreadable).not.toHaveBeenCalled();
    }
  });

  it('do not include events with an undocumented name, which are passed to the fallback as unknown', async () => {
    const { send, fallback, errors } = setUp();
    expect(await send('{"event":"payment.settled"}')).toBe(200);
    expect(fallback.mock.calls).toEqual([[{ kind: 'unknown', source: 'webhook', event: 'payment.settled' }]]);
    expect(errors).toEqual([]);
  });
});
