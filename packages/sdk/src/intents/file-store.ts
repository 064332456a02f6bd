import {
  AppendLogError,
  openAppendLog,
  type AppendLog,
  type StoredRecord,
} from '@service/internal/append-log';
import { isRecord } from '@service/internal';
import { ConfigurationError } from '../errors/error-classes.ts';
import { type Intent, type IntentStore, isSelected, type StoreAccount } from './intent.ts';
import { IntentTable } from './intent-table.ts';

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
  const table = new IntentTable();
  const account: OpenStore['account'] = { current: undefined };
  try {
    for (const { record, ...place } of log.entries) {
      const read = readRecord(record, path);
      if ('intent' in read) table.load(read.intent, place);
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
  readonly append: (record: FileRecord, stored?: StoredRecord) => Promise<void>;
  readonly account: { current: StoreAccount | undefined };
}

function createOperations(store: OpenStore): Pick<FileStore, 'read' | 'swap' | 'list'> {
  const { log, table, append } = store;
  const pending = new Map<string, Promise<void>>();
  const readStored = async (reference: string): Promise<StoredIntent | undefined> => {
    // A version that a crash could still remove is not returned.
    for (let write = pending.get(reference); write; write = pending.get(reference)) await write;
    if (log.failure) throw toStoreError(log.failure);
    const place = table.placeOf(reference);
    return convertErrors(() => (place && log.read(place)) as StoredIntent | undefined);
  };
  return {
    read: async (reference) => (await readStored(reference))?.intent,
    swap: async (next, { fromVersion, writeId }) => {
      const { reference, paymentId } = next;
      if (log.failure) throw toStoreError(log.failure);
      if (table.versionOf(reference) !== fromVersion)
        return (await readStored(reference))?.writeId === writeId ? 'done' : 'lost';
      const holder = paymentId === undefined ? undefined : table.findHolder(paymentId);
      if (holder !== undefined && holder !== reference) return 'id_taken';
      // There is no `await` between the comparison and this change.
      const written = append({ intent: next, writeId }, table.set(next));
      pending.set(reference, written);
      try {
        await written;
      } finally {
        if (pending.get(reference) === written) pending.delete(reference);
      }
      return 'done';
    },
    list: async function* (filter) {
      let count = 0;
      for (const reference of table.select(filter)) {
        // Reads are synchronous: other work must not wait for a long list.
        if ((count += 1) % PAGE_SIZE === 0) await new Promise((resolve) => void setImmediate(resolve));
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
  return async (record, stored) => {
    await convertErrors(() => log.append(record, stored));
    if (log.needsCompaction)
      compaction ??= log
        .compact(
          () => [{ format: FORMAT, account: account.current }],
          () => table.takeSnapshot(),
        )
        .then(finish, finish);
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
