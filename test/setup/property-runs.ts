import { runs } from '../support/runs.ts';

const DEFAULT_RUNS = 100;

// fast-check takes 0.1 s to load per file, so it is loaded only for another run count.
if (runs(DEFAULT_RUNS) !== DEFAULT_RUNS) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ numRuns: runs(DEFAULT_RUNS) });
}
