import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { msw } from 'msw/vite';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

/** Tests in a separate package, which `npm run test:next` installs. */
const next = ['test/next/*.test.ts', 'packages/webhooks/test/adapters.isolated.test.ts'];

/** Tests that need servers and tools of the system, which `npm run test:servers` runs. */
const servers = ['packages/*/test/**/*.servers.test.ts', 'test/**/*.servers.test.ts'];

/** Tests that drive a browser beside those of the project `browser`. */
const browsers = [
  'packages/dashboard/test/*.isolated.test.ts',
  'test/report.proof.test.ts',
  'test/examples.proof.test.ts',
];
const withoutBrowser = executablePath === undefined ? browsers : [];

/** Long proofs of money, which `npm run test:money` runs: processes that are killed or suspended while they pay or record. */
const money = ['packages/*/test/**/*.money.test.ts', 'test/**/*.money.test.ts'];

/** Other long proofs, which `npm run test:proofs` runs: other services, combinations of profile settings, hostile servers. */
const proofs = ['packages/*/test/**/*.proof.test.ts', 'test/**/*.proof.test.ts'];

/** Starts the longest proofs first. Without earlier results vitest starts the largest files first, and these are short. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/(?:table\.servers|(?:round-trip|settings|alarms)\.proof)\.test/.test(moduleId);
    const sorted = await BaseSequencer.prototype.sort.call(this, files);
    return sorted.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
  }
}

/** Tests that Node 22 cannot run: they start sources with `await using`, use undici 8, or start processes without its options. */
const newerNode = [
  'packages/cli/test/dev.test.ts',
  'packages/mock/test/control-waits.test.ts',
  'test/fetch-implementations.test.ts',
  'test/services/services.test.ts',
];
const withoutNewerNode = process.versions.node.startsWith('22.') ? newerNode : [];

/** The last line of `npm test`. */
const notCovered = [
  ...withoutNewerNode,
  ...(executablePath === undefined ? ['browsers (no Chromium here: set CHROMIUM_PATH)'] : []),
  'servers and tools of the system (npm run test:servers)',
  'Next (npm run test:next)',
  'long proofs of money, services, profiles and documentation (npm run test:money, npm run test:proofs)',
];
const coverageNote = {
  onTestRunEnd: (): void => {
    if (/^test(:node)?$/.test(process.env.npm_lifecycle_event ?? 'test:node'))
      console.log(`\nNot covered: ${notCovered.join(', ')}.`);
  },
};
const nodeSetup = ['test/setup/no-leftovers.ts', 'test/setup/no-noise.ts', 'test/setup/property-runs.ts'];

/** Each file of these projects runs in a separate process. */
const separate = { isolate: true, setupFiles: nodeSetup.slice(1) };

/** Creates a project of tests in Node. By default its files share processes. */
function inNode(
  name: string,
  include: string[],
  { exclude = [], ...options }: NonNullable<TestProjectInlineConfiguration['test']> = {},
): TestProjectInlineConfiguration {
  const common = { name, include, isolate: false, setupFiles: nodeSetup, benchmark: { include: [] } };
  return { extends: true, test: { ...common, ...options, exclude: ['**/node_modules/**', ...exclude] } };
}

/** Tests in Chromium, where there is one. */
const browserProject: TestProjectInlineConfiguration = {
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
    include: ['packages/*/test/**/*.browser.ts', 'test/same-answers.isolated.test.ts'],
    setupFiles: ['test/setup/no-noise.ts', 'test/setup/property-runs.ts'],
    benchmark: { include: [] },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      instances: [{ browser: 'chromium' }],
      provider: playwright({
        launchOptions: { executablePath: executablePath ?? '', args: quietChromium },
      }),
    },
  },
};

export default defineConfig(({ mode }) => ({
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  test: {
    testTimeout: 30_000 * Math.max(1, readRunFactor(mode)),
    hookTimeout: 30_000,
    expect: { poll: { timeout: 25_000 } },
    restoreMocks: true,
    // One more than a small machine has cores: many tests wait for timers and sockets.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    maxConcurrency: 20,
    globalSetup: ['test/setup/temporary-folder.ts'],
    sequence: { sequencer: LongestFirst },
    provide: { runFactor: readRunFactor(mode) },
    // Processes that the tests start read compiled code from here, also stripped TypeScript.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    reporters: ['default', ...(report === undefined ? [] : ['json']), coverageNote],
    ...(report !== undefined && { outputFile: report }),
    coverage: { provider: 'v8', include: ['packages/*/src/**/*.ts'], exclude: ['**/generated/**'] },
    projects: [
      inNode('node', ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], {
        exclude: [
          ...isolated,
          ...next,
          ...money,
          ...proofs,
          ...servers,
          ...withoutBrowser,
          ...withoutNewerNode,
        ],
      }),
      inNode('money', money),
      inNode('proofs', proofs, { exclude: withoutBrowser }),
      inNode('servers', servers, { globalSetup: ['test/setup/programs.ts'] }),
      inNode('node-isolated', isolated, { ...separate, exclude: [...next, ...withoutBrowser] }),
      inNode('next', next, separate),
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
      ...(executablePath === undefined ? [] : [browserProject]),
    ],
  },
}));
