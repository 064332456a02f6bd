import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { restoreBaseline } from '../control/operations/state.ts';
import type { SandboxParts } from '../control/operation.ts';
import { type Mock, PARTS } from '../core.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { Snapshot } from '../state/snapshot.ts';
import { createAutosave } from './autosave.ts';
import { lockFile } from './lock-file.ts';

/** A file that stores the state of a mock. */
export interface DataFile extends AsyncDisposable {
  /** The absolute path. */
  readonly path: string;
  /** Whether the file existed and its state was restored. */
  readonly isRestored: boolean;
  /** Saves changes now. */
  readonly save: () => Promise<void>;
  /** Saves changes and releases the file. The mock stays open. */
  readonly close: () => Promise<void>;
}

/** The options of `keepData`. */
export interface DataFileOptions {
  /**
   * Called for a failed write in the background, once per series of failures.
   *
   * @default logs it with `console.error`
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Stores the state of a mock in a file: restores an existing file, then saves every change within moments,
 * atomically. The file contains the mock's own API keys and signing secrets and has mode 0600. Rejects with
 * `SandboxError`, without changing the file, if it is damaged, not a snapshot, or in use by another process.
 *
 * @example
 * await using data = await keepData(mock, 'sandbox.json');
 */
export async function keepData(mock: Mock, path: string, options: DataFileOptions = {}): Promise<DataFile> {
  // Resolves links, so that two names of one file share a lock.
  const file = await realpath(path).catch(() => resolve(path));
  const unlock = await lockFile(file);
  try {
    const known = await readSnapshot(file);
    if (known !== undefined) restore(mock, known, file);
    const autosave = createAutosave({
      take: mock.sandbox.snapshot,
      clock: mock.sandbox.clock.mode,
      write: (text) => writeWhole(file, text),
      known,
      onError: options.onError ?? reportError,
    });
    if (known === undefined) await autosave.flush();
    let isClosed = false;
    const save = async (): Promise<void> => {
      if (isClosed)
        throw new SandboxError('invalid_state', `${file} is closed. Another sandbox may be using it.`);
      await autosave.flush();
    };
    const close = async (): Promise<void> => {
      if (isClosed) return;
      isClosed = true;
      autosave.stop();
      try {
        await autosave.flush();
      } finally {
        await unlock();
      }
    };
    const isRestored = known !== undefined;
    return { path: file, isRestored, save, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function readSnapshot(file: string): Promise<Snapshot | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Snapshot;
  } catch (cause) {
    throw unreadableFile(file, 'It is not valid JSON.', { cause });
  }
}

function restore(mock: Mock, snapshot: Snapshot, file: string): void {
  try {
    restoreBaseline(mock[PARTS] as SandboxParts, snapshot);
  } catch (cause) {
    throw unreadableFile(file, cause instanceof Error ? cause.message : '', { cause });
  }
}

function unreadableFile(file: string, why: string, options: ErrorOptions): SandboxError {
  const message = `${file} is not a valid data file of a sandbox and was not changed. ${why} Move the file to start without it.`;
  return new SandboxError('invalid_argument', message, options);
}

/** Replaces a file atomically: readers see the old or the new content, also after a crash. */
async function writeWhole(file: string, text: string): Promise<void> {
  // A fixed name, which the lock protects: the next write replaces a leftover with secrets.
  const temporary = `${file}.tmp`;
  try {
    await writeDurably(temporary, text);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  // `open` applies the mode only to new files; a leftover may have another one.
  await handle.chmod(0o600);
  await handle.writeFile(text);
  await handle.sync();
}

/** Makes a rename durable. Windows cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function reportError(error: unknown): void {
  // oxlint-disable-next-line no-console -- the default listener: the state is no longer saved
  console.error('@service/mock: the data file cannot be written', error);
}
