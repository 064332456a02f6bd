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
 * Compares the time of a signature that is wrong in its first character to one that is wrong in its last, by Welch's t:
 * beyond 4.5 either way, the comparison would tell a forger how far he came.
 */
export function measureTiming(): Figure[] {
  const body = Buffer.from(writeBody(300));
  const genuine = sign(body, SECRET);
  const { isValid } = createVerifier({ secrets: SECRET });
  const flip = (at: number): string =>
    genuine.slice(0, at) + (genuine[at] === '0' ? '1' : '0') + genuine.slice(at + 1);
  // Flat copies: a text that is still a chain of parts costs another time than one that is not.
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
    // Who goes first changes at random, so that no rhythm of the machine falls on one of them.
    const order = Math.random() < 0.5 ? (['first', 'last'] as const) : (['last', 'first'] as const);
    for (const which of order) times[which].push(time(which === 'first' ? first : last));
  }
  const [a, b] = [momentsOf(times.first), momentsOf(times.last)];
  const t = (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
  return [
    createFigure("mismatch at byte 0 against byte 63: Welch's t, without its sign", [Math.abs(t)], {
      goal: { atMost: 4.5 },
    }),
    createFigure('mismatch at byte 0: time', [a.mean / 1_000], { unit: ' µs' }),
    createFigure('mismatch at byte 63: time', [b.mean / 1_000], { unit: ' µs' }),
  ];
}

/** Leaves out the slowest tenth, which is the machine's other work. */
function momentsOf(times: readonly number[]): Moments {
  const kept = times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
  const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
  const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, count: kept.length };
}
