// Runs the tests in a version of Node from npm, which is the first in PATH: npm run test:node -- 22.13.0 [vitest's arguments]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode, root } from './packed.ts';
import { createEnvironment } from './registry.ts';

const [version = '', ...given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'node-'));
try {
  const bin = installNode(version, folder);
  // The tests start programs in TypeScript, which Node strips without this option from 22.18.
  const NODE_OPTIONS = '--experimental-strip-types --disable-warning=ExperimentalWarning';
  const env = { ...createEnvironment(bin), TEST_NODE: version, NODE_OPTIONS };
  const vitest = (...args: readonly string[]): boolean => {
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args];
    return spawnSync(join(bin, 'node'), command, { cwd: root, env, stdio: 'inherit' }).status === 0;
  };
  // The first run prints the version that a worker states.
  const isRight = vitest('--project=node', '--reporter=verbose', 'test/node-version.test.ts');
  if (!isRight || !vitest('--project=node', '--project=node-isolated', ...given)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
