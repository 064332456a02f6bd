// Characters that a terminal would obey, and that the gate to the streams writes out.
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

/**
 * Quotes a text as one word of a POSIX shell, on one line and in characters that a terminal shows. Line breaks at its end
 * are lost where it holds control characters: `$(…)` strips them.
 */
export function quote(text: string): string {
  if (/^[\w./:@%+-]+$/.test(text)) return text;
  if (!steering.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // A dash in front would be an option of `printf`, and an exclamation mark calls up the history of an interactive shell.
  const format = Array.from(text, toFormat).join('').replace(/^-/, toOctal).replaceAll('!', toOctal);
  return `"$(printf '${format}')"`;
}

/** Writes a character as `printf` of any shell reads it in its format, between single quotes. */
function toFormat(character: string): string {
  if (character === '%') return '%%';
  if (!/['\\]/.test(character) && !steering.test(character)) return character;
  return toOctal(character);
}

function toOctal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
