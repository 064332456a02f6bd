import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { memoryStore } from '../../src/entries/payer.ts';
import { type Idempotency, simulate, type SimulationResult } from './payer-simulation.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const behaviors: readonly Idempotency[] = ['replayed', 'conflict', 'ignored'];

/** Returns the lines that were paid twice, have the payment of another line, or are lost. */
function findProblems({ intents, made, wrong }: SimulationResult): readonly string[] {
  const problems = wrong.map((line) => `${line} of another line`);
  for (const { reference, state, paymentId, conflicts } of intents) {
    const count = made.get(reference) ?? 0;
    const expected = state === 'created' ? 1 : 0;
    if (count > 1) problems.push(`${reference} was paid ${count} times`);
    if (state === 'planned' || state === 'sending') problems.push(`${reference} is ${state}`);
    else if (state !== 'unknown' && count !== expected)
      problems.push(`${reference} is ${state} with ${count}`);
    if (conflicts !== undefined) problems.push(`${reference} has a conflict`);
    if (paymentId !== undefined && expected === 0 && state !== 'unknown')
      problems.push(`${reference} has an id`);
  }
  return problems;
}

describe('a batch of similar lines', () => {
  it.each(behaviors.flatMap((keys) => [[keys, 'run'] as const, [keys, 'pay'] as const]))(
    'is paid once with workers that stop and faults everywhere, keys %s, by %s',
    async (idempotency, call) => {
      useSynchronousDigest();
      const problems: string[] = [];
      for (let seed = 1; seed <= runs(15, 600); seed += 1) {
        const store = memoryStore();
        const options = { seed, idempotency, store, call, runs: 6, faults: 0.3, stops: 0.6 };
        const result = await simulate(options);
        problems.push(...findProblems(result).map((problem) => `seed ${seed}: ${problem}`));
      }
      expect(problems).toEqual([]);
    },
  );

  it.each(behaviors)('survives the end of the process at each step, keys %s', async (idempotency) => {
    useSynchronousDigest();
    const problems: string[] = [];
    for (const when of ['before', 'after'] as const) {
      for (let step = 1, steps = 1; step <= steps; step += 1) {
        const store = memoryStore();
        const options = { seed: step, idempotency, store, runs: 1, faults: 0, stops: 0, lines: 3 };
        const result = await simulate({ ...options, killAt: { step, when } });
        steps = Math.max(steps, result.steps);
        problems.push(...findProblems(result).map((problem) => `${when} step ${step}: ${problem}`));
        const unpaid = result.intents.filter(({ state }) => state !== 'created');
        if (idempotency === 'replayed')
          problems.push(...unpaid.map(({ state }) => `${when} step ${step}: ${state}`));
      }
    }
    expect(problems).toEqual([]);
  });
});
