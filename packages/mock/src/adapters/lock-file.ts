import { readFile, rm, writeFile } from 'node:fs/promises';
import { SandboxError } from '../world/sandbox-error.ts';

/**
 * Locks a file against other processes by a second one beside it that holds the id of this process. Returns what unlocks it.
 * Rejects with `SandboxError` while a process that lives holds it; what a dead one left is taken over.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.lock`;
  if (!(await tryLock(lock))) {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (isAlive(holder)) throw inUse(file, holder);
    await rm(lock, { force: true });
    if (!(await tryLock(lock))) throw inUse(file, undefined);
  }
  return () => rm(lock, { force: true });
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function inUse(file: string, holder: number | undefined): SandboxError {
  const who = holder === undefined ? 'another process' : `process ${holder}`;
  return new SandboxError('invalid_state', `${file} is in use by ${who}; two sandboxes cannot share it.`);
}
