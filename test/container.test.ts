// Holds the Dockerfile to the repository: nothing here can build it, but what it names must exist, and what it runs must work.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

const linesOf = (instruction: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
const commandOf = (instruction: string): string[] =>
  JSON.parse(/\[.*\]$/.exec(linesOf(instruction)[0]!)![0]) as string[];

type Manifest = { name: string; dependencies?: Record<string, string> };
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Lists the folders of a package and of all of this repository that it needs. */
function closureOf(folder: string): string[] {
  const needed = Object.keys(manifestOf(folder).dependencies ?? {})
    .filter((name) => name.startsWith('@service/'))
    .flatMap((name) => closureOf(`packages/${name.slice('@service/'.length)}`));
  return [...new Set([folder, ...needed])];
}

/** Answers whatever is asked with a status, and tells what was asked. */
async function serve(status: number): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

/** Runs the health check against another port and returns how it ends. */
function checkHealth(port: number): Promise<number> {
  const [, ...args] = commandOf('HEALTHCHECK').map((word) => word.replace(':4010/', `:${port}/`));
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error) => resolve(error === null ? 0 : Number(error.code)));
  });
}

describe('the Dockerfile', () => {
  it('copies what exists, and every package that the command line needs', () => {
    const fromHere = linesOf('COPY').filter((line) => !line.startsWith('--from'));
    const sources = fromHere.flatMap((line) => line.split(' ').slice(0, -1));
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    const manifests = sources.filter((source) => /^packages\/.*\.json$/.test(source));
    const folders = closureOf('packages/cli').toSorted();
    expect(manifests.toSorted()).toEqual(folders.map((folder) => `${folder}/package.json`));
    const built = linesOf('COPY --from=build').map((line) => line.split(' ')[1] ?? '');
    expect(built.toSorted()).toEqual(folders.map((folder) => `${folder}/dist`));
  });

  it('does not run as root', () => {
    expect(linesOf('USER')).toEqual(['node']);
  });

  it('is healthy when the sandbox says so', async () => {
    const { port, asked } = await serve(200);
    expect(await checkHealth(port)).toBe(0);
    expect(asked).toEqual(['GET /_sandbox/health']);
  });

  it('is not healthy when the sandbox says so, or nothing', async () => {
    expect(await checkHealth((await serve(503)).port)).toBe(1);
    const gone = createServer();
    await once(gone.listen(0, '127.0.0.1'), 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => void gone.close(closed));
    expect(await checkHealth(port)).toBe(1);
  });

  it('starts a sandbox that takes any test key', async () => {
    const [, ...args] = [...commandOf('ENTRYPOINT'), ...commandOf('CMD'), '--port', '0'];
    const child = spawn(process.execPath, args, { cwd: root });
    onTestFinished(() => void child.kill());
    const printed: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      printed.push(line);
      if (line.startsWith('Ready')) break;
    }
    const port = /0\.0\.0\.0:(\d+)/.exec(printed.join('\n'))?.[1];
    const headers = { authorization: 'Bearer service_test_of_my_own' };
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/balance`, { headers })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
