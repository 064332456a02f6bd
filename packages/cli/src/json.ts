/** Holds the fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parses text as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses text as a JSON object; undefined where it is none. */
export function parseObject(text: string): Fields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Tells whether a value is an object of fields, and no list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a value as an object of fields; what is none has none. */
export function toRecord(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
