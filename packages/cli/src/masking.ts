const wholeKey = /(service_(?:test|live)_)([^\s"'\\…]+)/g;

/** Masks API keys in a text as `service_test_…` and the last four characters, or none of a short key. */
export function maskKeys(text: string): string {
  return text.replaceAll(wholeKey, (_, prefix: string, rest: string) =>
    rest.length < 16 ? `${prefix}…` : `${prefix}…${rest.slice(-4)}`,
  );
}

// Control characters, line separators and characters that change the text direction.
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Escapes the characters that control a terminal, because text of a service must not. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
