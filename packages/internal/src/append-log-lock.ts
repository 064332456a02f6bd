import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { AppendLogError } from './append-log-error.ts';
import type { FileState, LogFile, LogFiles } from './append-log-files.ts';
import { clearInterval, setInterval, setTimeout } from './timers.ts';

/** The process that owns a lock. Undefined fields are not known on this system. */
export interface LockOwner {
  readonly host: string;
  /** The id of the system start. */
  readonly boot?: string | undefined;
  /** The namespace of process ids: containers have their own. */
  readonly namespace?: string | undefined;
  readonly pid: number;
  /** The start time of the process. It distinguishes processes with the same id. */
  readonly start?: string | undefined;
}

/** The processes and the time of a lock. */
export interface LockSystem {
  readonly identifyOwner: () => Promise<LockOwner>;
  /** Returns whether a process is running, or undefined if this process cannot know. */
  readonly isRunning: (owner: LockOwner) => Promise<boolean | undefined>;
  /** Returns whether a file is mounted on its own, so that it cannot be replaced. */
  readonly isMountPoint: (path: string) => Promise<boolean>;
  /** Resolves after some milliseconds. */
  readonly wait: (time: number) => Promise<void>;
  /** Calls a function again and again. Returns a function that ends this. */
  readonly repeat: (time: number, run: () => void) => () => void;
}

/** A lock of a file against other processes on this machine, also in other containers. */
export interface FileLock {
  /** Whether the last owner might still be running, although it has not renewed its lock. */
  readonly isExpired: boolean;
  /** Returns whether this process still has the lock. */
  readonly isHeld: () => boolean;
  readonly release: () => Promise<void>;
}

/** The time between two renewals of a lock, in milliseconds. */
const HEARTBEAT = 1000;
/** The number of heartbeats without a renewal after which a lock is taken over. */
const MAX_MISSED = 5;

/**
 * Locks a file with a second file, which the owner touches every second. The lock of a process that has ended is
 * taken over immediately, and that of an unknown process after 5 s without a renewal.
 *
 * @throws {AppendLogError} while another process has the lock
 */
export async function lockFile(file: string, files: LogFiles, system: LockSystem): Promise<FileLock> {
  const path = `${file}.lock`;
  const own = await tryCreate(path, files, system);
  if (own !== undefined) return holdLock(path, own, { files, system, isExpired: false });
  const isExpired = await removeStaleLock(file, files, system);
  const taken = await tryCreate(path, files, system);
  if (taken === undefined) throw fileInUse(file, undefined);
  return holdLock(path, taken, { files, system, isExpired });
}

/** Creates the lock. Returns undefined if there is one. */
async function tryCreate(path: string, files: LogFiles, system: LockSystem): Promise<LogFile | undefined> {
  const owner = await system.identifyOwner();
  const handle = await files.create(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  try {
    await handle?.write(Buffer.from(JSON.stringify(owner)), 0);
    return handle;
  } catch (error) {
    await handle?.close();
    await files.remove(path);
    throw error;
  }
}

interface HoldOptions {
  readonly files: LogFiles;
  readonly system: LockSystem;
  readonly isExpired: boolean;
}

/** Renews a lock until its release. */
function holdLock(path: string, handle: LogFile, { files, system, isExpired }: HoldOptions): FileLock {
  // The open handle keeps the inode of the lock from being used again, so equal identities mean the same lock.
  const isHeld = (): boolean => files.inspect(path)?.identity === handle.identity;
  const stop = system.repeat(HEARTBEAT, () => void handle.touch().catch(() => {}));
  const release = async (): Promise<void> => {
    stop();
    if (isHeld()) await files.remove(path);
    await handle.close();
  };
  return { isExpired, isHeld, release };
}

/**
 * Removes the lock of a process that has ended. Returns true if that is only likely.
 *
 * @throws {AppendLogError} if the process is running
 */
async function removeStaleLock(file: string, files: LogFiles, system: LockSystem): Promise<boolean> {
  const path = `${file}.lock`;
  const seen = files.inspect(path);
  if (seen === undefined) return false;
  const owner = await readOwner(path, files);
  const isRunning = owner && (await system.isRunning(owner));
  if (isRunning === true) throw fileInUse(file, owner);
  if (isRunning === undefined) await waitForRenewal(file, seen, { files, system, owner });
  await moveAway(path, seen.identity, files);
  return isRunning === undefined;
}

interface WaitOptions {
  readonly files: LogFiles;
  readonly system: LockSystem;
  readonly owner: LockOwner | undefined;
}

/** Throws as soon as the owner of a lock renews it. */
async function waitForRenewal(
  file: string,
  seen: FileState,
  { files, system, owner }: WaitOptions,
): Promise<void> {
  for (let missed = 0; missed < MAX_MISSED; missed += 1) {
    await system.wait(HEARTBEAT);
    const now = files.inspect(`${file}.lock`);
    if (now?.identity !== seen.identity || now.modified !== seen.modified) throw fileInUse(file, owner);
  }
}

async function readOwner(path: string, files: LogFiles): Promise<LockOwner | undefined> {
  try {
    const handle = await files.open(path);
    try {
      const owner = JSON.parse(String(await handle.read())) as LockOwner;
      return typeof owner?.pid === 'number' && typeof owner.host === 'string' ? owner : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    // A lock without readable content is judged by its renewals.
    return undefined;
  }
}

/** Removes a lock by its identity. Restores a lock that another process has created in the meantime. */
async function moveAway(path: string, identity: string, files: LogFiles): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await files.rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (files.inspect(aside)?.identity === identity) await files.remove(aside);
  else await files.rename(aside, path);
}

function fileInUse(file: string, owner: LockOwner | undefined): AppendLogError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  return new AppendLogError('in_use', `${file} is in use by ${who}. Two processes cannot share a file.`);
}

/** The processes of this system. */
export const processSystem: LockSystem = {
  async identifyOwner() {
    const start = (await readStart(process.pid)) ?? String(performance.timeOrigin);
    const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined);
    return { host: hostname(), boot: await readBoot(), namespace, pid: process.pid, start };
  },
  async isRunning(owner) {
    const self = await processSystem.identifyOwner();
    const isSameSystem = self.boot !== undefined && self.boot === owner.boot;
    if (!isSameSystem && self.host !== owner.host) return undefined;
    if (self.boot !== owner.boot) return false;
    // The same process id means different processes in two containers.
    if (self.namespace !== owner.namespace) return undefined;
    if (self.pid === owner.pid) return self.start === owner.start;
    const start = await readStart(owner.pid);
    if (start !== undefined) return start === owner.start;
    return hasProcess(owner.pid) ? undefined : false;
  },
  async isMountPoint(path) {
    const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
    const escaped = path.replaceAll(
      /[ \t\n\\]/g,
      (character) => `\\0${character.charCodeAt(0).toString(8).padStart(2, '0')}`,
    );
    return mounts.split('\n').some((line) => line.split(' ')[4] === escaped);
  },
  wait: (time) => new Promise((resolve) => void setTimeout(resolve, time)),
  repeat(time, run) {
    const timer = setInterval(run, time);
    // A lock must not keep the process running.
    timer.unref();
    return () => clearInterval(timer);
  },
};

async function readBoot(): Promise<string | undefined> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined))?.trim();
}

/** Returns the start time of a process on Linux, `ended` for a process that its parent has not yet reaped, or undefined. */
async function readStart(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the process, in parentheses, can contain spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19];
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user cannot receive a signal, but it is running.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
