import { expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks/edge';
import type { DedupeStore } from '@service/webhooks/edge';
import type { SharedStoreOptions } from '../../src/stores/shared-store.ts';
import { createDelivery, createPayment, SECRET, writeEvent } from '../samples.ts';

let count = 0;
const newId = (): string => `pay_test_read${(count += 1)}at${Date.now()}`;

export interface ReadsContext {
  readonly open: (options?: SharedStoreOptions) => DedupeStore;
  /** Advances the clock of the store: every mark and claim expires so many milliseconds earlier. */
  readonly advance: (milliseconds: number) => Promise<void>;
}

/** The tests of payments that are read, over every store that processes share. */
export function describeReads({ open, advance }: ReadsContext): void {
  function setUp(options?: SharedStoreOptions) {
    const handler = vi.fn<() => void>();
    let passed = 0;
    const receive = createReceiver({
      secrets: SECRET,
      on: {},
      fallback: handler,
      onError: () => {},
      store: open(options),
      now: () => Date.now() + passed,
    });
    const payment = createPayment({ id: newId(), created_at: new Date().toISOString() });
    const read = () => receive.handleRetrieved(payment);
    const send = async () =>
      (await receive(await createDelivery(writeEvent({ data: { id: payment.id } })))).status;
    const pass = async (milliseconds: number): Promise<void> => {
      passed += milliseconds;
      await advance(milliseconds);
    };
    return { handler, read, send, pass };
  }

  it('remembers a payment as long as it is read, and then handles no read of it, but its event', async () => {
    const { handler, read, send, pass } = setUp({ ttl: 120_000 });
    expect(await read()).toBe('handled');
    for (let minute = 0; minute < 10; minute += 1) {
      await pass(60_000);
      expect(await read()).toBe('duplicate');
    }
    await pass(120_000);
    expect([await read(), await read()]).toEqual(['too_old', 'too_old']);
    expect(handler).toHaveBeenCalledOnce();
    expect([await send(), await read()]).toEqual([200, 'duplicate']);
  });

  it('renews the time of a confirmed key by a confirmation of another owner, and of no other key', async () => {
    const store = open({ ttl: 60_000 });
    const [key, running] = [newId(), newId()];
    await store.confirm(key, 'one');
    await store.claim(running, 'one', 60_000);
    await advance(40_000);
    expect([await store.confirm(key, 'two'), await store.confirm(running, 'two')]).toEqual(['lost', 'lost']);
    await advance(40_000);
    expect([await store.claim(key, 'three'), await store.claim(running, 'three')]).toEqual([
      'confirmed',
      'claimed',
    ]);
    expect(await store.confirm(key, 'one')).toBe('confirmed');
  });
}
