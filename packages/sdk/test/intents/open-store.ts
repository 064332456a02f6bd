import type { IntentStore } from '../../src/index.ts';
import { createFileStore } from '../../src/entries/intents-file.ts';
import { createSqliteStore } from '../../src/entries/intents-sqlite.ts';

/** The stores of the fault experiments, by name. */
export type StoreKind = 'file' | 'sqlite';

/** A store that is closed by its owner. */
export interface OpenedStore {
  readonly store: IntentStore;
  readonly close: () => Promise<void>;
}

/** Opens a store at a path. Throws an error with `cause.code` 'in_use' while another process has it. */
export async function openStore(kind: StoreKind, path: string): Promise<OpenedStore> {
  if (kind === 'file') {
    const store = await createFileStore(path);
    return { store, close: store.close };
  }
  const store = createSqliteStore(path);
  return { store, close: async () => store.close() };
}

/** Returns whether several processes can use a store at the same time. */
export function isShared(kind: StoreKind): boolean {
  return kind !== 'file';
}
