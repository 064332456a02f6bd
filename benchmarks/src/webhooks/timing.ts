import { createVerifier, sign } from '../../../packages/webhooks/dist/index.js';
import { createFigure } from '../figure.ts';
import type { Figure } from '../figure.ts';
import { SECRET, writeBody } from './bodies.ts';

const SAMPLES = 4_000;
const CALLS = 50;

interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly count: number;
}

/**
 * Compares the times of a signature with a wrong first character and one with a wrong last character, by Welch's t. Beyond
 * ±4.5, the comparison would reveal the number of correct characters to a forger.
 */
export function measureTiming(): Figure[] {
  const body = Buffer.from(writeBody(300));
  const valid = sign(body, SECRET);
  const { isValid } = createVerifier({ secrets: SECRET });
  const flip = (at: number): string =>
    valid.slice(0, at) + (valid[at] === '0' ? '1' : '0') + valid.slice(at + 1);
  // Flat copies: V8 concatenates strings lazily, and such a string takes longer to read.
  const [first, last] = [flip(0), flip(63)].map((text) => Buffer.from(text).toString('latin1')) as [
    string,
    string,
  ];
  const time = (signature: string): number => {
    const start = process.hrtime.bigint();
    for (let index = 0; index < CALLS; index += 1) isValid(body, signature);
    return Number(process.hrtime.bigint() - start) / CALLS;
  };
  for (let index = 0; index < 2_000; index += 1) time(index % 2 === 0 ? first : last);
  const times: Record<'first' | 'last', number[]> = { first: [], last: [] };
  for (let index = 0; index < SAMPLES; index += 1) {
    // A random order, so that periodic load of the machine does not affect only one of them.
    const order = Math.random() < 0.5 ? (['first', 'last'] as const) : (['last', 'first'] as const);
    for (const which of order) times[which].push(time(which === 'first' ? first : last));
  }
  const [a, b] = [momentsOf(times.first), momentsOf(times.last)];
  const t = (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
  return [
    createFigure("mismatch at byte 0 against byte 63: Welch's t, absolute value", [Math.abs(t)], {
      goal: { atMost: 4.5 },
    }),
    createFigure('mismatch at byte 0: time', [a.mean / 1_000], { unit: ' µs' }),
    createFigure('mismatch at byte 63: time', [b.mean / 1_000], { unit: ' µs' }),
  ];
}

/** Returns mean and variance without the slowest tenth, which is other load of the machine. */
function momentsOf(times: readonly number[]): Moments {
  const kept = times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
  const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
  const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, count: kept.length };
}
