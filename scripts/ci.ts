// Runs the long checks whose inputs differ from those of their last success, which `.ci/passed.json` records; all of them with `--all`.
// `node scripts/ci.ts NAME …` runs the named ones.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

const root = join(import.meta.dirname, '..');
const record = join(root, '.ci/passed.json');

/** The files that each check depends on, by the name of its npm script. Changes beside them are for the nightly run. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  'test:money': ['packages/{sdk,webhooks,mock,internal,contract}/src/**', 'package-lock.json'],
  'test:proofs': [
    'packages/{probe,mock,internal}/src/**',
    'test/services/**',
    'test/support/**',
    'package-lock.json',
  ],
  setups: ['examples/**', 'packages/*/package.json', 'docs/start/setups/**', 'scripts/setup*.ts'],
  generators: [
    'test/generators/**',
    'openapi.yaml',
    'packages/contract/openapi.portable.yaml',
    'packages/mock/sandbox.openapi.json',
  ],
  'test:next': ['test/next/**', 'packages/*/src/adapters/{next,fetch}.ts', 'packages/sdk/src/transport/**'],
  'docs:check': ['docs/**', 'packages/*/docs/**', '**/*.md', 'packages/*/src/index.ts'],
};

function hashFiles(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  const isExcluded = (path: string): boolean =>
    /(^|\/)(node_modules|dist|\.tsc|\.changeset|docs\/reference|CHANGELOG\.md$)/.test(path);
  for (const path of globSync([...patterns], { cwd: root, exclude: isExcluded }).toSorted()) {
    const file = join(root, path);
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

const names = process.argv.slice(2).filter((word) => word !== '--all');
const isForced = process.argv.length > 2;
const passed = JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>;
for (const [name, files] of Object.entries(inputs)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const hash = hashFiles(files);
  if (!isForced && passed[name] === hash) {
    console.log(`── ${name}: its inputs passed before`);
    continue;
  }
  const start = performance.now();
  if (process.env.REPORTS)
    process.env.VITEST_JSON_REPORT = join(process.env.REPORTS, `${name.replace(':', '-')}.json`);
  const isPassed = run('npm', ['run', '--silent', name]);
  console.log(`── ${Math.round((performance.now() - start) / 1_000)} s: npm run ${name}`);
  if (!isPassed) process.exitCode = 1;
  else writeFileSync(record, `${JSON.stringify({ ...passed, [name]: hash }, null, 2)}\n`);
  passed[name] = isPassed ? hash : '';
}
