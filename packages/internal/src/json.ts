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

/** Reads a field of an object once, and none of a polluted prototype. */
export function readOwn(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Parses JSON text. Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses JSON text. Returns undefined for anything but an object. */
export function parseRecord(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** Returns a copy of an object, or `{}` for any other value. */
export function toRecord(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
