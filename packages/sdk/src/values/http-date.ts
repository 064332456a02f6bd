const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Parses an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7) into milliseconds. Returns NaN for any other
 * text.
 */
export function parseHttpDate(text: string): number {
  return httpDate.test(text) ? Date.parse(text) : Number.NaN;
}
