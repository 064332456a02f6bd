/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parses text as JSON. Returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses text as a JSON object. Returns undefined if it is anything else. */
export function parseObject(text: string): Fields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a copy of an object, or `{}` for any other value. */
export function toRecord(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
