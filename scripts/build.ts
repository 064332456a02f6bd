// Builds every package that changed since its last build. To force a build, delete the `dist` of the package.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Packages whose output the others contain. */
const contained = ['webhooks', 'contract', 'dashboard'];
/** Packages that read only the source of each other. The longest build comes first. */
const others = ['mock', 'sdk', 'probe', 'webhooks', 'cli'];
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

async function build(name: string): Promise<boolean> {
  const args = ['run', '--silent', 'build', '--workspace', `packages/${name}`];
  const child = spawn('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  const [status] = await once(child, 'close');
  if (status !== 0) return false;
  writeFileSync(join(stamps, name), hashBuild(name));
  return true;
}

/** Builds packages, as many at once as there are processors. Returns whether all succeed. */
async function buildAll(names: readonly string[]): Promise<boolean> {
  const queue = names.values();
  const lanes = Array.from({ length: availableParallelism() }, async () => {
    for (const name of queue) if (!(await build(name))) return false;
    return true;
  });
  return (await Promise.all(lanes)).every(Boolean);
}

const isChanged = (name: string): boolean => readStamp(name) !== hashBuild(name);

mkdirSync(stamps, { recursive: true });
const isBuilt = (await buildAll(contained.filter(isChanged))) && (await buildAll(others.filter(isChanged)));
process.exitCode = isBuilt ? 0 : 1;
