import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { childEnv } from './support/child-env.ts';

/** The version of `npm run test:node`. */
const expected = process.env.TEST_NODE ?? process.versions.node;

describe('a worker of the tests', () => {
  it(`runs in Node ${process.versions.node}, and starts programs in the same one`, () => {
    const child = spawnSync('node', ['--print', 'process.versions.node'], {
      env: childEnv,
      encoding: 'utf8',
    });
    expect([process.versions.node, child.stdout.trim()]).toEqual([expected, expected]);
  });
});
