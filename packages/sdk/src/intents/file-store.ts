import { AppendLogError, openAppendLog, type AppendLog } from '@service/internal/append-log';
import { isRecord } from '@service/internal';
import { ConfigurationError } from '../errors/error-classes.ts';
import { type Intent, type IntentStore, isSelected, type StoreAccount } from './intent.ts';
import { createIntentTable, IntentRow, type IntentTable } from './intent-table.ts';

/** The options of `createFileStore`. */
export interface FileStoreOptions {
  /**
   * The secret key of the stored HMACs of bodies and beneficiaries: at least 32 characters, always the same for a
   * file.
   *
   * @default none: the digest of a body is a plain SHA-256
   */
  readonly fingerprintKey?: string | undefined;
}

/** A store of intents in a file. */
export interface FileStore extends IntentStore {
  /** The absolute path. */
  readonly path: string;
  /** Waits for all writes, then releases the file. */
  readonly close: () => Promise<void>;
}

/** The format of the records. A later format converts the records of earlier ones. */
const FORMAT = 1;

/** A line of the file: the account and the format, or one version of an intent with the id of its write. */
type FileRecord = { readonly format: number; readonly account?: StoreAccount | undefined } | StoredIntent;

/** An intent, and the id of its last write. */
interface StoredIntent {
  readonly intent: Intent;
  readonly writeId: string;
}

/** The number of intents that a list reads in one turn of the event loop. */
const PAGE_SIZE = 256;

/**
 * Opens a store of intents in a file, or creates it. One process at a time can use it, on a local file system.
 * A write is durable when it returns.
 *
 * @throws {ConfigurationError} when another process uses the file (then `cause.code` is `'in_use'`), or when it
 * is damaged or not a store of intents. The file is not changed.
 * @example
 * const store = await createFileStore('payments.intents');
 */
export async function createFileStore(
  path: string,
  { fingerprintKey }: FileStoreOptions = {},
): Promise<FileStore> {
  const log = await convertErrors(() => openAppendLog(path, { name: 'payment-intents' }));
  const table = createIntentTable();
  const account: OpenStore['account'] = { current: undefined };
  try {
    for (const { record, start, length } of log.entries) {
      const read = readRecord(record, path);
      if ('intent' in read)
        table.set(read.intent.reference, Object.assign(new IntentRow(read.intent), { start, length }));
      else account.current = read.account;
    }
  } catch (error) {
    await log.close();
    throw error;
  }
  const parts = { log, table, account };
  const store = { ...parts, append: createAppend(parts) };
  return {
    ...createOperations(store),
    bindAccount: createBindAccount(store),
    path: log.path,
    fingerprintKey,
    close: () => log.close(),
  };
}

/** The parts of an open store. */
interface OpenStore {
  readonly log: AppendLog;
  readonly table: IntentTable;
  readonly append: (record: FileRecord, row?: IntentRow) => Promise<void>;
  readonly account: { current: StoreAccount | undefined };
}

function createOperations(store: OpenStore): Pick<FileStore, 'read' | 'swap' | 'list'> {
  const { log, table, append } = store;
  const pending = new Map<string, Promise<void>>();
  const readStored = async (reference: string): Promise<StoredIntent | undefined> => {
    // A version that a crash could still remove is not returned.
    for (let write = pending.get(reference); write; write = pending.get(reference)) await write;
    if (log.failure) throw toStoreError(log.failure);
    const row = table.get(reference);
    return convertErrors(() => (row && log.read(row)) as StoredIntent | undefined);
  };
  return {
    read: async (reference) => (await readStored(reference))?.intent,
    swap: async (next, { fromVersion, writeId }) => {
      const { reference, paymentId } = next;
      if (log.failure) throw toStoreError(log.failure);
      if ((table.get(reference)?.version ?? 0) !== fromVersion)
        return (await readStored(reference))?.writeId === writeId ? 'done' : 'lost';
      const holder = paymentId === undefined ? undefined : table.findHolder(paymentId);
      if (holder !== undefined && holder !== reference) return 'id_taken';
      // There is no `await` between the comparison and this change.
      const row = new IntentRow(next);
      table.set(reference, row);
      const written = append({ intent: next, writeId }, row);
      pending.set(reference, written);
      try {
        await written;
      } finally {
        if (pending.get(reference) === written) pending.delete(reference);
      }
      return 'done';
    },
    list: async function* (filter) {
      for (const [index, reference] of table.select(filter).entries()) {
        // Reads are synchronous: other work must not wait for a long list.
        if (index % PAGE_SIZE === PAGE_SIZE - 1) await new Promise((resolve) => void setImmediate(resolve));
        const intent = (await readStored(reference))?.intent;
        if (intent && isSelected(intent, filter)) yield intent;
      }
    },
  };
}

/** Creates `append`, which starts a compaction if the file has become too large. */
function createAppend({ log, table, account }: Omit<OpenStore, 'append'>): OpenStore['append'] {
  let compaction: Promise<void> | undefined;
  // A failed compaction leaves the file as it is; a later append tries again.
  const finish = (): void => void (compaction = undefined);
  return async (record, row) => {
    await convertErrors(() => log.append(record, row));
    if (log.needsCompaction)
      compaction ??= log.compact(() => listRecords(account.current, table)).then(finish, finish);
  };
}

/** Creates `bindAccount`. Concurrent first calls wait for one write. */
function createBindAccount({ account, append }: OpenStore): NonNullable<FileStore['bindAccount']> {
  let bound = account.current && Promise.resolve();
  return async (own) => {
    const current = (account.current ??= own);
    bound ??= append({ format: FORMAT, account: current });
    await bound;
    return current;
  };
}

/** Returns the records of the present state. Later writes do not change them. */
function listRecords(
  account: StoreAccount | undefined,
  table: IntentTable,
): readonly (FileRecord | IntentRow)[] {
  return [{ format: FORMAT, account }, ...table.takeSnapshot()];
}

/** Checks a record of the file. */
function readRecord(record: unknown, path: string): FileRecord {
  if (isRecord(record)) {
    const { format, intent, writeId } = record;
    if (isRecord(intent) && typeof writeId === 'string') return record as unknown as FileRecord;
    if (format === FORMAT) return record as unknown as FileRecord;
    if (typeof format === 'number') {
      throw new ConfigurationError(
        `${path} has format ${format} of intents; this release reads format ${FORMAT}. Use the release that wrote it.`,
      );
    }
  }
  throw new ConfigurationError(
    `${path} contains a record that is not an intent. Restore a copy of the file.`,
  );
}

async function convertErrors<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof AppendLogError ? toStoreError(error) : error;
  }
}

function toStoreError(cause: AppendLogError): ConfigurationError {
  return new ConfigurationError(`The file of the intent store failed: ${cause.message}`, { cause });
}
