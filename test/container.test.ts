// Checks the Dockerfile without building it: its paths must exist, and its commands must work.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findClosedPort, listenAtFreePort } from './support/listen.ts';

const root = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(root, 'packages/mock/Dockerfile'), 'utf8');

const linesOf = (instruction: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
const commandOf = (instruction: string): string[] =>
  JSON.parse(/\[.*\]$/.exec(linesOf(instruction)[0]!)![0]) as string[];

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the folders of a package and of its dependencies in this repository. */
function withDependencies(folder: string): string[] {
  const needed = Object.keys(manifestOf(folder).dependencies ?? {})
    .filter((name) => name.startsWith('@service/'))
    .flatMap((name) => withDependencies(`packages/${name.slice('@service/'.length)}`));
  return [...new Set([folder, ...needed])];
}

/** Runs the health check against another port and returns its exit code. */
function checkHealth(port: number): Promise<number> {
  const [, ...args] = commandOf('HEALTHCHECK').map((word) => word.replace(':4010/', `:${port}/`));
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error) => resolve(error === null ? 0 : Number(error.code)));
  });
}

describe('the Dockerfile', () => {
  it('copies existing files and every package that the command line needs', () => {
    const fromHere = linesOf('COPY').filter((line) => !line.startsWith('--from'));
    const sources = fromHere.flatMap((line) => line.split(' ').slice(0, -1));
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    const manifests = sources.filter((source) => /^packages\/.*\.json$/.test(source));
    const folders = withDependencies('packages/cli').toSorted();
    expect(manifests.toSorted()).toEqual(folders.map((folder) => `${folder}/package.json`));
    const built = linesOf('COPY --from=build').map((line) => line.split(' ')[1] ?? '');
    expect(built.toSorted()).toEqual(folders.map((folder) => `${folder}/dist`));
  });

  it('does not run as root', () => {
    expect(linesOf('USER')).toEqual(['node']);
  });

  it('is unhealthy if the sandbox responds with 503 or not at all', async () => {
    const server = createServer((_, response) => void response.writeHead(503).end());
    onTestFinished(() => void server.close());
    expect(await checkHealth(await listenAtFreePort(server))).toBe(1);
    expect(await checkHealth(await findClosedPort())).toBe(1);
  });

  it('starts a sandbox that is healthy and accepts every test key', async () => {
    const [, ...args] = [...commandOf('ENTRYPOINT'), ...commandOf('CMD'), '--port', '0'];
    const child = spawn(process.execPath, args, { cwd: root });
    onTestFinished(() => void child.kill());
    const printed: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      printed.push(line);
      if (line.startsWith('Ready')) break;
    }
    const port = /0\.0\.0\.0:(\d+)/.exec(printed.join('\n'))?.[1];
    const headers = { authorization: 'Bearer service_test_any' };
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/balance`, { headers })).status).toBe(200);
    expect(await checkHealth(Number(port))).toBe(0);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
