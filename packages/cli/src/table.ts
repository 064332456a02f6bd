/** A column of a table: the field to print, and its alignment. */
export interface Column {
  readonly field: string;
  readonly align?: 'right';
}

/** Formats rows as aligned lines. Columns never become narrower from one call to the next. */
export type Table = (rows: readonly object[]) => string[];

/** Creates a table. Its first call also returns a heading line. */
export function createTable(columns: readonly Column[]): Table {
  const heading = columns.map(({ field }) => field);
  const widths = heading.map(({ length }) => length);
  let isHeaded = false;
  return (rows) => {
    const cells = rows.map((row) => columns.map(({ field }) => formatCell(readField(row, field))));
    const lines = isHeaded ? cells : [heading, ...cells];
    isHeaded = true;
    for (const line of lines) {
      for (const [index, cell] of line.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
    return lines.map((line) =>
      line.map((cell, index) => pad(cell, widths[index], columns[index])).join('  '),
    );
  };
}

/** Formats an object as one `name: value` line per field. Nested fields are `outer.inner`; lists of scalars are joined with commas. */
export function toFields(record: object): string[] {
  const fields = flatten(record);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${formatCell(value)}`);
}

function flatten(record: object): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    isScalarList(value)
      ? [[name, value.map(formatCell).join(',')]]
      : typeof value === 'object' && value !== null
        ? flatten(value).map(([inner, found]): [string, unknown] => [`${name}.${inner}`, found])
        : [[name, value]],
  );
}

/** Whether a value is a list of scalars. Options take such lists with commas too. */
function isScalarList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

/** Formats a value exactly as it was sent. Amounts are never rounded. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readField(row: object, field: string): unknown {
  return (row as Record<string, unknown>)[field];
}

function pad(cell: string, width = 0, column?: Column): string {
  return column?.align === 'right' ? cell.padStart(width) : cell.padEnd(width);
}
