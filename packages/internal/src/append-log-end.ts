import { AppendLogError } from './append-log-error.ts';
import type { LogFile, LogFiles } from './append-log-files.ts';
import { formatGroup, type GroupKind } from './append-log-format.ts';
import type { FileLock } from './append-log-lock.ts';

/** The locked file of a log. */
export interface LogContext {
  readonly path: string;
  readonly files: LogFiles;
  readonly lock: FileLock;
  /** The first line of the file. */
  readonly title: Uint8Array;
}

/** An open file and the end of its content. */
export interface LogEnd {
  readonly file: LogFile;
  position: number;
  /** The sequence number of the next group. */
  sequence: number;
  /** The size of the compacted records. */
  compactedSize: number;
}

/** Writes a group of lines at the end of a file. */
export async function writeLines(end: LogEnd, kind: GroupKind, lines: string): Promise<void> {
  const bytes = formatGroup(kind, end.sequence, lines);
  await end.file.write(bytes, end.position);
  end.position += bytes.byteLength;
  end.sequence += 1;
}

/** The length of a part of the compacted records: about a millisecond of work. */
const PART_LENGTH = 2 ** 16;

/** Serializes records in parts. The last part marks the end of the compacted records. */
export async function writeRecords(end: LogEnd, records: Iterable<unknown>): Promise<void> {
  let lines = '';
  for (const record of records) {
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < PART_LENGTH) continue;
    await writeLines(end, 'S', lines);
    lines = '';
  }
  await writeLines(end, 'E', lines);
  end.compactedSize = end.position;
}

/** Writes a new file beside the log. */
export async function createFile(context: LogContext, fill: (end: LogEnd) => Promise<void>): Promise<LogEnd> {
  const path = newPathOf(context.path);
  await context.files.remove(path);
  const file = await context.files.create(path);
  try {
    await file.write(context.title, 0);
    const end: LogEnd = { file, position: context.title.byteLength, sequence: 0, compactedSize: 0 };
    await fill(end);
    return end;
  } catch (error) {
    await discardFile(context, file);
    throw error;
  }
}

/** Removes a new file. */
export async function discardFile(context: LogContext, file: LogFile): Promise<void> {
  await file.close().catch(() => {});
  await context.files.remove(newPathOf(context.path)).catch(() => {});
}

/**
 * Makes the new file, which must be synced, the log. After an error it is unknown which of the two files a crash would
 * leave.
 */
export async function installFile({ path, files }: LogContext, onRenamed?: () => void): Promise<void> {
  await files.rename(newPathOf(path), path);
  onRenamed?.();
  await files.syncFolderOf(path);
}

/** Throws if another process has taken over the file. */
export function checkOwner({ path, lock }: LogContext): void {
  if (!lock.isHeld())
    throw new AppendLogError(
      'lost',
      `${path} was taken over by another process, or its lock was removed. Restart this process.`,
    );
}

/** Returns the path of a new file that is to replace a log. */
export function newPathOf(path: string): string {
  return `${path}.new`;
}
