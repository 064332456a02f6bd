/** A JSON object whose fields have not been checked. */
export type JsonObject = Record<string, unknown>;

/** Returns whether a value is an object and not an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies the own fields of an object. Reads each field once, and none of a polluted prototype. */
export function copyOwn(value: object): JsonObject {
  return Object.assign(Object.create(null) as JsonObject, value);
}

/** Returns null for an optional field that is absent, null or empty (docs/contract.md#profile-settings). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/** Returns the named optional fields, with null for an absent or empty one. */
export function pickOrNull(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, orNull(record[name])]));
}

/** Parses JSON text. Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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
