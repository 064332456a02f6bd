import { type JsonObject, isRecord } from '@service/internal';

/** Returns null for an optional field that is absent, null or empty (docs/contract.md#profile-settings). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/** Returns the named optional fields, with null for an absent or empty one. */
export function pickOrNull(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, orNull(record[name])]));
}

/** Converts a list of objects. Returns undefined if it is not a list, or if an item cannot be converted. */
export function readRows<T>(
  rows: unknown,
  read: (row: JsonObject, index: number) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(rows)) return undefined;
  const all = rows.map((row: unknown, index) => (isRecord(row) ? read(row, index) : undefined));
  return all.includes(undefined) ? undefined : (all as T[]);
}
