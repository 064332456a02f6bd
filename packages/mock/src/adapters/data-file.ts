import {
  type AppendLog,
  AppendLogError,
  explainFileError,
  type LogFiles,
  type LockSystem,
  openAppendLog,
} from '@service/internal/append-log';
import type { Context } from '../control/context.ts';
import { resumeState, setBaseline } from '../control/replace-state.ts';
import { applyStanding } from '../seed/apply.ts';
import { type Mock, PARTS } from '../core.ts';
import { type DataRecord, describeState, foldRecords } from '../state/data-record.ts';
import { readSnapshot, restoreEncoded } from '../state/restore.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { createProfileList, type Snapshot, type StateSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import { LogRecorder } from './log-recorder.ts';

/** A file that stores the state of a mock. */
export interface DataFile extends AsyncDisposable {
  /** The absolute path. */
  readonly path: string;
  /** Whether the file existed and its state was restored. */
  readonly isRestored: boolean;
  /** Resolves when all changes are durable. Rejects if they cannot be written. */
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
 * Stores the state of a mock in a file: restores an existing file, then appends every change. No response and no
 * webhook is sent before its change is durable, so a crash loses nothing that a client has seen. The file contains the
 * mock's own API keys and signing secrets and has mode 0600. It must be on a local file system. Snapshots that earlier
 * releases stored are converted. Rejects with `SandboxError`, without changing the file, if it is damaged, not a data
 * file, or in use by another process.
 *
 * @example
 * await using data = await keepData(mock, 'sandbox.data');
 */
export function keepData(mock: Mock, path: string, options: DataFileOptions = {}): Promise<DataFile> {
  return openDataFile(mock, path, options);
}

/** The files and the processes that tests replace. */
export interface OpenDataOptions extends DataFileOptions {
  readonly files?: LogFiles;
  readonly system?: LockSystem;
}

/** The name of the format of the records. A release that changes them changes the name. */
const FORMAT = 'sandbox-data-1';

/** Opens a data file on a file system. */
export async function openDataFile(mock: Mock, path: string, options: OpenDataOptions): Promise<DataFile> {
  const parts = mock[PARTS] as Context;
  const { durability } = parts.state;
  if (durability.recorder !== undefined)
    throw new SandboxError('invalid_state', 'The mock has a data file already. Close it first.');
  const log = await openLog(parts, path, options);
  const { recorder, isRestored } = await startRecorder(parts, log, options.onError ?? reportError).catch(
    async (error: unknown) => {
      durability.recorder = undefined;
      await log.close();
      throw error;
    },
  );
  const save = async (): Promise<void> => {
    if (durability.recorder !== recorder)
      throw new SandboxError('invalid_state', `${log.path} is closed. Another sandbox may be using it.`);
    try {
      if (recorder.failure !== undefined) await recorder.compact();
      await recorder.confirm();
    } catch (cause) {
      throw new SandboxError('unavailable', recorder.failure?.message ?? '', { cause });
    }
  };
  const close = async (): Promise<void> => {
    if (durability.recorder !== recorder) return;
    recorder.stop();
    try {
      await save();
    } finally {
      durability.recorder = undefined;
      await log.close();
    }
  };
  return { path: log.path, isRestored, save, close, [Symbol.asyncDispose]: close };
}

function openLog({ state }: Context, path: string, { files, system }: OpenDataOptions): Promise<AppendLog> {
  const convert = (text: string): Iterable<DataRecord> => {
    restoreSnapshot(state, text, path);
    return describeState(state, createProfileList());
  };
  return openAppendLog(path, { name: FORMAT, convert, files, system }).catch((error: unknown) => {
    throw toSandboxError(error);
  });
}

interface StartedRecorder {
  readonly recorder: LogRecorder;
  readonly isRestored: boolean;
}

/** Restores the state of a log and records all changes after it. */
async function startRecorder(
  parts: Context,
  log: AppendLog,
  onError: (error: unknown) => void,
): Promise<StartedRecorder> {
  const { state } = parts;
  const encoded = restoreRecords(parts, log);
  const recorder = new LogRecorder({ log, state, profiles: createProfileList(encoded?.profiles), onError });
  // Before due timers run, so that their changes are recorded.
  state.durability.recorder = recorder;
  if (encoded !== undefined) {
    setBaseline(parts, encoded);
    resumeState(parts);
    applyStanding(parts, parts.standing);
    return { recorder, isRestored: true };
  }
  try {
    await recorder.compact();
    return { recorder, isRestored: false };
  } catch (error) {
    recorder.stop();
    const message = `${log.path} cannot be used. Reason: ${explainFileError(error)}.`;
    throw new SandboxError('invalid_argument', message, { cause: error });
  }
}

/** Restores the state of a log. Returns undefined for an empty log, which a crash before its first record left. */
function restoreRecords({ state }: Context, log: AppendLog): StateSnapshot | undefined {
  try {
    const encoded = foldRecords(log.records as Iterable<DataRecord>);
    if (encoded !== undefined) restoreEncoded(state, encoded);
    return encoded;
  } catch (cause) {
    throw createUnreadableError(log.path, cause instanceof Error ? cause.message : '', { cause });
  }
}

/** Restores a snapshot, which earlier releases stored in the file, to check it. */
function restoreSnapshot(state: State, text: string, path: string): void {
  let snapshot: Snapshot;
  try {
    snapshot = JSON.parse(text) as Snapshot;
  } catch (cause) {
    throw createUnreadableError(path, 'It is neither a data file nor a snapshot.', { cause });
  }
  try {
    restoreEncoded(state, readSnapshot(snapshot));
  } catch (cause) {
    throw createUnreadableError(path, cause instanceof Error ? cause.message : '', { cause });
  }
}

function createUnreadableError(file: string, why: string, options: ErrorOptions): SandboxError {
  const message = `${file} is not a valid data file of a sandbox and was not changed. ${why} Move the file to start without it.`;
  return new SandboxError('invalid_argument', message, options);
}

function toSandboxError(error: unknown): unknown {
  if (!(error instanceof AppendLogError)) return error;
  const code = error.code === 'in_use' ? 'invalid_state' : 'invalid_argument';
  return new SandboxError(code, error.message, { cause: error });
}

function reportError(error: unknown): void {
  // oxlint-disable-next-line no-console -- the default listener: changes are no longer stored
  console.error('@service/mock: the data file cannot be written', error);
}
