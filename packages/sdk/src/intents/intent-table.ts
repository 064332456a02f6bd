import { type Place, StoredRecord, type StoredRecords } from '@service/internal/append-log';
import { type Intent, type IntentFilter, type IntentState, intentStates, isSelected } from './intent.ts';
import { TextIndex } from './text-index.ts';

/**
 * The facts of all intents that a store needs without reading the file, in columns: a batch can have 100 000. A row
 * has the number of its reference.
 */
export class IntentTable {
  readonly #references = new TextIndex();
  readonly #paymentIds = new TextIndex();
  #versions = new Int32Array(0);
  /** The number of the state. */
  #states = new Uint8Array(0);
  /** The number of the payment id, or -1. */
  #payments = new Int32Array(0);
  /** 1 with conflicts, 0 without. */
  #conflicts = new Uint8Array(0);
  #starts = new Float64Array(0);
  #lengths = new Int32Array(0);
  /** The row that has a payment id, by the number of the id; -1 after its release. */
  #holders = new Int32Array(0);

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
    const record = this.set(intent);
    record.length = length;
    record.moveTo(start);
  }

  /** Adds or replaces an intent. Its record has no position until it is written. */
  set({ reference, version, state, paymentId, conflicts = [] }: Intent): StoredRecord {
    const { size } = this.#references;
    const row = this.#references.add(reference);
    const before = row === size ? -1 : (this.#payments[row] as number);
    const payment = paymentId === undefined ? -1 : this.#paymentIds.add(paymentId);
    this.#extend();
    if (before !== -1) this.#holders[before] = -1;
    if (payment !== -1) this.#holders[payment] = row;
    this.#versions[row] = version;
    this.#states[row] = intentStates.indexOf(state);
    this.#payments[row] = payment;
    this.#conflicts[row] = Math.min(conflicts.length, 1);
    this.#starts[row] = -1;
    this.#lengths[row] = 0;
    return new IntentRecord(row, version, this);
  }

  /** Sets the position of a version of an intent, unless it has been replaced. */
  move(row: number, version: number, { start, length }: Place): void {
    if (this.#versions[row] !== version) return;
    this.#starts[row] = start;
    this.#lengths[row] = length;
  }

  #extend(): void {
    const { size } = this.#references;
    this.#versions = extendColumn(this.#versions, size);
    this.#states = extendColumn(this.#states, size);
    this.#payments = extendColumn(this.#payments, size);
    this.#conflicts = extendColumn(this.#conflicts, size);
    this.#starts = extendColumn(this.#starts, size);
    this.#lengths = extendColumn(this.#lengths, size);
    this.#holders = extendColumn(this.#holders, this.#paymentIds.size);
  }

  /** Returns the references of the selected intents, in order. Decoded during the iteration. */
  select(filter: IntentFilter): Iterable<string> {
    const { paymentIds } = filter;
    const rows = paymentIds
      ? new Set(paymentIds.map((id) => this.#holders[this.#paymentIds.find(id)] ?? -1))
      : new Int32Array(this.#references.size).keys();
    const selected = new Int32Array(paymentIds?.length ?? this.#references.size);
    let count = 0;
    for (const row of rows) {
      if (row === -1 || !this.#isSelected(row, filter)) continue;
      selected[count] = row;
      count += 1;
    }
    // Without strings of the references: the heap would grow by several times their size.
    const sorted = selected.subarray(0, count).toSorted((a, b) => this.#references.compare(a, b));
    return this.#decode(sorted);
  }

  /**
   * Returns the positions of all present intents, without those that are replaced before they are reached: their newer
   * version is later in the file.
   */
  takeSnapshot(): StoredRecords {
    const { size } = this.#references;
    const versions = this.#versions.slice(0, size);
    const copied = new Int32Array(size);
    return {
      places: this.#listPlaces(versions, copied),
      moveTo: (starts) => {
        for (const [index, start] of starts.entries()) {
          const row = copied[index] as number;
          this.move(row, versions[row] as number, { start, length: this.#lengths[row] as number });
        }
      },
    };
  }

  /** Yields the positions of the intents whose version is the given one, and sets their rows. */
  *#listPlaces(versions: Int32Array, rows: Int32Array): Generator<Place> {
    let count = 0;
    for (const [row, version] of versions.entries()) {
      if (this.#versions[row] !== version) continue;
      rows[count] = row;
      count += 1;
      yield { start: this.#starts[row] as number, length: this.#lengths[row] as number };
    }
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
}

/** The record of one version of an intent. */
class IntentRecord extends StoredRecord {
  readonly #row: number;
  readonly #version: number;
  readonly #table: IntentTable;

  constructor(row: number, version: number, table: IntentTable) {
    super();
    this.#row = row;
    this.#version = version;
    this.#table = table;
  }

  override moveTo(start: number): void {
    this.#table.move(this.#row, this.#version, { start, length: this.length });
  }
}

/** Returns a column with at least a number of rows. */
function extendColumn<T extends Uint8Array | Int32Array | Float64Array>(column: T, size: number): T {
  if (size <= column.length) return column;
  const extended = new (column.constructor as new (length: number) => T)(2 * size);
  extended.set(column);
  return extended;
}
