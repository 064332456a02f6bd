import { expect, it } from 'vitest';
import { createReceiver } from '@service/webhooks/edge';
import type { DedupeStore } from '@service/webhooks/edge';
import type { SharedStoreOptions } from '../../src/stores/shared-store.ts';
import { createDelivery, SECRET, writeEvent } from '../samples.ts';

const never = new AbortController().signal;
let count = 0;
const newKey = (): string => `key-${(count += 1)}-${Date.now()}`;

/** The tests of every store. */
export function describeClaims(open: () => DedupeStore): void {
  it('grants a claim to one of many concurrent callers', async () => {
    const key = newKey();
    const store = open();
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.claim(key, `owner ${index}`)),
    );
    expect(states.toSorted()).toEqual(['claimed', ...Array.from({ length: 49 }, () => 'in_progress')]);
  });

  it('remembers a confirmed key and forgets a released one', async () => {
    const [a, b] = [newKey(), newKey()];
    const store = open();
    await store.claim(a, 'one');
    await store.confirm(a, 'one');
    expect(await store.claim(a, 'two')).toBe('confirmed');
    await store.release(a, 'one');
    expect(await store.claim(a, 'two')).toBe('confirmed');
    await store.claim(b, 'one');
    await store.release(b, 'one');
    expect(await store.claim(b, 'two')).toBe('claimed');
  });

  it('ends a claim for its owner only', async () => {
    const key = newKey();
    const store = open();
    await store.claim(key, 'one');
    await store.confirm(key, 'two');
    await store.release(key, 'two');
    expect(await store.claim(key, 'two')).toBe('in_progress');
    await store.release(key, 'one');
    await store.claim(key, 'two');
    await store.confirm(key, 'one');
    await store.release(key, 'one');
    expect(await store.claim(key, 'three')).toBe('in_progress');
  });

  it('confirms a key without a claim, as after an expired lease', async () => {
    const key = newKey();
    const store = open();
    await store.confirm(key, 'one');
    expect(await store.claim(key, 'two')).toBe('confirmed');
  });

  it.each([
    ['confirm', 'confirmed'],
    ['release', 'released'],
  ] as const)('resolves waiting calls in any process after %s', async (end, outcome) => {
    const key = newKey();
    const [store, other] = [open(), open()];
    await store.claim(key, 'one');
    const waiting = [store.wait(key, never), other.wait(key, never)];
    await store[end](key, 'one');
    expect(await Promise.all(waiting)).toEqual([outcome, outcome]);
  });

  it('accepts any text as an owner or key', async () => {
    const store = open();
    const key = `${newKey()} '";-- \u{1f511} confirmed`;
    expect(await store.claim(key, 'confirmed')).toBe('claimed');
    expect(await store.claim(key, 'other')).toBe('in_progress');
    await store.confirm(key, 'confirmed');
    expect(await store.claim(key, 'other')).toBe('confirmed');
  });

  it('does not resolve an aborted wait', async () => {
    const key = newKey();
    const store = open();
    await store.claim(key, 'one');
    const stopping = new AbortController();
    const settled: string[] = [];
    void store.wait(key, stopping.signal).then((outcome) => settled.push(outcome));
    stopping.abort();
    await store.confirm(key, 'one');
    expect(await store.wait(key, never)).toBe('confirmed');
    expect(settled).toEqual([]);
  });

  it('handles an event once for two receivers, also after a handler that throws', async () => {
    const data = { id: `pay_test_${newKey()}` };
    let runs = 0;
    const handler = (): void => {
      runs += 1;
      if (runs === 1) throw new Error('database is down');
    };
    const receivers = [open(), open()].map((store) =>
      createReceiver({ secrets: SECRET, on: {}, fallback: handler, onError: () => {}, store }),
    );
    const send = async (at: number) =>
      (await receivers[at]!(await createDelivery(writeEvent({ data })))).status;
    expect(await send(0)).toBe(500);
    expect(await Promise.all([send(0), send(1), send(1)])).toEqual([200, 200, 200]);
    expect(await send(0)).toBe(200);
    expect(runs).toBe(2);
  });
}

/** The tests of every store that processes share. */
export function describeSharedStore(open: (options?: SharedStoreOptions) => DedupeStore): void {
  describeClaims(open);

  it('keeps a claim for a minute by default', async () => {
    const key = newKey();
    const store = open();
    await store.claim(key, 'one');
    expect(await store.renew?.(key, 'two', 1)).toBe('lost');
    expect(await store.claim(key, 'two')).toBe('in_progress');
  });

  it('keeps a claim that is renewed', async () => {
    const [key, later] = [newKey(), newKey()];
    const store = open();
    await store.claim(key, 'one', 300);
    expect(await store.renew?.(key, 'one', 60_000)).toBe('renewed');
    await store.claim(later, 'one', 300);
    expect(await store.wait(later, never)).toBe('released');
    expect(await store.claim(key, 'two')).toBe('in_progress');
    expect(await store.confirm(key, 'one')).toBe('confirmed');
  });

  it('renews an expired claim that no other owner claimed', async () => {
    const key = newKey();
    const store = open();
    await store.claim(key, 'one', 1);
    expect(await store.wait(key, never)).toBe('released');
    expect(await store.renew?.(key, 'one', 60_000)).toBe('renewed');
    expect(await store.claim(key, 'two')).toBe('in_progress');
  });

  it('reports a claim of another owner as lost', async () => {
    const key = newKey();
    const store = open();
    await store.claim(key, 'one', 1);
    expect(await store.wait(key, never)).toBe('released');
    expect(await store.claim(key, 'two')).toBe('claimed');
    expect(await store.renew?.(key, 'one', 60_000)).toBe('lost');
    expect(await store.confirm(key, 'one')).toBe('lost');
    expect(await store.confirm(key, 'two')).toBe('confirmed');
    expect(await store.renew?.(key, 'one', 60_000)).toBe('lost');
    expect(await store.confirm(key, 'one')).toBe('lost');
  });

  it('grants a claim after the lease of a crashed process', async () => {
    const store = open();
    const key = newKey();
    expect(await store.claim(key, 'crashed', 300)).toBe('claimed');
    expect(await store.claim(key, 'next')).toBe('in_progress');
    expect(await store.wait(key, never)).toBe('released');
    expect(await store.claim(key, 'next')).toBe('claimed');
    await store.release(key, 'crashed');
    await store.confirm(key, 'next');
    expect(await store.claim(key, 'third')).toBe('confirmed');
  });

  it('forgets a handled event after its ttl', async () => {
    const store = open({ ttl: 200 });
    const key = newKey();
    await store.claim(key, 'one');
    await store.confirm(key, 'one');
    expect(await store.claim(key, 'two')).toBe('confirmed');
    const until = Date.now() + 10_000;
    let state = await store.claim(key, 'two');
    while (state === 'confirmed' && Date.now() < until) state = await store.claim(key, 'two');
    expect(state).toBe('claimed');
  });

  it('returns one result for a command that its client sends twice, and keeps the confirmation', async () => {
    const key = newKey();
    const store = open();
    const claim = () => store.claim(key, 'one');
    expect([await claim(), await claim()]).toEqual(['claimed', 'claimed']);
    const confirm = () => store.confirm(key, 'one');
    expect([await confirm(), await confirm()]).toEqual(['confirmed', 'confirmed']);
    expect(await store.renew?.(key, 'one', 1)).toBe('lost');
    expect(await store.claim(key, 'two')).toBe('confirmed');
  });
}
