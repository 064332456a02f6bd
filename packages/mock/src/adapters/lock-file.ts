import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { SandboxError } from '../state/sandbox-error.ts';

/**
 * Locks a file against other processes by a second one beside it that names this process. Returns what unlocks it. Rejects
 * with `SandboxError` while a process that lives holds it; what a dead one left is taken over.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.lock`;
  const unlock = (): Promise<void> => rm(lock, { force: true });
  if (await tryLock(lock)) return unlock;
  const holder = await readFile(lock, 'utf8').catch(() => '');
  if (isAlive(holder)) throw inUse(file, holder);
  await clearAway(lock, holder);
  if (await tryLock(lock)) return unlock;
  throw inUse(file, undefined);
}

/** Names this process: by its id, and by when it started, since in containers every process has the same id. */
function nameSelf(): string {
  return `${process.pid} ${performance.timeOrigin}`;
}

/** Puts a lock in place with all that is in it, unless there is one. */
async function tryLock(lock: string): Promise<boolean> {
  const draft = `${lock}.${randomUUID()}`;
  await writeFile(draft, nameSelf(), { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Takes a dead process's lock away; one that another process put there in the meantime goes back. */
async function clearAway(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, 'utf8')) !== holder) await link(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return holder === nameSelf();
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function inUse(file: string, holder: string | undefined): SandboxError {
  const who = holder === undefined ? 'another process' : `process ${holder.split(' ')[0]}`;
  return new SandboxError('invalid_state', `${file} is in use by ${who}; two sandboxes cannot share it.`);
}
