/** The forms of random parts, from the most particular one, each with the length that the mock can write. */
const forms: readonly (readonly [name: string, pattern: RegExp, length: number])[] = [
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 36],
  ['ulid', /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 26],
  ['digits', /^\d{16,}$/, 0],
  ['hex', /^[0-9a-f]{12,}$/, 0],
  ['lower', /^[0-9a-z]{12,}$/, 0],
  ['upper', /^[0-9A-Z]{12,}$/, 0],
  ['base62', /^[0-9A-Za-z]{12,}$/, 0],
];

/**
 * Learns the form of the part of ids after a prefix. Returns undefined if they have another form, such as a different
 * length.
 */
export function learnIdForm(ids: readonly string[], prefix: string): string | undefined {
  const parts = ids.map((id) => (id.startsWith(prefix) ? id.slice(prefix.length) : ''));
  const [length = 0] = parts.map((part) => part.length);
  if (length === 0 || parts.some((part) => part.length !== length)) return undefined;
  const form = forms.find(([, pattern]) => parts.every((part) => pattern.test(part)));
  if (form === undefined) return undefined;
  const [name, , fixed] = form;
  return fixed > 0 ? `{${name}}` : `{${name} ${length}}`;
}
