// Writes intents to a SQLite store in a process or thread of its own, until it is killed or ends as told.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMainThread, workerData } from 'node:worker_threads';
import { sqliteStore } from '../../src/entries/payer-sqlite.ts';
import type { Intent } from '../../src/entries/payer.ts';

/** The writes of a process, as JSON in its first argument, or of a thread, as its data. */
export interface SqliteProcessOptions {
  readonly path: string;
  /** The start of its references. */
  readonly name: string;
  /**
   * The number of intents.
   *
   * @default unlimited
   */
  readonly count?: number | undefined;
  /** Whether the process closes its store at its end, or exits without. */
  readonly end?: 'close' | 'exit' | undefined;
  /** Whether each intent has a store of its own, which is closed after its writes. */
  readonly reopens?: boolean | undefined;
}

/** An acknowledged write of a process. */
export interface AcknowledgedWrite {
  readonly reference: string;
  readonly version: number;
}

/** Creates an intent of one of four sizes, of which the largest fills more than a part of a page. */
export function createSizedIntent(reference: string, version: number, size: number): Intent {
  const body = 'x'.repeat((size % 4) * 700);
  return { reference, version, state: 'planned', digest: 'd', key: 'k', sends: [], body };
}

async function write({ path, name, count = Infinity, end, reopens }: SqliteProcessOptions): Promise<void> {
  let store = sqliteStore(path);
  for (let index = 0; index < count; index += 1) {
    const reference = `${name}-${index}`;
    for (const version of [1, 2]) {
      const next = createSizedIntent(reference, version, index);
      await store.swap(next, { fromVersion: version - 1, writeId: `${reference} ${version}` });
      process.send?.({ reference, version } satisfies AcknowledgedWrite);
      await nextTurn();
    }
    if (!reopens) continue;
    store.close();
    store = sqliteStore(path);
  }
  if (end === 'exit') process.exit(0);
  store.close();
  if (isMainThread) process.disconnect();
}

const [, program, options] = process.argv;
if (!isMainThread) await write(workerData as SqliteProcessOptions);
else if (program === import.meta.filename && options !== undefined)
  await write(JSON.parse(options) as SqliteProcessOptions);
