import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import { thrownBy } from './samples.ts';

const never = new AbortController().signal;

describe('memoryStore', () => {
  it('gives a claim to one of any number of callers', async () => {
    const store = memoryStore();
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.claim('key', `owner ${index}`)),
    );
    expect(states).toEqual(['claimed', ...Array.from({ length: 49 }, () => 'in_progress')]);
  });

  it('remembers a confirmed key and forgets a released one', async () => {
    const store = memoryStore();
    await store.claim('a', 'one');
    await store.confirm('a', 'one');
    expect(await store.claim('a', 'two')).toBe('confirmed');
    await store.claim('b', 'one');
    await store.release('b', 'one');
    expect(await store.claim('b', 'two')).toBe('claimed');
  });

  it('lets only the owner end a claim', async () => {
    const store = memoryStore();
    await store.claim('key', 'one');
    await store.confirm('key', 'two');
    await store.release('key', 'two');
    expect(await store.claim('key', 'two')).toBe('in_progress');
    await store.release('key', 'one');
    await store.claim('key', 'two');
    await store.confirm('key', 'one');
    expect(await store.claim('key', 'three')).toBe('in_progress');
  });

  it('releases nothing, and confirms, a key that nobody holds', async () => {
    const store = memoryStore();
    await store.release('key', 'one');
    expect(await store.claim('key', 'one')).toBe('claimed');
    await store.confirm('lapsed', 'one');
    expect(await store.claim('lapsed', 'two')).toBe('confirmed');
  });

  it.each([
    ['confirm', 'confirmed'],
    ['release', 'released'],
  ] as const)('tells those who wait after %s', async (end, outcome) => {
    const store = memoryStore();
    await store.claim('key', 'one');
    const waiting = [store.wait('key', never), store.wait('key', never)];
    await store[end]('key', 'one');
    expect(await Promise.all(waiting)).toEqual([outcome, outcome]);
    expect(await store.wait('key', never)).toBe(outcome);
  });

  it('forgets those who stopped waiting', async () => {
    const store = memoryStore();
    const stopped = new AbortController();
    const settled = vi.fn<() => void>();
    await store.claim('key', 'one');
    void store.wait('key', stopped.signal).then(settled);
    void store.wait('key', AbortSignal.abort()).then(settled);
    const patient = store.wait('key', never);
    stopped.abort();
    await store.confirm('key', 'one');
    expect(await patient).toBe('confirmed');
    expect(settled).not.toHaveBeenCalled();
  });

  it('takes any text as a key', async () => {
    const store = memoryStore();
    for (const key of ['__proto__', 'constructor', '', '\0']) {
      expect(await store.claim(key, 'one')).toBe('claimed');
      await store.confirm(key, 'one');
      expect(await store.claim(key, 'one')).toBe('confirmed');
    }
  });

  it('renews and confirms for the owner of a claim alone', async () => {
    const store = memoryStore();
    await store.claim('key', 'one');
    expect(await store.renew?.('key', 'one', 4_000)).toBe('renewed');
    expect(await store.renew?.('key', 'two', 4_000)).toBe('lost');
    expect(await store.confirm('key', 'two')).toBe('lost');
    expect(await store.confirm('key', 'one')).toBe('confirmed');
    expect(await store.renew?.('key', 'one', 4_000)).toBe('lost');
  });

  it('remembers at most maxEntries keys and at least the latest half', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 0, max: 60 }),
        async (maxEntries, count) => {
          const store = memoryStore({ maxEntries });
          for (let index = 0; index < count; index += 1) {
            await store.claim(String(index), 'one');
            await store.confirm(String(index), 'one');
          }
          const remembered: number[] = [];
          for (let index = 0; index < count; index += 1) {
            if ((await store.wait(String(index), never)) === 'confirmed') remembered.push(index);
          }
          const fresh = Array.from({ length: count }, (_, index) => index);
          expect(remembered).toEqual(remembered.length === 0 ? [] : fresh.slice(-remembered.length));
          expect(remembered.length).toBeLessThanOrEqual(maxEntries);
          expect(remembered.length).toBeGreaterThanOrEqual(Math.min(count, Math.floor(maxEntries / 2)));
        },
      ),
    );
  });

  it('keeps a claim in progress through a flood of other events', async () => {
    const store = memoryStore({ maxEntries: 2 });
    await store.claim('slow', 'one');
    for (let index = 0; index < 10; index += 1) {
      await store.claim(`other ${index}`, 'two');
      await store.confirm(`other ${index}`, 'two');
    }
    expect(await store.claim('slow', 'three')).toBe('in_progress');
  });

  it('knows who holds what, whatever is asked of it and however little it remembers', async () => {
    const step = fc.record({
      ask: fc.constantFrom('claim' as const, 'claim' as const, 'confirm' as const, 'release' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      owner: fc.constantFrom('one', 'two', 'three'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 8 }),
        fc.array(step, { maxLength: 100 }),
        async (maxEntries, steps) => {
          const store = memoryStore({ maxEntries });
          const running = new Map<string, string>();
          const told: unknown[] = [];
          const expected: unknown[] = [];
          for (const { ask, key, owner } of steps) {
            const state = await store[ask](key, owner);
            told.push(state === 'in_progress');
            expected.push(ask === 'claim' && running.has(key));
            if (ask !== 'claim' && running.get(key) === owner) running.delete(key);
            if (state === 'claimed') running.set(key, owner);
          }
          expect(told).toEqual(expected);
        },
      ),
    );
  });

  it.each([0, 1, 1.5, NaN, Infinity, '10'])('refuses %s as maxEntries', (maxEntries) => {
    expect(thrownBy(() => memoryStore({ maxEntries: maxEntries as number }))).toMatchObject({
      code: 'invalid_options',
    });
  });

  it('refuses an unknown option', () => {
    expect(thrownBy(() => memoryStore({ max: 10 } as never))).toMatchObject({
      message: 'memoryStore takes the options { maxEntries }, not max.',
    });
  });
});
