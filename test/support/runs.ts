import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The factor by which `npm run prove` and `TEST_RUNS` multiply run counts. */
    runFactor: number;
  }
}

const PROVE_FACTOR = 10;

/** Returns a run count: `count` in `npm test`, `proved` in `npm run prove`, or `TEST_RUNS` times as many as `count`. */
export function runs(count: number, proved: number = PROVE_FACTOR * count): number {
  const factor = inject('runFactor');
  return factor === PROVE_FACTOR ? proved : Math.ceil(count * factor);
}

/** Returns every item of the given distance, such as every third one, or more with TEST_RUNS: all with as many. */
export function spread<Item>(items: readonly Item[], distance: number): Item[] {
  return items.filter((_, index) => index % distance < inject('runFactor'));
}
