import { createTable, formatCell, toFields } from '../table.ts';
import type { Columns, CommandRow } from './rows.ts';

/** Formats a response of the control API: a list as a table, a single value by itself, all else as fields. */
export function toResponseLines(body: unknown, { columns, isRaw }: CommandRow): string[] {
  if (body === undefined) return ['Done.'];
  if (isRaw) return [JSON.stringify(body)];
  return columns === undefined ? toValueLines(body) : toListLines(body, columns);
}

function toValueLines(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [formatCell(body)];
  const [value, ...others] = Object.values(body) as unknown[];
  return others.length === 0 ? toValueLines(value) : toFields(body);
}

/** Returns the first list in a response with its name, or undefined if there is none. */
export function findList(body: unknown): readonly [name: string, rows: readonly unknown[]] | undefined {
  const entries = Object.entries(body ?? {}) as [string, unknown][];
  for (const [name, rows] of entries) if (Array.isArray(rows)) return [name, rows];
  return undefined;
}

/** Formats the list of a response, followed by its other fields. */
function toListLines(body: unknown, columns: Columns): string[] {
  const [name, rows] = findList(body) ?? ['', []];
  const table = createTable(Object.keys(columns).map((field) => ({ field })));
  const cells = rows.map((row) =>
    Object.fromEntries(Object.entries(columns).map(([column, path]) => [column, readPath(row, path)])),
  );
  const { [name]: _, ...others } = body as Record<string, unknown>;
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
