import {
  addLine,
  checkOwner,
  copyGroups,
  createFile,
  createLines,
  discardFile,
  installFile,
  type Lines,
  type LogContext,
  type LogEnd,
  moveRecords,
  type Place,
  readLine,
  type StoredLines,
  type StoredRecord,
  type StoredRecords,
  writeLines,
  writeRecords,
} from './append-log-end.ts';
import { AppendLogError } from './append-log-error.ts';
import { explainFileError } from './append-log-files.ts';
import { createDeferred, type Deferred } from './promise.ts';
import { setImmediate } from './timers.ts';

/** The writing part of an append log. */
export interface LogWriter extends AsyncDisposable {
  /** The reason why the log refuses appends, until a compaction succeeds. */
  readonly failure: AppendLogError | undefined;
  /** Whether the file is more than twice as large as after the last compaction. */
  readonly needsCompaction: boolean;
  /** The time of the last durable write, in milliseconds of `performance.now()`. */
  readonly writtenAt: number;
  /**
   * Appends a record, which must be JSON. Resolves when it is durable: all appends of one turn of the event loop share
   * one write. Rejects with an `AppendLogError` if the record is possibly not durable.
   *
   * @param stored Receives the position of the record.
   */
  readonly append: (record: unknown, stored?: StoredRecord) => Promise<void>;
  /**
   * Reads a record whose append has resolved.
   *
   * @throws {AppendLogError} when the log has failed or is closed, or when the file cannot be read.
   */
  readonly read: (place: Place) => unknown;
  /**
   * Replaces the file with the records of the present state, while appends continue. `takeRecords` is called once, immediately or after a
   * running compaction: its records must describe the effect of all appends before that call, and of none after it. They are serialized in
   * parts, with a turn of the event loop after each. Those of `takeStored`, which is called in the same turn, are copied from the file after
   * them. Rejects without a change if the new file cannot be written.
   */
  readonly compact: (takeRecords: () => Iterable<unknown>, takeStored?: () => StoredRecords) => Promise<void>;
  /** Waits for all appends, then releases the file. */
  readonly close: () => Promise<void>;
}

/** A step that runs after all earlier ones, such as the write of a group of records. */
type Step = () => Promise<void>;

interface Group extends Deferred<void> {
  readonly lines: Lines;
}

/** The appends during a compaction. */
interface Compaction {
  /** The groups that the compaction has to copy. Those that are written are read from the file. */
  readonly tail: (Lines | StoredLines)[];
  /** The groups that after a failure only the compaction can make durable. */
  readonly waiting: Group[];
  /** Whether all groups that precede the compacted records have been written. */
  hasBegun: boolean;
}

/** All state of a writer. */
interface Writer {
  end: LogEnd;
  failure: AppendLogError | undefined;
  writtenAt: number;
  /** The group that takes further records. Its write has not started. */
  open: Group | undefined;
  /** The running compaction. */
  compaction: Compaction | undefined;
  readonly steps: Step[];
  isRunning: boolean;
  isClosed: boolean;
}

/** The least size for which a compaction is useful, in bytes. */
const MIN_SIZE = 2 ** 20;

/** Creates the writer of a log that was read to its end. */
export function createLogWriter(context: LogContext, end: LogEnd): LogWriter {
  const writer = createWriter(end);
  let compaction: Promise<void> | undefined;
  const compact: LogWriter['compact'] = (takeRecords, takeStored) => {
    const run = (): Promise<void> => runCompaction(context, writer, { takeRecords, takeStored });
    const done = compaction === undefined ? run() : compaction.then(run);
    const finish = (): void => {
      if (compaction === ended) compaction = undefined;
    };
    const ended = done.then(finish, finish);
    compaction = ended;
    return done;
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    writer.isClosed = true;
    await compaction;
    await runStep(writer, async () => {});
    await writer.end.file.close();
    await context.lock.release();
  };
  return {
    get failure() {
      return writer.failure;
    },
    get needsCompaction() {
      return writer.end.position > 2 * writer.end.compactedSize + MIN_SIZE;
    },
    get writtenAt() {
      return writer.writtenAt;
    },
    append: (record, stored) => append(context, writer, { record, stored }),
    read: (place) => readPlace(context, writer, place),
    compact,
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

function createWriter(end: LogEnd): Writer {
  return {
    end,
    failure: undefined,
    writtenAt: performance.now(),
    open: undefined,
    compaction: undefined,
    steps: [],
    isRunning: false,
    isClosed: false,
  };
}

function append(
  context: LogContext,
  writer: Writer,
  { record, stored }: { readonly record: unknown; readonly stored: StoredRecord | undefined },
): Promise<void> {
  const { failure, isClosed, compaction } = writer;
  if (isClosed) return Promise.reject(createClosedError(context));
  if (failure !== undefined && compaction === undefined) return Promise.reject(failure);
  const json = JSON.stringify(record);
  writer.open ??= openGroup(context, writer);
  addLine(writer.open.lines, json, stored);
  return writer.open.promise;
}

function readPlace(context: LogContext, writer: Writer, place: Place): unknown {
  if (writer.isClosed) throw createClosedError(context);
  if (writer.failure !== undefined) throw writer.failure;
  try {
    return JSON.parse(readLine(writer.end, place));
  } catch (error) {
    const message = `${context.path} cannot be read: ${explainFileError(error)}.`;
    throw new AppendLogError('failed', message, { cause: error });
  }
}

/** Opens a group, whose write starts after the current turn of the event loop and all earlier steps. */
function openGroup(context: LogContext, writer: Writer): Group {
  const group: Group = { ...createDeferred(), lines: createLines() };
  // A caller can ignore the promise of an append: `failure` reports the error as well.
  group.promise.catch(() => {});
  void runStep(writer, async () => {
    if (writer.open === group) writer.open = undefined;
    try {
      if (writer.failure !== undefined && writer.compaction?.hasBegun) {
        writer.compaction.tail.push(group.lines);
        writer.compaction.waiting.push(group);
        return;
      }
      await writeGroup(context, writer, group.lines);
      group.resolve();
    } catch (error) {
      writer.failure ??= createFailure(context, error);
      group.reject(writer.failure);
    }
  });
  return group;
}

/** Runs a step after all earlier ones. */
function runStep(writer: Writer, run: Step): Promise<void> {
  const { promise, resolve, reject } = createDeferred();
  writer.steps.push(() => run().then(resolve, reject));
  if (!writer.isRunning) {
    writer.isRunning = true;
    setImmediate(() => void runSteps(writer));
  }
  return promise;
}

async function runSteps(writer: Writer): Promise<void> {
  for (let step = writer.steps.shift(); step !== undefined; step = writer.steps.shift()) {
    await step();
    // Collects the appends of this turn in one group.
    if (writer.steps.length > 0) await new Promise((resolve) => void setImmediate(resolve));
  }
  writer.isRunning = false;
}

async function writeGroup(context: LogContext, writer: Writer, lines: Lines): Promise<void> {
  if (writer.failure !== undefined) throw writer.failure;
  const { end } = writer;
  checkOwner(context);
  if (context.files.inspect(context.path)?.identity !== end.file.identity)
    throw new AppendLogError('failed', `${context.path} was moved, removed or replaced.`);
  const stored = await writeLines(end, 'A', lines);
  await end.file.sync();
  // A process that has taken over an expired lock may have read the file before this write.
  checkOwner(context);
  writer.writtenAt = performance.now();
  moveRecords(end);
  if (writer.compaction?.hasBegun) writer.compaction.tail.push(stored);
}

interface CompactionInput {
  readonly takeRecords: () => Iterable<unknown>;
  readonly takeStored: (() => StoredRecords) | undefined;
}

async function runCompaction(
  context: LogContext,
  writer: Writer,
  { takeRecords, takeStored }: CompactionInput,
): Promise<void> {
  if (writer.isClosed) throw createClosedError(context);
  checkOwner(context);
  const failureBefore = writer.failure;
  const compaction: Compaction = { tail: [], waiting: [], hasBegun: false };
  const { tail, waiting } = compaction;
  // Groups that are waiting now precede the records, so that the group of the next append must be a new one.
  const begun = runStep(writer, async () => void (compaction.hasBegun = true));
  writer.open = undefined;
  writer.compaction = compaction;
  try {
    const records = takeRecords();
    const stored = takeStored?.();
    const starts: number[] = [];
    // Before that, records of groups that are waiting are not in the file.
    await begun;
    const copied = stored && { before: writer.end, places: stored.places, starts };
    const end = await createFile(context, (created) => writeRecords(created, records, copied));
    try {
      // Copies most groups before appends have to wait.
      await copyGroups(end, tail, writer.end);
      await end.file.sync();
      await runStep(writer, async () => {
        // A change whose append failed can be missing in the records, although the caller has made it.
        if (writer.failure !== failureBefore) throw writer.failure ?? createClosedError(context);
        await copyGroups(end, tail, writer.end);
        await installEnd(context, writer, { end, onInstalled: () => stored?.moveTo(starts) });
      });
    } catch (error) {
      if (writer.end !== end) await discardFile(context, end.file);
      throw error;
    }
    for (const group of waiting) group.resolve();
  } catch (error) {
    for (const group of waiting) group.reject(writer.failure);
    throw error;
  } finally {
    writer.compaction = undefined;
  }
}

interface NewEnd {
  readonly end: LogEnd;
  readonly onInstalled: () => void;
}

async function installEnd(context: LogContext, writer: Writer, { end, onInstalled }: NewEnd): Promise<void> {
  await end.file.sync();
  checkOwner(context);
  const { end: before } = writer;
  try {
    await installFile(context, () => {
      writer.end = end;
      // Before the moves of later versions.
      onInstalled();
      moveRecords(end);
    });
    writer.failure = undefined;
    writer.writtenAt = performance.now();
  } catch (error) {
    writer.failure = createFailure(context, error);
    throw writer.failure;
  } finally {
    if (writer.end !== before) await before.file.close();
  }
}

function createFailure({ path }: LogContext, error: unknown): AppendLogError {
  if (error instanceof AppendLogError) return error;
  const message = `${path} cannot be written: ${explainFileError(error)}.`;
  return new AppendLogError('failed', message, { cause: error });
}

function createClosedError({ path }: LogContext): AppendLogError {
  return new AppendLogError('closed', `${path} is closed.`);
}
