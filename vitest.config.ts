import { playwright } from '@vitest/browser-playwright';
import { msw } from 'msw/vite';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

const SOURCE = '@service/source';
const executablePath = await findChromium();
/** Where a machine-readable report goes beside the one for people, when somebody asks for it. */
const report = process.env.VITEST_JSON_REPORT;
const quietChromium = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    coverage: { provider: 'v8', include: ['packages/*/src/**/*.ts'], exclude: ['**/generated/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          setupFiles: ['test/setup/no-noise.ts'],
          benchmark: { include: [] },
        },
      },
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
            tsconfig: './tsconfig.test.json',
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
            'test/journey.test.ts',
            'test/faults.test.ts',
            'test/same-answers.test.ts',
          ],
          setupFiles: ['test/setup/no-noise.ts'],
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
});
