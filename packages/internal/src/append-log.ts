/**
 * A file of records that survives crashes. An appended record is durable when its promise resolves. For Node, and for
 * local file systems only: network file systems do not sync and lock reliably.
 *
 * @module
 */
import {
  checkOwner,
  createFile,
  discardFile,
  installFile,
  type LogContext,
  type LogEnd,
  type Place,
  newPathOf,
  writeRecords,
} from './append-log-end.ts';
import { AppendLogError } from './append-log-error.ts';
import { explainFileError, isFileError, type LogFile, type LogFiles, nodeFiles } from './append-log-files.ts';
import {
  DamagedContent,
  formatTitle,
  listLines,
  type LogContent,
  readGroups,
  readTitle,
} from './append-log-format.ts';
import { lockFile, type LockSystem, processSystem } from './append-log-lock.ts';
import { createLogWriter, type LogWriter } from './append-log-writer.ts';

export { AppendLogError, type AppendLogErrorCode } from './append-log-error.ts';
export {
  explainFileError,
  type FileState,
  type LogFile,
  type LogFiles,
  nodeFiles,
} from './append-log-files.ts';
export { type Place, StoredRecord, type StoredRecords } from './append-log-end.ts';
export { type LockOwner, type LockSystem, processSystem } from './append-log-lock.ts';

/** The options of `openAppendLog`. */
export interface AppendLogOptions {
  /** The name of the format of the records. A log with another name is rejected. */
  readonly name: string;
  /**
   * Converts the text of a file that is not a log to the records that replace it. Returns undefined for an unknown
   * file.
   *
   * @default rejects the file
   */
  readonly convert?: ((text: string) => Iterable<unknown> | undefined) | undefined;
  /** @default nodeFiles */
  readonly files?: LogFiles | undefined;
  /** @default processSystem */
  readonly system?: LockSystem | undefined;
}

/** An open append log. */
export interface AppendLog extends LogWriter {
  /** The absolute path. */
  readonly path: string;
  /** Whether the file did not exist. */
  readonly isNew: boolean;
  /** The records in the order of their appends. Parsed during the iteration; can be read once. */
  readonly records: Iterable<unknown>;
  /** The same records with their positions in the file. To be read in place of `records`. */
  readonly entries: Iterable<LogEntry>;
}

/** A record and its position in the file of a log. */
export interface LogEntry extends Place {
  readonly record: unknown;
}

/**
 * Opens a log, or creates it with mode 0600. Removes the rest of an interrupted write at the end.
 *
 * @throws {AppendLogError} without a change, if the file is in use, damaged, not a log or not a regular file
 * @example
 * await using log = await openAppendLog('intents.log', { name: 'intents' });
 * for (const record of log.records) apply(record);
 * await log.append({ reference: 'invoice-7' });
 */
export async function openAppendLog(path: string, options: AppendLogOptions): Promise<AppendLog> {
  const { files = nodeFiles, system = processSystem } = options;
  // Two names of one file share a lock.
  const file = await files.resolve(path);
  try {
    // Not after the lock, whose file would appear beside a device.
    if (files.inspect(file)?.isFile === false)
      throw unusable(file, 'It is not a regular file, but a directory or a device.');
    const lock = await lockFile(file, files, system);
    try {
      return await openLocked({ path: file, files, lock, title: formatTitle(options.name) }, options);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw unusable(file, `Reason: ${explainFileError(error)}.`, error);
  }
}

async function openLocked(context: LogContext, options: AppendLogOptions): Promise<AppendLog> {
  const { path, files } = context;
  // A process that ended during a compaction has left it.
  await files.remove(newPathOf(path));
  const state = files.inspect(path);
  if (state === undefined) {
    const end = await replaceFile(context, (created) => writeRecords(created, []));
    return createLog(context, { end, entries: [], isNew: true });
  }
  if (state.links > 1)
    throw unusable(
      path,
      `It has ${state.links} names (hard links), which a lock cannot protect. Use a copy.`,
    );
  if (await (options.system ?? processSystem).isMountPoint(path))
    throw unusable(path, 'It is mounted on its own and cannot be replaced. Mount its directory instead.');
  const file = await files.open(path);
  let opened: OpenedLog | undefined;
  try {
    const bytes = await file.read();
    const content = readContent(bytes, path, options);
    opened =
      content === undefined
        ? await convertFile(context, bytes, options)
        : await continueFile(context, content, { file, bytes });
    return createLog(context, opened);
  } finally {
    if (opened?.end.file !== file) await file.close();
  }
}

/** The end and the records of a log. */
interface OpenedLog {
  readonly end: LogEnd;
  readonly entries: Iterable<LogEntry>;
  readonly isNew?: boolean;
}

function createLog(context: LogContext, { end, entries, isNew = false }: OpenedLog): AppendLog {
  const records = {
    *[Symbol.iterator]() {
      for (const { record } of entries) yield record;
    },
  };
  // Unlike an object spread, this keeps the getters of the writer.
  return Object.assign(createLogWriter(context, end), { path: context.path, isNew, entries, records });
}

/**
 * Reads the groups of a log. Returns undefined if the content is not a log.
 *
 * @throws {AppendLogError} if it is damaged or a log of another format
 */
function readContent(bytes: Buffer, path: string, { name }: AppendLogOptions): LogContent | undefined {
  const title = readTitle(bytes);
  if (title === undefined) return undefined;
  if (title.version !== '1')
    throw unusable(path, `It has format version ${title.version}; this release reads version 1.`);
  if (title.name !== name) throw unusable(path, `It contains ${title.name}, not ${name}.`);
  try {
    return readGroups(bytes, formatTitle(name).byteLength);
  } catch (error) {
    if (!(error instanceof DamagedContent)) throw error;
    const message = `${path} is damaged at byte ${error.offset} and was not changed. ${error.message} Restore a copy of the file, or move it to start without it.`;
    throw new AppendLogError('damaged', message, { cause: error });
  }
}

interface OpenFile {
  readonly file: LogFile;
  readonly bytes: Buffer;
}

async function continueFile(
  context: LogContext,
  content: LogContent,
  { file, bytes }: OpenFile,
): Promise<OpenedLog> {
  const { groups, end: position, compactedEnd: compactedSize } = content;
  const entries = parseLines(bytes, content);
  const end = { file, position, sequence: groups.length, compactedSize, moves: [] };
  // An owner that only seems to have ended could still write to its open file, but not to a copy.
  const mustCopy = position < bytes.byteLength || context.lock.isExpired;
  if (!mustCopy) return { end, entries };
  const copied = await replaceFile(context, async (created) => {
    await created.file.write(bytes.subarray(created.position, position), created.position);
    Object.assign(created, { position, sequence: groups.length, compactedSize });
  });
  return { end: copied, entries };
}

async function convertFile(
  context: LogContext,
  bytes: Buffer,
  { convert }: AppendLogOptions,
): Promise<OpenedLog> {
  const converted = convert?.(bytes.toString());
  if (converted === undefined) throw unusable(context.path, 'It is not a log.');
  const end = await replaceFile(context, (created) => writeRecords(created, converted));
  const written = await end.file.read();
  return { end, entries: parseLines(written, readGroups(written, context.title.byteLength)) };
}

/** Replaces the file of a log durably, before its first append. */
async function replaceFile(context: LogContext, fill: (end: LogEnd) => Promise<void>): Promise<LogEnd> {
  const end = await createFile(context, fill);
  try {
    await end.file.sync();
    checkOwner(context);
    await installFile(context);
    return end;
  } catch (error) {
    await discardFile(context, end.file);
    throw error;
  }
}

function* parseLines(bytes: Buffer, { groups }: LogContent): Generator<LogEntry> {
  for (const { start, end } of listLines(bytes, groups))
    yield { record: JSON.parse(bytes.toString('utf8', start, end)), start, length: end - start };
}

function unusable(path: string, reason: string, cause?: unknown): AppendLogError {
  return new AppendLogError('unusable', `${path} cannot be used. ${reason}`, { cause });
}
