/** Holds a JSON object whose fields are yet to be looked at. */
export type JsonObject = Record<string, unknown>;

/** Tells whether a value is an object with named fields. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies the fields that an object itself has: each is read once, and a polluted prototype adds none. */
export function copyOwn(value: object): JsonObject {
  return Object.assign(Object.create(null) as JsonObject, value);
}

/** Returns null for what stands for nothing: an optional field that is absent, null or empty (contract.md 8). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/** Reads fields that are optional, each null where it stands for nothing. */
export function pickOrNull(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, orNull(record[name])]));
}

/** Reads JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads a list of objects one by one; undefined when it is no list, or when one of them cannot be read. */
export function readRows<T>(
  rows: unknown,
  read: (row: JsonObject, index: number) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(rows)) return undefined;
  const all = rows.map((row: unknown, index) => (isRecord(row) ? read(row, index) : undefined));
  return all.includes(undefined) ? undefined : (all as T[]);
}
