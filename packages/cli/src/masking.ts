const wholeKey = /(service_(?:test|live)_)([^\s"'\\…]+)/g;

/** Strikes API keys out of a text: `service_test_…` and the last four characters stay, of a short key none. */
export function maskKeys(text: string): string {
  return text.replaceAll(wholeKey, (_, prefix: string, rest: string) =>
    rest.length < 16 ? `${prefix}…` : `${prefix}…${rest.slice(-4)}`,
  );
}

// Control characters, line separators, and what turns the direction of a line around.
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Writes out characters that would steer a terminal, so that text from elsewhere stays text. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
