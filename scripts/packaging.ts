// Packs every public package and tests the tarballs: manifests, types, and an installation that uses each entry.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileConsumers, compilers } from './consumers.ts';
import { checkCli } from './packed-cli.ts';
import { installNode, pack, packages, type Packed, root } from './packed.ts';
import { capture, run } from './run.ts';

function checkManifest({ tarball }: Packed): boolean {
  return run('publint', ['run', tarball, '--strict']);
}

/** Checks that the types of every entry resolve like its code. `./msw` is ESM only, because msw 3 is. */
function checkTypes({ manifest, tarball }: Packed): boolean {
  if (manifest.bin !== undefined) return true;
  const quiet = ['--format', 'ascii', '--no-emoji', '--no-color', '--quiet'];
  return run('attw', [tarball, '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', ...quiet]);
}

/** Checks that the published types cite no document that a reader of the package cannot open. */
function checkCitations({ manifest, tarball }: Packed): boolean {
  if (manifest.bin !== undefined) return true;
  const lines = capture('tar', ['-xzOf', tarball, '--wildcards', '*.d.ts', '*.d.cts']).split('\n');
  const citations = lines.filter((line) => /contract\.md|spec §/.test(line));
  for (const line of citations)
    console.error(`${manifest.name}: a published type cites a document: ${line.trim()}`);
  return citations.length === 0;
}

/** Returns the entries of all packages, without JSON files. */
function listEntries(packed: readonly Packed[]): { specifier: string; hasRequire: boolean }[] {
  return packed.flatMap(({ manifest }) =>
    Object.entries(manifest.exports).flatMap(([subpath, target]) =>
      typeof target === 'string'
        ? []
        : [{ specifier: `${manifest.name}${subpath.slice(1)}`, hasRequire: target.require !== undefined }],
    ),
  );
}

/** Returns a script that loads every entry of every package with `import`, and with `require` if the entry supports it. */
function createLoadScript(packed: readonly Packed[]): string {
  const lines = listEntries(packed).flatMap(({ specifier, hasRequire }) => {
    const load = [`await load('import', '${specifier}', () => import('${specifier}'));`];
    return hasRequire
      ? [...load, `await load('require', '${specifier}', () => require('${specifier}'));`]
      : load;
  });
  return `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
async function load(how, name, read) {
  const names = Object.keys(await read());
  if (names.length === 0) throw new Error(\`\${how} of \${name} has no exports.\`);
  console.log(\`  \${how} \${name}: \${names.filter((each) => each !== 'default' && each !== 'module.exports').length} names\`);
}
${lines.join('\n')}
`;
}

/** A typical first program with the packed packages. */
const CONSUMER = `import { operations, type Payment } from '@service/contract';
import { createMock } from '@service/mock';
import { createFixtures as createJestFixtures } from '@service/mock/jest';
import { createFixtures } from '@service/mock/vitest';
import { createHandlers } from '@service/mock/msw';
import { mountSandbox } from '@service/mock/next';
import { mountSandbox as createVitePlugin } from '@service/mock/vite';
import { listen } from '@service/mock/node';
import { loadSeedFile } from '@service/mock/seed-file';
import { compareProfile, probe } from '@service/probe';
import { listenForWebhooks } from '@service/probe/node';
import { createClient, rawAmount } from '@service/sdk';
import { createApi } from '@service/sdk/api';
import { createQuotes } from '@service/sdk/quotes';
import { createReceiver } from '@service/webhooks';
import { createVerifier } from '@service/webhooks/edge';
import { setupServer } from 'msw/node';

const mock = createMock({ clock: 'manual' });
const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
export const server = setupServer(...createHandlers(mock));
export const listening = listen(mock, { port: 0 });
export const { GET, POST } = mountSandbox({ accounts: 'open' });
export const plugins = [createVitePlugin({ path: '/sandbox' })];
export const seeded = () => createMock({ initial: loadSeedFile('service.sandbox.yaml') });
export const fixtures = createFixtures({ mock, balances: { USD: '10.00' } });
export const pay = () => createClient(createJestFixtures({ scope: 'test' }).clientOptions).payments;
export const api = createApi(client);
export const quotes = createQuotes({ apiKey: mock.account.testKey });
export const amountOf = (payment: Payment) => rawAmount(payment, 'send_amount');
export const receive = createReceiver({ secrets: 'a secret', on: {}, fallback: () => {} });
export const verifier = createVerifier({ secrets: 'a secret' });
export const paths: string[] = Object.values(operations).map(({ path }) => path);
export const measure = async (): Promise<number> => {
  const { testKey: apiKey } = mock.account;
  const webhooks = listenForWebhooks({ secret: 'a secret', port: 0 });
  const { findings, profile } = await probe({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch }, { webhooks });
  return compareProfile(findings, createMock({ profile }).sandbox.profile.get()).differences.length;
};
export const statusOf = ({ status }: Payment): string => status;
export const wait = async (id: string): Promise<string> => (await client.payments.waitFor(id)).status;
`;

/** Compiles the program and the types of every entry, with the module resolution of Node and of bundlers. */
function checkConsumer(packed: readonly Packed[], project: string): boolean {
  writeFileSync(join(project, 'consumer.ts'), CONSUMER);
  const entries = listEntries(packed).map(
    ({ specifier }, index) => `export type * as entry${index} from '${specifier}';`,
  );
  writeFileSync(join(project, 'entries.ts'), entries.join('\n'));
  const base = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: [],
  };
  const resolutions = {
    node16: { module: 'node16' },
    bundler: { module: 'esnext', moduleResolution: 'bundler' },
  };
  return Object.entries(resolutions).every(([name, resolution]) => {
    const config = { compilerOptions: { ...base, ...resolution }, files: ['consumer.ts', 'entries.ts'] };
    writeFileSync(join(project, `tsconfig.${name}.json`), JSON.stringify(config));
    console.log(`  types with ${name}`);
    return run('tsc', ['-p', `tsconfig.${name}.json`], project);
  });
}

/** Installed only for this check, because it has 232 dependencies. */
const JEST = 'jest@30.5.2';

/** Runs the jest example, which loads the CommonJS builds. */
function checkJest(project: string): boolean {
  cpSync(join(root, 'examples/testing/jest'), join(project, 'jest'), { recursive: true });
  return run(join(project, 'node_modules/.bin/jest'), ['--ci', '--rootDir', 'jest'], project);
}

/** Installs the tarballs into an empty project and uses them there. */
async function checkInstall(packed: readonly Packed[], folder: string): Promise<boolean> {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'load.js'), createLoadScript(packed));
  const tarballs = packed.map(({ tarball }) => tarball);
  capture(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', 'msw@3.0.5', JEST, ...compilers, ...tarballs],
    project,
  );
  return (
    run('node', ['load.js'], project) &&
    checkConsumer(packed, project) &&
    (await compileConsumers(project)) &&
    checkJest(project) &&
    (await checkCli(project))
  );
}

/** The oldest Node of the mock. */
const OLDEST_NODE = '20.16.0';

/** Uses the mock in the oldest Node, with MSW 2 and jest: MSW 3, vitest 5 and the command line need a newer one. */
function checkOldestNode(packed: readonly Packed[], folder: string): boolean {
  const project = join(folder, 'oldest-node');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const tarballs = packed.filter(({ manifest }) => manifest.bin === undefined).map(({ tarball }) => tarball);
  capture(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', 'msw@2.14.6', JEST, ...tarballs],
    project,
  );
  cpSync(join(root, 'scripts/runtimes/mock.mjs'), join(project, 'mock.mjs'));
  cpSync(join(root, 'examples/testing/jest'), join(project, 'jest'), { recursive: true });
  const program = join(installNode(OLDEST_NODE, join(folder, 'node')), 'node');
  return (
    run(program, ['mock.mjs'], project) &&
    run(program, ['node_modules/jest/bin/jest.js', '--ci', '--rootDir', 'jest'], project)
  );
}

const folder = mkdtempSync(join(tmpdir(), 'packaging-'));
try {
  const packed = packages.map((name) => pack(name, folder));
  const isValid =
    packed.every((each) => checkManifest(each) && checkTypes(each) && checkCitations(each)) &&
    (await checkInstall(packed, folder)) &&
    checkOldestNode(packed, folder);
  process.exitCode = isValid ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
