import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const SOURCE = '@service/source';
const report = process.env.VITEST_JSON_REPORT;

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  resolve: { conditions: [SOURCE] },
  ssr: { resolve: { conditions: [SOURCE, 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['docs/test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxConcurrency: 3,
    reporters: ['default', ...(report === undefined ? [] : ['json'])],
    ...(report !== undefined && { outputFile: report }),
    setupFiles: ['test/setup/no-noise.ts'],
    restoreMocks: true,
  },
});
