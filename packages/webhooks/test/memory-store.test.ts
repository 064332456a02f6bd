import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import { thrownBy } from './samples.ts';
import { describeClaims } from './stores/contract.ts';

const never = new AbortController().signal;

describe('memoryStore', () => {
  const shared = memoryStore();
  describeClaims(() => shared);

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
      message: '"max" is unknown. Use one of: maxEntries.',
    });
  });
});
