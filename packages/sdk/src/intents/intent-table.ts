import { StoredRecord } from '@service/internal/append-log';
import { type Intent, type IntentFilter, type IntentState, isSelected } from './intent.ts';

/** The facts of an intent that its store needs without reading the file: a batch can have 100 000. */
export class IntentRow extends StoredRecord {
  readonly version: number;
  readonly state: IntentState;
  readonly paymentId: string | undefined;
  readonly conflicts: Intent['conflicts'];

  constructor({ version, state, paymentId, conflicts }: Intent) {
    super();
    this.version = version;
    this.state = state;
    this.paymentId = paymentId;
    this.conflicts = conflicts;
  }
}

/** The rows of a store in memory. */
export interface IntentTable {
  readonly get: (reference: string) => IntentRow | undefined;
  readonly set: (reference: string, row: IntentRow) => void;
  /** Returns the reference that has a payment id. */
  readonly findHolder: (paymentId: string) => string | undefined;
  /** Returns the references of the selected intents, in order. */
  readonly select: (filter: IntentFilter) => readonly string[];
  /** Returns the present rows. Later changes do not change the result. */
  readonly takeSnapshot: () => readonly IntentRow[];
}

/** Creates an empty table. */
export function createIntentTable(): IntentTable {
  const rows = new Map<string, IntentRow>();
  const holders = new Map<string, string>();
  return {
    get: (reference) => rows.get(reference),
    set: (reference, row) => {
      const before = rows.get(reference)?.paymentId;
      if (before !== undefined && before !== row.paymentId) holders.delete(before);
      if (row.paymentId !== undefined) holders.set(row.paymentId, reference);
      rows.set(reference, row);
    },
    findHolder: (paymentId) => holders.get(paymentId),
    select: (filter) => {
      const { paymentIds } = filter;
      const references = paymentIds
        ? new Set(paymentIds.flatMap((id) => holders.get(id) ?? []))
        : rows.keys();
      const selected: string[] = [];
      for (const reference of references) {
        const { state, paymentId, conflicts } = rows.get(reference) as IntentRow;
        if (isSelected({ reference, state, paymentId, conflicts }, filter)) selected.push(reference);
      }
      return selected.toSorted();
    },
    takeSnapshot: () => [...rows.values()],
  };
}
