import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The factor by which `npm run prove` and `TEST_RUNS` multiply run counts. */
    runFactor: number;
  }
}

/** Returns how often to run a property or repeat a case: the count of `npm test`, or ten times as many in `npm run prove`. */
export function runs(count: number): number {
  return Math.ceil(count * inject('runFactor'));
}
