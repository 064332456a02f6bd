const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Parses a date in the preferred form of HTTP (RFC 9110, section 5.6.7) into milliseconds; NaN for any other text. */
export function parseHttpDate(text: string): number {
  return httpDate.test(text) ? Date.parse(text) : Number.NaN;
}
