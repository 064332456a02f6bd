/** Names a column by the field that it shows; figures stand at the right. */
export type Column = { readonly field: string; readonly align?: 'right' };

/** Lays rows out below each other; the columns of a later call are never narrower than those before. */
export type Table = (rows: readonly object[]) => string[];

/** Creates a table whose first lines are headed by the names of its columns. */
export function createTable(columns: readonly Column[]): Table {
  const heading = columns.map(({ field }) => field);
  const widths = heading.map(({ length }) => length);
  let isHeaded = false;
  return (rows) => {
    const cells = rows.map((row) => columns.map(({ field }) => show(readField(row, field))));
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

/** Lays out the fields of an object as `name: value`, one a line; the fields within a field are named `outer.inner`, and plain lists have commas. */
export function toFields(record: object): string[] {
  const fields = flatten(record);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${show(value)}`);
}

function flatten(record: object): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    isPlainList(value)
      ? [[name, value.map(show).join(',')]]
      : typeof value === 'object' && value !== null
        ? flatten(value).map(([inner, found]): [string, unknown] => [`${name}.${inner}`, found])
        : [[name, value]],
  );
}

/** Tells whether a value is a list of nothing but values, which options take with commas too. */
function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

/** Shows a value as it was sent; figures are never rounded. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readField(row: object, field: string): unknown {
  return (row as Record<string, unknown>)[field];
}

function pad(cell: string, width = 0, column?: Column): string {
  return column?.align === 'right' ? cell.padStart(width) : cell.padEnd(width);
}
