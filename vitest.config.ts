import { existsSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import { msw } from 'msw/vite';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Finds a Chromium: the one named in CHROMIUM_PATH, the system's, else the one that npm brought; on other platforms Playwright's own. */
async function findChromium(): Promise<string | undefined> {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const installed = known.find((path) => path !== undefined && existsSync(path));
  if (installed !== undefined) return installed;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // Makes the package unpack the NSS libraries that it ships where the system has none.
  if (!existsSync('/usr/lib/x86_64-linux-gnu/libnss3.so')) process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs24.x';
  return (await import('@sparticuz/chromium')).default.executablePath();
}

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
          include: ['packages/*/test/**/*.browser.ts', 'test/journey.test.ts', 'test/faults.test.ts'],
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
