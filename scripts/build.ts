// Builds every package that changed since its last build. To force a build, delete the `dist` of the package.
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

const root = join(import.meta.dirname, '..');
const packages = ['contract', 'sdk', 'webhooks', 'dashboard', 'mock', 'probe', 'cli'];
const configuration = ['package-lock.json', 'tsconfig.base.json', 'tsup.config.ts'];
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
  // The shared code, the types of the contract and the dashboard are copied into each package that uses them.
  const folders = [...new Set(['internal', 'contract', 'dashboard', name])].map((each) => `packages/${each}`);
  const inputs = folders.flatMap((folder) => [`${folder}/*.json`, `${folder}/src/**`]);
  return `${process.version} ${hashFiles([...configuration, ...inputs])} ${hashFiles([`packages/${name}/dist/**`])}`;
}

function readStamp(name: string): string | undefined {
  const stamp = join(stamps, name);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

mkdirSync(stamps, { recursive: true });
const changed = packages.filter((name) => readStamp(name) !== hashBuild(name));
const isBuilt = changed.every((name) => {
  if (!run('npm', ['run', '--silent', 'build', '--workspace', `packages/${name}`], root)) return false;
  writeFileSync(join(stamps, name), hashBuild(name));
  return true;
});
process.exitCode = isBuilt ? 0 : 1;
