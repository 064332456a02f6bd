import { AppendLogError } from './append-log-error.ts';
import type { LogFile, LogFiles } from './append-log-files.ts';
import { formatGroup, type GroupKind, HEADER_LENGTH } from './append-log-format.ts';
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
  /** The positions of written records that `moveRecords` has to apply. */
  readonly moves: Move[];
}

/**
 * A record in the file of a log, which can be read again. Pass it to `append`, which sets its position; compactions
 * change it.
 */
export class StoredRecord {
  /** The position of the line in bytes; -1 until it is written. */
  start = -1;
  /** The length of the line in bytes, without its line break. */
  length = 0;

  /** Called when the record is durable at a position, and in the same turn in which a compaction changes it. */
  moveTo(start: number): void {
    this.start = start;
  }
}

/** The position of a record in the file. */
export type Place = Pick<StoredRecord, 'start' | 'length'>;

/** A record and its position: in the lines of a group, or in a file. */
interface Move {
  readonly record: StoredRecord;
  readonly start: number;
}

/** Lines of records, and the positions of those that can be read again. */
export interface Lines {
  text: string;
  /** The length in bytes. */
  size: number;
  readonly records: Move[];
}

/** Creates an empty list of lines. */
export function createLines(): Lines {
  return { text: '', size: 0, records: [] };
}

/** Adds the JSON of a record. */
export function addLine(lines: Lines, json: string, record?: StoredRecord): void {
  const length = Buffer.byteLength(json);
  if (record !== undefined) {
    record.length = length;
    lines.records.push({ record, start: lines.size });
  }
  lines.text += `${json}\n`;
  lines.size += length + 1;
}

/** Writes a group of lines at the end of a file. */
export async function writeLines(end: LogEnd, kind: GroupKind, { text, records }: Lines): Promise<void> {
  const bytes = formatGroup(kind, end.sequence, text);
  const base = end.position + HEADER_LENGTH;
  await end.file.write(bytes, end.position);
  end.position += bytes.byteLength;
  end.sequence += 1;
  for (const { record, start } of records) end.moves.push({ record, start: base + start });
}

/** Applies the positions of written records, after they are durable and their file is the log. */
export function moveRecords({ moves }: LogEnd): void {
  for (const { record, start } of moves.splice(0)) record.moveTo(start);
}

/** Reads the line of a record. */
export function readLine({ file }: LogEnd, { start, length }: Place): string {
  if (start < 0) throw new Error('The record has not been written.');
  return file.readPart(start, length).toString();
}

/** The length of a part of the compacted records: about a millisecond of work. */
const PART_LENGTH = 2 ** 16;

/**
 * Writes records in parts, with those of the file before copied from it. The last part marks the end of the compacted
 * records.
 */
export async function writeRecords(end: LogEnd, records: Iterable<unknown>, before?: LogEnd): Promise<void> {
  let lines = createLines();
  for (const record of records) {
    if (before && record instanceof StoredRecord) addLine(lines, readLine(before, record), record);
    else addLine(lines, JSON.stringify(record));
    if (lines.size < PART_LENGTH) continue;
    await writeLines(end, 'S', lines);
    lines = createLines();
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
    const end: LogEnd = {
      file,
      position: context.title.byteLength,
      sequence: 0,
      compactedSize: 0,
      moves: [],
    };
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
