const KEY = /service_(test|live)_[^\s"'\\<>&?#/,;:()[\]{}|]+/gi;
const ESCAPED = /%([3-7][\da-f])|\\u00([3-7][\da-f])/gi;
const SECRET_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);

/** Strikes out of a text all that looks like an API key, however its letters are escaped. */
export function redactKeys(text: string): string {
  const plain = replaceKeys(text);
  const revealed = plain.replaceAll(ESCAPED, (escape, ...digits: (string | undefined)[]) => {
    const character = String.fromCharCode(Number.parseInt(digits[0] ?? digits[1] ?? '', 16));
    return /\w/.test(character) ? character : escape;
  });
  const redacted = replaceKeys(revealed);
  // A text without an escaped key stays as it was written.
  return redacted === revealed ? plain : redacted;
}

/** Redacts a header by its lower-case name: some wholly, in any other what looks like an API key. */
export function redactHeader(name: string, value: string): string {
  return SECRET_HEADERS.has(name) ? '[redacted]' : redactKeys(value);
}

function replaceKeys(text: string): string {
  return text.replaceAll(KEY, (_, mode: string) => `service_${mode}_[redacted]`);
}
