// Control characters, lone surrogates, and characters that change the direction of a line.
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;
const lineBreaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** Converts a text to one line without control characters: a terminal that shows a log would execute them. */
export function cleanText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short
    .replaceAll(lineBreaks, ' ')
    .replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
