const TIMESTAMP =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60)(\.\d{1,9})?(?:Z|([+-](?:[01]\d|2[0-3])):?([0-5]\d))$/;

/** Tells whether a text has the form of a timestamp (contract.md 8). */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text);
}

/**
 * Converts a timestamp to milliseconds since 1970, or NaN when it is none: ISO 8601 with `Z`, `+00:00` or `+0000`,
 * perhaps with a fraction of a second (contract.md 8). A leap second counts as the one before it.
 */
export function parseTimestamp(text: string): number {
  const [, upToSeconds, seconds, fraction = '', hours, minutes] = TIMESTAMP.exec(text) ?? [];
  if (upToSeconds === undefined) return Number.NaN;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  return Date.parse(`${upToSeconds}${seconds === '60' ? '59' : seconds}${fraction.slice(0, 4)}${offset}`);
}
