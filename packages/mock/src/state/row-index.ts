import type { TransactionType } from '@service/contract';
import type { Status } from '../domain/payment.ts';

/** The categories of rows: the type of a transaction, and the status of its payment, by which the list can be filtered. */
export const categories: readonly { readonly type: TransactionType; readonly status: Status }[] = [
  { type: 'payment', status: 'pending' },
  { type: 'payment', status: 'processing' },
  { type: 'payment', status: 'completed' },
  { type: 'payment', status: 'failed' },
  { type: 'refund', status: 'failed' },
  { type: 'deposit', status: 'completed' },
  { type: 'adjustment', status: 'completed' },
];

/** The number of a category in `categories`. */
export type Category = number;

/** Returns the category of a row. Only rows of payments differ by status. */
export function categoryOf(type: TransactionType, status: Status = 'failed'): Category {
  return categories.findIndex((each) => each.type === type && (type !== 'payment' || each.status === status));
}

/**
 * Counts the rows of the transaction history by category, so that a page costs the same in a short history and in a long one: each
 * category has a Fenwick tree over the rows.
 */
export class RowIndex {
  #size = 0;
  /** The trees, with 1-based nodes. */
  readonly #trees: readonly number[][] = categories.map(() => [0]);

  get size(): number {
    return this.#size;
  }

  /** Adds a row at the end. */
  add(category: Category): void {
    this.#size += 1;
    const node = this.#size;
    for (const [each, tree] of this.#trees.entries()) {
      let count = each === category ? 1 : 0;
      for (let part = 1; part < (node & -node); part *= 2) count += tree[node - part] ?? 0;
      tree.push(count);
    }
  }

  /** Changes the category of a row. */
  move(row: number, from: Category, to: Category): void {
    if (row >= this.#size) return;
    for (let node = row + 1; node <= this.#size; node += node & -node) {
      this.#change(from, node, -1);
      this.#change(to, node, 1);
    }
  }

  /** Returns the number of rows of some categories before a row. */
  countBefore(row: number, of: readonly Category[]): number {
    let count = 0;
    for (let node = Math.min(row, this.#size); node > 0; node -= node & -node) count += this.#sum(node, of);
    return count;
  }

  /** Returns the row of some categories that has `count` of them before it, or the number of all rows without one. */
  find(count: number, of: readonly Category[]): number {
    let row = 0;
    let left = count;
    for (let step = 2 ** Math.floor(Math.log2(this.#size || 1)); step >= 1; step /= 2) {
      if (row + step > this.#size) continue;
      const passed = this.#sum(row + step, of);
      if (passed > left) continue;
      row += step;
      left -= passed;
    }
    return row;
  }

  #change(category: Category, node: number, by: number): void {
    const tree = this.#trees[category];
    if (tree !== undefined) tree[node] = (tree[node] ?? 0) + by;
  }

  #sum(node: number, of: readonly Category[]): number {
    let sum = 0;
    for (const category of of) sum += this.#trees[category]?.[node] ?? 0;
    return sum;
  }
}
