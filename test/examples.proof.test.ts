// Runs the examples of examples/testing with their test runners, on the built packages.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from './support/chromium.ts';

const root = join(import.meta.dirname, '..');
const examples = join(root, 'examples/testing');
const run = promisify(execFile);

type Env = Record<string, string | undefined>;

/** Runs a script of an installed package without the environment of this test runner, and returns its output. */
async function runPackage(script: string, args: string[], env: Env = {}): Promise<string> {
  const { PATH, HOME, LD_LIBRARY_PATH } = process.env;
  const argv = [join(root, 'node_modules', script), ...args];
  const base = { PATH, HOME, LD_LIBRARY_PATH };
  const result = await run(process.execPath, argv, { cwd: root, env: { ...base, ...env } }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stripVTControlCharacters(`${result.stdout}${result.stderr}`);
}

// Starts other test runners and a browser, which takes longer than 30 s on a busy machine.
describe('examples of tests', { timeout: 60_000 }, () => {
  it('pass in vitest', async () => {
    const output = await runPackage('vitest/vitest.mjs', ['run', '--root', join(examples, 'vitest')]);
    expect(output).toMatch(/Tests +4 passed \(4\)/);
  });

  it('pass in Playwright with Chromium', async () => {
    const results = mkdtempSync(join(tmpdir(), 'playwright-'));
    onTestFinished(() => rmSync(results, { recursive: true }));
    const CHROMIUM_PATH = await findChromium();
    const args = ['test', '--config', join(examples, 'playwright'), '--output', results];
    const output = await runPackage('playwright/cli.js', args, { CHROMIUM_PATH });
    expect(output).toMatch(/3 passed/);
  });
});
