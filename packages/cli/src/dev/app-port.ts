import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import type { RunClock } from '@service/internal';

/** Delay between two checks, in milliseconds. */
const CHECK_DELAY = 100;

/**
 * Waits until the app listens, and returns its port: the known one, or the lowest one that its processes listen on.
 * Returns undefined when the signal is aborted before that.
 *
 * @param isFixed Whether the app has only the known port.
 * @param group Returns the process group of the app. Undefined before it has started.
 */
export async function findAppPort(
  known: number | undefined,
  isFixed: boolean,
  group: () => number | undefined,
  clock: RunClock,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    if (known !== undefined && (await isListening(known))) return known;
    const [lowest] = isFixed ? [] : await listListeningPorts(group());
    if (lowest !== undefined && (await isListening(lowest))) return lowest;
    await clock.sleep(CHECK_DELAY, signal);
  }
  return undefined;
}

/** Returns the ports that the processes of a group listen on, in ascending order. */
export async function listListeningPorts(group: number | undefined): Promise<number[]> {
  if (group === undefined) return [];
  const ports = process.platform === 'linux' ? await listByProc(group) : await listByLsof(group);
  return [...new Set(ports)].toSorted((a, b) => a - b);
}

/** Whether something accepts connections at a port of this machine, over IPv4 or IPv6. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

/** Returns the listening ports of a session, from `/proc`: minimal Linux images have no `lsof`. */
export async function listByProc(session: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const sockets = new Set((await Promise.all(pids.map((pid) => listSockets(pid, session)))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readText(`/proc/net/${name}`)));
  return tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(({ 3: state, 9: inode }) => state === LISTEN && sockets.has(`socket:[${inode}]`))
    .map(({ 1: address = '' }) => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16));
}

/** Returns the sockets of a process, if it is in the session. */
async function listSockets(pid: string, session: number): Promise<string[]> {
  const stat = await readText(`/proc/${pid}/stat`);
  // The name before the last parenthesis can contain spaces.
  const { 3: found } = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (Number(found) !== session) return [];
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
}

/** Returns the text of a file, or nothing if its process has ended. */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** Returns the listening ports of a process group, from `lsof`, which macOS includes. */
export function listByLsof(group: number): Promise<number[]> {
  const flags = ['-nP', '-a', '-g', String(group), '-iTCP', '-sTCP:LISTEN', '-Fn'];
  return new Promise((resolve) => {
    execFile('lsof', flags, (_, stdout) =>
      resolve([...stdout.matchAll(/^n.*:(\d+)$/gm)].map(([, port]) => Number(port))),
    );
  });
}
