import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The factor by which `npm run prove` and `TEST_RUNS` multiply run counts. */
    runFactor: number;
  }
}

/** Returns a run count: `count` in `npm test`, 10 times as many in `npm run prove`, or `TEST_RUNS` times as many. */
export function runs(count: number): number {
  return Math.ceil(count * inject('runFactor'));
}
