// Packs every public package and tests the tarballs: manifests, types, and an installation that uses each entry.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileConsumers, compilers } from './consumers.ts';
import { install, installNode, pack, packages, type Packed, root } from './packed.ts';
import { run } from './run.ts';

function checkManifest({ tarball }: Packed): boolean {
  return run('publint', ['run', tarball, '--strict']);
}

/** Checks that the types of every entry resolve like its code. `./msw` is ESM only, because msw 3 is. */
function checkTypes({ manifest, tarball }: Packed): boolean {
  if (manifest.bin !== undefined) return true;
  const quiet = ['--format', 'ascii', '--no-emoji', '--no-color', '--quiet'];
  return run('attw', [tarball, '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', ...quiet]);
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
  const lines = listEntries(packed).flatMap(({ specifier, hasRequire }) => [
    `check('${specifier}', await import('${specifier}'));`,
    ...(hasRequire ? [`check('${specifier}', createRequire(import.meta.url)('${specifier}'));`] : []),
  ]);
  return `import { createRequire } from 'node:module';
function check(name, names) {
  if (Object.keys(names).length === 0) throw new Error(name + ' has no exports.');
}
${lines.join('\n')}
`;
}

/** Installed only for this check, because it has 232 dependencies. */
const JEST = 'jest@30.5.2';

/** Runs the jest example, which loads the CommonJS builds. */
function checkJest(project: string): boolean {
  cpSync(join(root, 'examples/testing/jest'), join(project, 'jest'), { recursive: true });
  return run(join(project, 'node_modules/.bin/jest'), ['--ci', '--rootDir', 'jest'], project);
}

/** Commands of the installed command line, with a mock. */
const CLI = ['mock --help', 'sandbox wallet credit USD 10.00', 'smoke', 'probe --no-payments']
  .map((words) => `service-cli ${words}`)
  .join(' && ');

/** Runs the commands with a mock of the installed command line. Not with `dev`, which Windows does not have. */
async function checkCli(project: string): Promise<boolean> {
  const program = join(project, 'node_modules/@service/cli/bin/service-cli.js');
  const args = [program, 'mock', '--port', '0', '--speed', '20', '--json', '--quiet'];
  const mock = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(mock.stdout), 'line')) as [string];
  const { baseUrl, testKey } = JSON.parse(line) as { baseUrl: string; testKey: string };
  Object.assign(process.env, { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: testKey });
  const isRight = run('npm', ['run', 'cli'], project);
  mock.kill();
  return isRight;
}

/** Installs the tarballs into an empty project and uses them there. */
async function checkInstall(packed: readonly Packed[], folder: string): Promise<boolean> {
  const project = join(folder, 'project');
  const tarballs = packed.map(({ tarball }) => tarball);
  install(project, ['msw@3.0.5', JEST, ...compilers, ...tarballs], { type: 'module', scripts: { cli: CLI } });
  writeFileSync(join(project, 'load.js'), createLoadScript(packed));
  return (
    run('node', ['load.js'], project) &&
    (await compileConsumers(project, listEntries(packed))) &&
    checkJest(project) &&
    (await checkCli(project))
  );
}

/** The maximum size of an installed command line, in bytes. */
const MAX_CLI_SIZE = 18_000_000;

/** Installs the command line into an empty folder, and checks its size with everything that npm adds. */
function checkCliSize(packed: readonly Packed[], folder: string): boolean {
  const project = join(folder, 'cli');
  // The contract is no dependency of the others.
  const tarballs = packed.flatMap(({ manifest, tarball }) =>
    manifest.name === '@service/contract' ? [] : [tarball],
  );
  install(project, tarballs);
  const size = globSync('node_modules/**', { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  console.log(
    `The installed command line has ${(size / 1e6).toFixed(1)} MB of at most ${MAX_CLI_SIZE / 1e6} MB.`,
  );
  return size <= MAX_CLI_SIZE;
}

/** The oldest Node of the mock. */
const OLDEST_NODE = '20.16.0';

/** Uses the mock in the oldest Node, with MSW 2 and jest: MSW 3, vitest 5 and the command line need a newer one. */
function checkOldestNode(packed: readonly Packed[], folder: string): boolean {
  const project = join(folder, 'oldest-node');
  const tarballs = packed.filter(({ manifest }) => manifest.bin === undefined).map(({ tarball }) => tarball);
  install(project, ['msw@2.14.6', JEST, ...tarballs], { type: 'module' });
  cpSync(join(root, 'scripts/consumers/msw-2.mjs'), join(project, 'msw-2.mjs'));
  cpSync(join(root, 'examples/testing/jest'), join(project, 'jest'), { recursive: true });
  const program = join(installNode(OLDEST_NODE, join(folder, 'node')), 'node');
  return (
    run(program, ['msw-2.mjs'], project) &&
    run(program, ['node_modules/jest/bin/jest.js', '--ci', '--rootDir', 'jest'], project)
  );
}

const folder = mkdtempSync(join(tmpdir(), 'packaging-'));
try {
  const packed = packages.map((name) => pack(name, folder));
  const isValid =
    packed.every((each) => checkManifest(each) && checkTypes(each)) &&
    (await checkInstall(packed, folder)) &&
    checkCliSize(packed, folder) &&
    checkOldestNode(packed, folder);
  process.exitCode = isValid ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
