import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Returns the ports that the processes of a group listen on, in ascending order. */
export async function listListeningPorts(group: number | undefined): Promise<number[]> {
  if (group === undefined) return [];
  const ports = process.platform === 'linux' ? await listByProc(group) : await listByLsof(group);
  return [...new Set(ports)].toSorted((a, b) => a - b);
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
