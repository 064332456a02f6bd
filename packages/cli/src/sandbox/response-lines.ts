import { createTable, formatCell, toFields } from '../table.ts';
import { type Operation, type ResponseList, takesFile } from './operations.ts';

/** The columns of a table, each with the path to its value: `{ status: 'response.status' }`. */
type Columns = Readonly<Record<string, string>>;

/** The columns of lists whose items are not flat, by the name of the schema of the item. */
const columnsByItem: Readonly<Record<string, Columns>> = {
  CollectedEvent: toColumns(['id', 'payment_id', 'event', 'body']),
  Delivery: {
    ...toColumns(['id', 'payment_id', 'status', 'state']),
    attempts: 'attempts.length',
    fault: 'fault',
  },
  Fault: toColumns([
    'id',
    'target',
    'kind',
    'operation',
    'event',
    'account',
    'mode',
    'times',
    'after',
    'probability',
    'fired',
  ]),
  RequestView: {
    ...toColumns(['at', 'id', 'method', 'path', 'operation']),
    status: 'response.status',
    ...toColumns(['account', 'mode']),
    fault: 'fault.kind',
  },
};

function toColumns(names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** Formats a response of the control API: a list as a table, a single value by itself, all else as fields. */
export function toResponseLines(body: unknown, operation: Operation): string[] {
  if (body === undefined) return ['Done.'];
  if (operation.isDocument && !takesFile(operation)) return [JSON.stringify(body)];
  return operation.list === undefined ? toValueLines(body) : toListLines(body, operation.list);
}

function toValueLines(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [formatCell(body)];
  const [value, ...others] = Object.values(body) as unknown[];
  return others.length === 0 ? toValueLines(value) : toFields(body);
}

/** Formats the list of a response, followed by its other fields. */
function toListLines(body: unknown, { name, item = '', fields }: ResponseList): string[] {
  const { [name]: rows, ...others } = body as Record<string, unknown>;
  const columns = columnsByItem[item] ?? toColumns(fields);
  const table = createTable(Object.keys(columns).map((field) => ({ field })));
  const cells = (rows as readonly unknown[]).map((row) =>
    Object.fromEntries(Object.entries(columns).map(([column, path]) => [column, readPath(row, path)])),
  );
  return [...table(cells), ...(Object.keys(others).length > 0 ? ['', ...toFields(others)] : [])];
}

function readPath(value: unknown, path: string): unknown {
  let found = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
