// Builds the documentation site and serves it. With --check, runs the tests of the site instead.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const isCheck = process.argv.includes('--check');

/** Returns whether the packages of the site are installed as its lock file states. */
function isInstalled(): boolean {
  const installed = join(docs, 'node_modules/.package-lock.json');
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(docs, 'package-lock.json')).mtimeMs
  );
}

type Step = readonly [command: string, args: readonly string[], folder: string];

const install: Step = ['npm', ['ci'], docs];
const build: Step = ['npm', ['run', '--silent', 'build'], docs];
const serve: Step = ['npm', ['run', '--silent', 'preview'], docs];
const checks: readonly Step[] = [
  ['tsc', ['-p', 'docs'], root],
  ['vitest', ['run', '--config', 'docs/vitest.config.ts'], root],
];
const steps = [...(isInstalled() ? [] : [install]), build, ...(isCheck ? checks : [serve])];

if (!steps.every(([command, args, folder]) => run(command, args, folder))) process.exitCode = 1;
