import type { Transaction } from '@service/sdk';
import { type Column, createTable, show, type Table } from './table.ts';

const documented: readonly Column[] = [
  { field: 'created_at' },
  { field: 'type' },
  { field: 'status' },
  { field: 'amount', align: 'right' },
  { field: 'currency' },
  { field: 'balance_after', align: 'right' },
  { field: 'id' },
  { field: 'payment_id' },
  { field: 'reference' },
];
/** Documented fields that have no column. */
const hidden: ReadonlySet<string> = new Set(['fee']);
const mostOtherColumns = 3;

/**
 * Creates a table of transactions with the columns that have values: the documented ones, then up to three other fields of the
 * rows. A later page with values for more columns starts with a new heading.
 */
export function createTransactionTable(): Table {
  let columns: readonly Column[] = [];
  let table = createTable(documented);
  return (rows) => {
    const added = listColumns(rows as readonly Transaction[]).filter(
      ({ field }) => !columns.some((column) => column.field === field),
    );
    if (added.length > 0) {
      columns = [...columns, ...added].toSorted((one, other) => rank(one) - rank(other));
      table = createTable(columns);
    }
    return table(rows);
  };
}

/** Returns the place of a column: documented columns in their order, then all others. */
function rank({ field }: Column): number {
  const place = documented.findIndex((column) => column.field === field);
  return place === -1 ? documented.length : place;
}

function listColumns(rows: readonly Transaction[]): Column[] {
  const entries = rows.flatMap((row) => Object.entries(row).map(([field, value]) => ({ row, field, value })));
  const filled = entries.filter(({ value }) => value !== null && value !== undefined && value !== '');
  const fields = new Set(filled.map(({ field }) => field));
  const others = filled.filter(
    ({ row, field, value }) =>
      !hidden.has(field) &&
      documented.every((column) => column.field !== field) &&
      typeof value !== 'object' &&
      !isShown(value, row),
  );
  const names = [...new Set(others.map(({ field }) => field))].slice(0, mostOtherColumns);
  return [...documented.filter(({ field }) => fields.has(field)), ...names.map((field) => ({ field }))];
}

/** Whether a documented column of the row shows the same value, as `amount` shows that of `send_amount`. */
function isShown(value: unknown, row: Transaction): boolean {
  return documented.some(({ field }) => {
    const known = (row as Readonly<Record<string, unknown>>)[field];
    return show(known) === show(value) || (typeof known === 'number' && known === Number(value));
  });
}
