import { type Place, StoredRecord } from '@service/internal/append-log';
import { type Intent, type IntentFilter, type IntentState, intentStates, isSelected } from './intent.ts';
import { TextIndex } from './text-index.ts';

/**
 * The facts of all intents that a store needs without reading the file, in columns: a batch can have 100 000. A row
 * has the number of its reference.
 */
export class IntentTable {
  readonly #references = new TextIndex();
  readonly #paymentIds = new TextIndex();
  readonly #versions: number[] = [];
  /** The number of the state. */
  readonly #states: number[] = [];
  /** The number of the payment id, or -1. */
  readonly #payments: number[] = [];
  /** 1 with conflicts, 0 without. */
  readonly #conflicts: number[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  /** The row that has a payment id, by the number of the id; -1 after its release. */
  readonly #holders: number[] = [];

  /** Returns the version of an intent; 0 without one. */
  versionOf(reference: string): number {
    return this.#versions[this.#references.find(reference)] ?? 0;
  }

  /** Returns the position of an intent, or undefined without one. */
  placeOf(reference: string): Place | undefined {
    const row = this.#references.find(reference);
    if (row === -1) return undefined;
    return { start: this.#starts[row] as number, length: this.#lengths[row] as number };
  }

  /** Returns the reference that has a payment id. */
  findHolder(paymentId: string): string | undefined {
    const row = this.#holders[this.#paymentIds.find(paymentId)] ?? -1;
    return row === -1 ? undefined : this.#references.get(row);
  }

  /** Adds an intent of a file that was opened. */
  load(intent: Intent, { start, length }: Place): void {
    Object.assign(this.set(intent), { length }).moveTo(start);
  }

  /** Adds or replaces an intent. Its record has no position until it is written. */
  set({ reference, version, state, paymentId, conflicts = [] }: Intent): StoredRecord {
    const row = this.#references.add(reference);
    const before = this.#payments[row] ?? -1;
    const payment = paymentId === undefined ? -1 : this.#paymentIds.add(paymentId);
    if (before !== -1) this.#holders[before] = -1;
    if (payment !== -1) this.#holders[payment] = row;
    this.#versions[row] = version;
    this.#states[row] = intentStates.indexOf(state);
    this.#payments[row] = payment;
    this.#conflicts[row] = Math.min(conflicts.length, 1);
    this.#starts[row] = -1;
    this.#lengths[row] = 0;
    return this.#recordOf(row);
  }

  /** Returns the references of the selected intents, in order. Decoded during the iteration. */
  select(filter: IntentFilter): Iterable<string> {
    const { paymentIds } = filter;
    const rows = paymentIds
      ? new Set(paymentIds.map((id) => this.#holders[this.#paymentIds.find(id)] ?? -1))
      : this.#versions.keys();
    const selected: number[] = [];
    for (const row of rows) if (row !== -1 && this.#isSelected(row, filter)) selected.push(row);
    // Without strings of the references: the heap would grow by several times their size.
    const sorted = Int32Array.from(selected).toSorted((a, b) => this.#references.compare(a, b));
    return this.#decode(sorted);
  }

  /**
   * Yields the records of all present intents, without those that are replaced before they are reached: their newer
   * version is later in the file.
   */
  takeSnapshot(): Iterable<StoredRecord> {
    return this.#listRecords(Int32Array.from(this.#versions));
  }

  *#listRecords(versions: Int32Array): Generator<StoredRecord> {
    for (const [row, version] of versions.entries())
      if (this.#versions[row] === version) yield this.#recordOf(row);
  }

  *#decode(rows: Int32Array): Generator<string> {
    for (const row of rows) yield this.#references.get(row);
  }

  #isSelected(row: number, filter: IntentFilter): boolean {
    if (filter.hasConflicts && this.#conflicts[row] === 0) return false;
    const state = intentStates[this.#states[row] as number] as IntentState;
    if (filter.states?.includes(state) === false) return false;
    if (filter.after === undefined && !filter.paymentIds) return true;
    const payment = this.#payments[row] as number;
    const paymentId = payment === -1 ? undefined : this.#paymentIds.get(payment);
    const reference = this.#references.get(row);
    return isSelected({ reference, state, paymentId }, { ...filter, hasConflicts: undefined });
  }

  #recordOf(row: number): StoredRecord {
    const record = new StoredRecord();
    const version = this.#versions[row];
    const start = this.#starts[row] as number;
    const length = this.#lengths[row] as number;
    const moveTo = (to: number): void => {
      // The intent may have been replaced meanwhile.
      if (this.#versions[row] !== version) return;
      this.#starts[row] = to;
      this.#lengths[row] = record.length;
    };
    return Object.assign(record, { start, length, moveTo });
  }
}
