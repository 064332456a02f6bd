import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createMemoryStore } from '../../src/entries/intents.ts';
import { type Idempotency, simulate, type SimulationResult } from './payer-simulation.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const behaviors: readonly Idempotency[] = ['replayed', 'conflict', 'ignored'];

/** Fails if a line was paid twice, has the payment of another line, or is lost. */
function check({ intents, made, wrong }: SimulationResult, context: string): void {
  expect(
    [...made].filter(([, count]) => count > 1),
    `paid twice, ${context}`,
  ).toEqual([]);
  expect(wrong, `payments of other lines, ${context}`).toEqual([]);
  for (const { reference, state, paymentId, conflicts } of intents) {
    const line = `${reference}, ${context}`;
    expect(['created', 'rejected', 'unknown', 'abandoned'], line).toContain(state);
    if (state === 'created') expect(made.get(reference), line).toBe(1);
    else if (state !== 'unknown') expect(made.get(reference), line).toBe(0);
    expect(conflicts, line).toBeUndefined();
    if (state !== 'created' && state !== 'unknown') expect(paymentId, line).toBeUndefined();
  }
}

describe('a batch of similar lines', () => {
  it.each(behaviors)(
    'is paid once with workers that stop and faults everywhere, keys %s',
    async (idempotency) => {
      useSynchronousDigest();
      for (let seed = 1; seed <= runs(60); seed += 1) {
        const store = createMemoryStore();
        const result = await simulate({ seed, idempotency, store, runs: 6, faults: 0.3, stops: 0.6 });
        check(result, `seed ${seed}`);
      }
    },
  );

  it.each(behaviors)('survives the end of the process at each step, keys %s', async (idempotency) => {
    useSynchronousDigest();
    for (const when of ['before', 'after'] as const) {
      for (let step = 1, steps = 1; step <= steps; step += 1) {
        const store = createMemoryStore();
        const options = { seed: step, idempotency, store, runs: 1, faults: 0, stops: 0, lines: 3 };
        const result = await simulate({ ...options, killAt: { step, when } });
        steps = Math.max(steps, result.steps);
        check(result, `${when} step ${step}`);
        const isAllPaid = result.intents.every(({ state }) => state === 'created');
        if (idempotency === 'replayed') expect(isAllPaid, `${when} step ${step}`).toBe(true);
      }
    }
  });
});
