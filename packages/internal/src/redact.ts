const KEY = /service_(test|live)_[^\s"'\\<>&?#/,;:()[\]{}|]+/gi;
const ESCAPED = /%([3-7][\da-f])|\\u00([3-7][\da-f])/gi;

/** Redacts API keys in a text, including percent-encoded and Unicode-escaped ones. */
export function redactKeys(text: string): string {
  const plain = replaceKeys(text);
  const revealed = plain.replaceAll(ESCAPED, (escape, ...digits: (string | undefined)[]) => {
    const character = String.fromCharCode(Number.parseInt(digits[0] ?? digits[1] ?? '', 16));
    return /\w/.test(character) ? character : escape;
  });
  const redacted = replaceKeys(revealed);
  // A text without an escaped key keeps its spelling.
  return redacted === revealed ? plain : redacted;
}

function replaceKeys(text: string): string {
  return text.replaceAll(KEY, (_, mode: string) => `service_${mode}_[redacted]`);
}
