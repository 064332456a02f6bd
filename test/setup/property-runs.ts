import { runs } from '../support/runs.ts';

const DEFAULT_RUNS = 100;

// Loading fast-check costs every file a tenth of a second, so files that run the default count are spared it.
if (runs(DEFAULT_RUNS) !== DEFAULT_RUNS) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ numRuns: runs(DEFAULT_RUNS) });
}
