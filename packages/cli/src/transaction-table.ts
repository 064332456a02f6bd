import type { Transaction } from '@service/sdk';
import { type Column, createTable, formatCell, type Table } from './table.ts';

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
/** Documented fields without a column. */
const hidden: ReadonlySet<string> = new Set(['fee']);
const MAX_OTHER_COLUMNS = 3;

/**
 * Creates a table of transactions. It has the documented columns with values, then up to three other fields. A later page
 * with values for more columns starts with a new heading.
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

/** Returns the position of a column: documented columns first, in their order. */
function rank({ field }: Column): number {
  const index = documented.findIndex((column) => column.field === field);
  return index === -1 ? documented.length : index;
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
  const names = [...new Set(others.map(({ field }) => field))].slice(0, MAX_OTHER_COLUMNS);
  return [...documented.filter(({ field }) => fields.has(field)), ...names.map((field) => ({ field }))];
}

/** Whether a documented column already has this value, such as `amount` that of `send_amount`. */
function isShown(value: unknown, row: Transaction): boolean {
  return documented.some(({ field }) => {
    const known = (row as Readonly<Record<string, unknown>>)[field];
    return formatCell(known) === formatCell(value) || (typeof known === 'number' && known === Number(value));
  });
}
