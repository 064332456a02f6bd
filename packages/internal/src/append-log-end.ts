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

/** An appended record that can be read again. `append` sets its position. */
export class StoredRecord {
  /** The position of the line in bytes; -1 until it is written. */
  start = -1;
  /** The length of the line in bytes, without its line break. */
  length = 0;

  /**
   * Called when the record is durable at a position, and again in the turn in which a compaction that ran during the
   * append changes it.
   */
  moveTo(start: number): void {
    this.start = start;
  }
}

/** The position of a record in the file. */
export type Place = Pick<StoredRecord, 'start' | 'length'>;

/** Records in the file of a log that a compaction copies. */
export interface StoredRecords {
  /** The positions of the records. Read during the compaction. */
  readonly places: Iterable<Place>;
  /**
   * Called in the turn in which the new file becomes the log, with the new starts of all records in the order of
   * `places`.
   */
  readonly moveTo: (starts: readonly number[]) => void;
}

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

/** The lines of a group in a file. */
export interface StoredLines extends Omit<Lines, 'text'> {
  readonly start: number;
}

/** Writes a group of lines at the end of a file. */
export async function writeLines(
  end: LogEnd,
  kind: GroupKind,
  { text, size, records }: Omit<Lines, 'text'> & { readonly text: string | Uint8Array },
): Promise<StoredLines> {
  const bytes = formatGroup(kind, end.sequence, text);
  const base = end.position + HEADER_LENGTH;
  await end.file.write(bytes, end.position);
  end.position += bytes.byteLength;
  end.sequence += 1;
  for (const { record, start } of records) end.moves.push({ record, start: base + start });
  return { start: base, size, records };
}

/** Copies groups to the end of another file. */
export async function copyGroups(
  end: LogEnd,
  groups: (Lines | StoredLines)[],
  before: LogEnd,
): Promise<void> {
  for (const group of groups.splice(0)) {
    const text = 'text' in group ? group.text : readBytes(before, group.start, group.size);
    await writeLines(end, 'A', { ...group, text });
  }
}

/** Applies the positions of written records, after they are durable and their file is the log. */
export function moveRecords({ moves }: LogEnd): void {
  for (const { record, start } of moves.splice(0)) record.moveTo(start);
}

/** Reads the line of a record. */
export function readLine(end: LogEnd, { start, length }: Place): string {
  if (start < 0) throw new Error('The record has not been written.');
  return readBytes(end, start, length).toString();
}

function readBytes({ file }: LogEnd, start: number, length: number): Buffer {
  const bytes = file.readPart(start, length);
  if (bytes.byteLength === length) return bytes;
  throw new Error('it is shorter than before');
}

/** The length of a part of the compacted records: about a millisecond of work. */
const PART_LENGTH = 2 ** 16;

/** Records that a compaction copies from a file. */
export interface CopiedRecords {
  readonly before: LogEnd;
  readonly places: Iterable<Place>;
  /** The starts of the copies. */
  readonly starts: number[];
}

/**
 * Writes records in parts, then copies of other records. The last part marks the end of the compacted records. The
 * state of the copy is numbers only: a log can have 100 000 records.
 */
export async function writeRecords(
  end: LogEnd,
  records: Iterable<unknown>,
  copied?: CopiedRecords,
): Promise<void> {
  let lines = createLines();
  const add = async (json: string): Promise<void> => {
    addLine(lines, json);
    if (lines.size < PART_LENGTH) return;
    await writeLines(end, 'S', lines);
    lines = createLines();
  };
  for (const record of records) await add(JSON.stringify(record));
  if (copied) {
    for (const place of copied.places) {
      copied.starts.push(end.position + HEADER_LENGTH + lines.size);
      await add(readLine(copied.before, place));
    }
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
