import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { SandboxError } from '../state/sandbox-error.ts';

/**
 * Locks a file against other processes with a second file that contains the process id. Returns a function
 * that unlocks it. Rejects with `SandboxError` while another process holds the lock, and takes over the lock
 * of a dead process.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.lock`;
  const unlock = (): Promise<void> => rm(lock, { force: true });
  if (await tryLock(lock)) return unlock;
  const owner = await readFile(lock, 'utf8').catch(() => '');
  if (isAlive(owner)) throw fileInUse(file, owner);
  await removeStaleLock(lock, owner);
  if (await tryLock(lock)) return unlock;
  throw fileInUse(file, undefined);
}

/** Returns the process id and start time. In containers, every process has the same id. */
function currentProcess(): string {
  return `${process.pid} ${performance.timeOrigin}`;
}

/** Creates a complete lock file. Returns false if there is one. */
async function tryLock(lock: string): Promise<boolean> {
  const temporary = `${lock}.${randomUUID()}`;
  await writeFile(temporary, currentProcess(), { flag: 'wx', mode: 0o600 });
  try {
    await link(temporary, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes the lock of a dead process. Restores a lock that another process created in the meantime. */
async function removeStaleLock(lock: string, owner: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, 'utf8')) !== owner) await link(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isAlive(owner: string): boolean {
  const pid = Number(owner.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return owner === currentProcess();
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user cannot receive a signal, but it is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fileInUse(file: string, owner: string | undefined): SandboxError {
  const who = owner === undefined ? 'another process' : `process ${owner.split(' ')[0]}`;
  return new SandboxError('invalid_state', `${file} is in use by ${who}. Two sandboxes cannot share a file.`);
}
