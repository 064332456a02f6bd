// Control characters, lone surrogates, and characters that turn the direction of a line around.
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;
const lineBreaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** Returns a text as one line without control characters, which would otherwise reach the terminal that shows a log. */
export function cleanText(text: string, longest: number): string {
  const short = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return short
    .replaceAll(lineBreaks, ' ')
    .replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
