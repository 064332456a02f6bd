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

/** Reads JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Writes a flat object as JSON; the fields in `exact` are written as numbers by their decimal text (`'100.00'` becomes
 * `100.00`), so that no figure passes through a float.
 */
export function toJson(fields: object, exact: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(
    ([name, value]) => `${JSON.stringify(name)}:${exact[name] ?? JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
