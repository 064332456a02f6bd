const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text);
}

/**
 * Converts a timestamp to milliseconds since 1970: ISO 8601 with `Z`, `+00:00` or `+0000`, and optionally a
 * fraction of a second. Returns NaN for other text. A leap second counts as the second before it.
 */
export function parseTimestamp(text: string): number {
  if (!isTimestamp(text)) return Number.NaN;
  // The form that every engine parses: at most 59 s, milliseconds, a colon in the offset.
  const plain = text
    .replace(':60', ':59')
    .replace(/(\.\d{3})\d+/, '$1')
    .replace(/(\d\d)(\d\d)$/, '$1:$2');
  return Date.parse(plain);
}
