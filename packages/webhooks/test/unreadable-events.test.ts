import { describe, expect, it } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { ReceiverOptions } from '@service/webhooks/edge';
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

describe.each(implementations)('unreadable events over $name', ({ createReceiver }) => {
  const setUp = (options?: Partial<ReceiverOptions>) => setUpReceiver(createReceiver, options);
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
});
