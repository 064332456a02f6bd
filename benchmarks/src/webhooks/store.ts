import { memoryStore } from '../../../packages/webhooks/dist/index.js';
import { createFigure, medianOf } from '../figure.ts';
import type { Figure } from '../figure.ts';

const CLAIMS = 1_000_000;
const BATCH = 1_000;

/** Measures a million claims and confirmations. A slow eviction would appear as a batch that takes much longer. */
export async function measureStore(): Promise<Figure[]> {
  const store = memoryStore();
  const times: number[] = [];
  for (let batch = 0; batch < CLAIMS / BATCH; batch += 1) {
    const start = performance.now();
    for (let index = 0; index < BATCH; index += 1) {
      const key = `payment.completed/pay_test_${batch * BATCH + index}`;
      if ((await store.claim(key, 'owner')) !== 'claimed') throw new Error('A new key could not be claimed.');
      await store.confirm(key, 'owner');
    }
    times.push(((performance.now() - start) * 1_000) / BATCH);
  }
  const late = times.slice(-100);
  const early = times.slice(20, 120);
  const sorted = times.toSorted((a, b) => a - b);
  return [
    createFigure('memoryStore: time of a claim and its confirmation, batches of 1 000', times, {
      unit: ' µs',
    }),
    createFigure('memoryStore: the last 100 000 claims, to the first', [medianOf(late) / medianOf(early)], {
      goal: { atMost: 2 },
    }),
    createFigure(
      'memoryStore: 99th of 100 batches',
      [sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN],
      {
        unit: ' µs',
        goal: { atMost: 27 },
      },
    ),
  ];
}
