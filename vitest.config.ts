import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { msw } from 'msw/vite';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

const SOURCE = '@service/source';
const executablePath = await findChromium();
/** Where a machine-readable report goes beside the one for people, when somebody asks for it. */
const report = process.env.VITEST_JSON_REPORT;
/** Returns the factor of all run counts: 1 in `npm test`, 10 in `npm run prove`, or TEST_RUNS. */
const readRunFactor = (mode: string): number => Number(process.env.TEST_RUNS ?? (mode === 'prove' ? 10 : 1));
const quietChromium = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Test files that need a separate process: they replace modules, or use libraries that patch the process. */
const isolated = ['packages/*/test/**/*.isolated.test.ts', 'test/**/*.isolated.test.ts'];

/** Tests in separate packages, which `npm run test:next` and `npm run test:api-reference` install. */
const next = ['test/next/*.test.ts', 'packages/webhooks/test/adapters.isolated.test.ts'];
const apiReference = ['test/api-reference/*.test.ts'];

/** Long proofs, which `npm run test:proofs` runs: processes that are killed or suspended, other services, and combinations of all profile settings. */
const proofs = [
  'packages/cli/test/pay-file-kills.test.ts',
  'packages/mock/test/durability.test.ts',
  'packages/mock/test/garbage-collection.test.ts',
  'packages/probe/test/payments.test.ts',
  'packages/probe/test/shapes.test.ts',
  'packages/sdk/test/intents/payer-kills.test.ts',
  'packages/sdk/test/intents/payer-stops.test.ts',
  'packages/sdk/test/suspension.test.ts',
  'packages/webhooks/test/recipes-stores.test.ts',
  'packages/webhooks/test/stores/kill-receivers.test.ts',
  'test/probe.test.ts',
  'test/profile-judge.test.ts',
  'test/random-profiles-all.test.ts',
  'test/read-lag.test.ts',
  'test/round-trip-all.test.ts',
  'test/services/output.test.ts',
  'test/settings.test.ts',
];
const nodeSetup = ['test/setup/no-leftovers.ts', 'test/setup/no-noise.ts', 'test/setup/property-runs.ts'];

export default defineConfig(({ mode }) => ({
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  test: {
    testTimeout: 30_000 * Math.max(1, readRunFactor(mode)),
    hookTimeout: 30_000,
    expect: { poll: { timeout: 25_000 } },
    // One more than a small machine has cores: many tests wait for timers and sockets.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    maxConcurrency: 20,
    provide: { runFactor: readRunFactor(mode) },
    // Processes that the tests start read compiled code from here, also stripped TypeScript.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    coverage: { provider: 'v8', include: ['packages/*/src/**/*.ts'], exclude: ['**/generated/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...isolated, ...next, ...apiReference, ...proofs],
          isolate: false,
          setupFiles: nodeSetup,
          benchmark: { include: [] },
        },
      },
      {
        extends: true,
        test: {
          name: 'node-proofs',
          include: proofs,
          isolate: false,
          setupFiles: nodeSetup,
          benchmark: { include: [] },
        },
      },
      {
        extends: true,
        test: {
          name: 'node-isolated',
          include: isolated,
          exclude: ['**/node_modules/**', ...next],
          setupFiles: ['test/setup/no-noise.ts', 'test/setup/property-runs.ts'],
          benchmark: { include: [] },
        },
      },
      {
        extends: true,
        test: {
          name: 'next',
          include: next,
          setupFiles: ['test/setup/no-noise.ts', 'test/setup/property-runs.ts'],
          benchmark: { include: [] },
        },
      },
      { extends: true, test: { name: 'api-reference', include: apiReference, benchmark: { include: [] } } },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          benchmark: { include: [] },
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/*/test/**/*.test-d.ts'],
            tsconfig: './test/tsconfig.types.json',
          },
        },
      },
      {
        extends: true,
        plugins: [msw({ mode: 'worker-only' })],
        optimizeDeps: {
          include: [
            'msw',
            'msw/browser',
            'openapi-fetch',
            'fast-check',
            'zod',
            'zod/mini',
            'ajv/dist/2020.js',
            'ajv-formats',
          ],
        },
        test: {
          name: 'browser',
          include: [
            'packages/*/test/**/*.browser.ts',
            'test/journey.isolated.test.ts',
            'test/faults.isolated.test.ts',
            'test/same-answers.isolated.test.ts',
          ],
          setupFiles: ['test/setup/no-noise.ts', 'test/setup/property-runs.ts'],
          benchmark: { include: [] },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions: { ...(executablePath ? { executablePath } : {}), args: quietChromium },
            }),
          },
        },
      },
    ],
  },
}));
