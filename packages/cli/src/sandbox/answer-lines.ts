import { createTable, show, toFields } from '../table.ts';
import type { Columns, CommandRow } from './rows.ts';

/** Lays out an answer of the control for a person: a list as a table, one value alone, all else as fields. */
export function toAnswerLines(answer: unknown, { columns, isRaw }: CommandRow): string[] {
  if (answer === undefined) return ['Done.'];
  if (isRaw) return [JSON.stringify(answer)];
  return columns === undefined ? toValueLines(answer) : toListLines(answer, columns);
}

function toValueLines(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return [show(answer)];
  const [value, ...others] = Object.values(answer) as unknown[];
  return others.length === 0 ? toValueLines(value) : toFields(answer);
}

/** Finds the name of the list that an answer holds, and the list; undefined where there is none. */
export function findList(answer: unknown): readonly [name: string, rows: readonly unknown[]] | undefined {
  const entries = Object.entries(answer ?? {}) as [string, unknown][];
  for (const [name, rows] of entries) if (Array.isArray(rows)) return [name, rows];
  return undefined;
}

/** Lays out the list of an answer, and below it what else the answer holds. */
function toListLines(answer: unknown, columns: Columns): string[] {
  const [name, rows] = findList(answer) ?? ['', []];
  const table = createTable(Object.keys(columns).map((field) => ({ field })));
  const cells = rows.map((row) =>
    Object.fromEntries(Object.entries(columns).map(([column, path]) => [column, readPath(row, path)])),
  );
  const { [name]: _, ...others } = answer as Record<string, unknown>;
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
