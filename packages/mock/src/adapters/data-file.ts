import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Mock } from '../core.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { Snapshot } from '../state/snapshot.ts';
import { createAutosave } from './autosave.ts';
import { lockFile } from './lock-file.ts';

/** Is a file in which the world of a mock is kept. */
export interface DataFile extends AsyncDisposable {
  /** The absolute path. */
  readonly path: string;
  /** Tells whether there was a world in it already. */
  readonly isRestored: boolean;
  /** Writes down what has changed, now. */
  readonly save: () => Promise<void>;
  /** Writes down what has changed, and lets the file go. The mock itself goes on. */
  readonly close: () => Promise<void>;
}

/** Sets up how a world is kept in a file. */
export interface DataFileOptions {
  /**
   * Takes the error of a write in the background, once for each run of failures.
   *
   * @default writes it to `console.error`
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Keeps the world of a mock in a file over restarts: reads it where it exists, and from then on writes every change within
 * moments, as a whole or not at all. The file holds the mock's own keys and signing secrets and is readable by its owner
 * alone (mode 0600). Rejects with `SandboxError`, with the file as it was, when it is damaged, no snapshot, or in use by
 * another process.
 *
 * @example
 * await using data = await keepData(mock, 'sandbox.json');
 */
export async function keepData(mock: Mock, path: string, options: DataFileOptions = {}): Promise<DataFile> {
  // Of a link the file that it leads to, so that two names are not taken for two files.
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
        throw new SandboxError('invalid_state', `${file} was closed; it may be another sandbox's by now.`);
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
    mock.sandbox.restore(snapshot);
    mock.sandbox.baseline();
  } catch (cause) {
    throw unreadableFile(file, cause instanceof Error ? cause.message : '', { cause });
  }
}

function unreadableFile(file: string, why: string, options: ErrorOptions): SandboxError {
  const message = `${file} cannot be read as the data of a sandbox, and was left as it is. ${why} Move it away to start anew.`;
  return new SandboxError('invalid_argument', message, options);
}

/** Replaces a file in one step, so that whoever reads it sees the old or the new one, also after a crash. */
async function writeWhole(file: string, text: string): Promise<void> {
  // One name, since the lock keeps all others away: what a crash leaves behind, secrets in it, is not left for ever.
  const draft = `${file}.tmp`;
  try {
    await writeDurably(draft, text);
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  // The mode of `open` counts for new files alone; one that was left behind may be open to others.
  await handle.chmod(0o600);
  await handle.writeFile(text);
  await handle.sync();
}

/** Makes a rename last; some systems cannot open a folder, and there it is left to them. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function reportError(error: unknown): void {
  // oxlint-disable-next-line no-console -- nobody else would hear that the world is no longer kept
  console.error('@service/mock: the data file cannot be written', error);
}
