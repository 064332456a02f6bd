// Builds every package that changed since its last build. To force a build, delete the `dist` of the package.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDeclarations } from './declarations.ts';
import { root } from './packed.ts';
import { runEach } from './run.ts';

/** The published packages. They read only the source of each other. The longest build comes first. */
const names = ['mock', 'sdk', 'probe', 'webhooks', 'contract', 'cli'];
const configuration = [
  'package-lock.json',
  'tsconfig.base.json',
  'scripts/tsup.config.ts',
  'scripts/{build,chunks,declarations,notices,packed,run}.ts',
];
const stamps = join(root, '.tsc/builds');

function hashFiles(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of globSync([...patterns], { cwd: root }).toSorted()) {
    const file = join(root, path);
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Hashes the inputs and the output of a build. A changed `dist` is built again. */
function hashBuild(name: string): string {
  // Code of the first four is copied into each package that uses it.
  const folders = [...new Set(['internal', 'contract', 'dashboard', 'webhooks', name])];
  const inputs = folders.flatMap((each) => [`packages/${each}/*.{json,ts}`, `packages/${each}/src/**`]);
  return `${process.version} ${hashFiles([...configuration, ...inputs])} ${hashFiles([`packages/${name}/dist/**`])}`;
}

function isChanged(name: string): boolean {
  const stamp = join(stamps, name);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== hashBuild(name);
}

/** Runs a program of a package in `node_modules`. Returns whether it exits with 0. */
async function run(program: string, args: readonly string[], cwd = root): Promise<boolean> {
  // The dashboard reads facts of the packages from their source.
  const command = ['--conditions=@service/source', join(root, 'node_modules', program), ...args];
  const [status] = await once(spawn(process.execPath, command, { cwd, stdio: 'inherit' }), 'close');
  return status === 0;
}

async function buildPackage(name: string): Promise<boolean> {
  const tsup = ['--config', '../../scripts/tsup.config.ts'];
  if (!(await run('tsup/dist/cli-default.js', tsup, join(root, 'packages', name)))) return false;
  await writeDeclarations(name);
  writeFileSync(join(stamps, name), hashBuild(name));
  return true;
}

mkdirSync(stamps, { recursive: true });
const changed = names.filter(isChanged);
const isBuilt =
  changed.length === 0 ||
  ((await run('@typescript/native/bin/tsc', ['-b'])) &&
    (await run('../packages/dashboard/build.ts', [])) &&
    (await runEach(changed, buildPackage)));
process.exitCode = isBuilt ? 0 : 1;
