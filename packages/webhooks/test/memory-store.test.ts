import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import { thrownBy } from './samples.ts';

const never = new AbortController().signal;

describe('memoryStore', () => {
  it('grants a claim to one of many concurrent callers', async () => {
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

  it('ends a claim for its owner only', async () => {
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

  it('ignores the release and accepts the confirmation of a key without a claim', async () => {
    const store = memoryStore();
    await store.release('key', 'one');
    expect(await store.claim('key', 'one')).toBe('claimed');
    await store.confirm('expired', 'one');
    expect(await store.claim('expired', 'two')).toBe('confirmed');
  });

  it.each([
    ['confirm', 'confirmed'],
    ['release', 'released'],
  ] as const)('resolves waiting calls after %s', async (end, outcome) => {
    const store = memoryStore();
    await store.claim('key', 'one');
    const waiting = [store.wait('key', never), store.wait('key', never)];
    await store[end]('key', 'one');
    expect(await Promise.all(waiting)).toEqual([outcome, outcome]);
    expect(await store.wait('key', never)).toBe(outcome);
  });

  it('does not resolve calls that were aborted', async () => {
    const store = memoryStore();
    const stopped = new AbortController();
    const settled = vi.fn<() => void>();
    await store.claim('key', 'one');
    void store.wait('key', stopped.signal).then(settled);
    void store.wait('key', AbortSignal.abort()).then(settled);
    const waiting = store.wait('key', never);
    stopped.abort();
    await store.confirm('key', 'one');
    expect(await waiting).toBe('confirmed');
    expect(settled).not.toHaveBeenCalled();
  });

  it('accepts any text as a key', async () => {
    const store = memoryStore();
    for (const key of ['__proto__', 'constructor', '', '\0']) {
      expect(await store.claim(key, 'one')).toBe('claimed');
      await store.confirm(key, 'one');
      expect(await store.claim(key, 'one')).toBe('confirmed');
    }
  });

  it('renews and confirms for the owner of a claim only', async () => {
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

  it('keeps a claim in progress during many other events', async () => {
    const store = memoryStore({ maxEntries: 2 });
    await store.claim('slow', 'one');
    for (let index = 0; index < 10; index += 1) {
      await store.claim(`other ${index}`, 'two');
      await store.confirm(`other ${index}`, 'two');
    }
    expect(await store.claim('slow', 'three')).toBe('in_progress');
  });

  it('reports claims in progress correctly after any commands and with any maxEntries', async () => {
    const step = fc.record({
      command: fc.constantFrom('claim' as const, 'claim' as const, 'confirm' as const, 'release' as const),
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
          const results: unknown[] = [];
          const expected: unknown[] = [];
          for (const { command, key, owner } of steps) {
            const state = await store[command](key, owner);
            results.push(state === 'in_progress');
            expected.push(command === 'claim' && running.has(key));
            if (command !== 'claim' && running.get(key) === owner) running.delete(key);
            if (state === 'claimed') running.set(key, owner);
          }
          expect(results).toEqual(expected);
        },
      ),
    );
  });

  it.each([0, 1, 1.5, NaN, Infinity, '10'])('rejects %s as maxEntries', (maxEntries) => {
    expect(thrownBy(() => memoryStore({ maxEntries: maxEntries as number }))).toMatchObject({
      code: 'invalid_options',
    });
  });

  it('rejects an unknown option', () => {
    expect(thrownBy(() => memoryStore({ max: 10 } as never))).toMatchObject({
      message: 'memoryStore accepts the options { maxEntries }, not max.',
    });
  });
});
