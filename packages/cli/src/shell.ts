// The characters that `output.ts` escapes, because they control a terminal.
const controlCharacters = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

/**
 * Quotes a text as one word of a POSIX shell, on one line of printable characters. In a text with control characters,
 * line breaks at its end are lost: `$(…)` strips them.
 */
export function quote(text: string): string {
  if (/^[\w./:@%+-]+$/.test(text)) return text;
  if (!controlCharacters.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // `printf` reads a leading dash as an option, and an interactive shell expands an exclamation mark.
  const format = Array.from(text, toFormat).join('').replace(/^-/, toOctal).replaceAll('!', toOctal);
  return `"$(printf '${format}')"`;
}

/** Escapes a character for the format of `printf`, within single quotes. */
function toFormat(character: string): string {
  if (character === '%') return '%%';
  if (!/['\\]/.test(character) && !controlCharacters.test(character)) return character;
  return toOctal(character);
}

function toOctal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
