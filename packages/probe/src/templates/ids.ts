/** The forms of random parts, from the most particular one. */
const alphabets: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['digits', /^\d+$/],
  ['hex', /^[0-9a-f]+$/],
  ['lower', /^[0-9a-z]+$/],
  ['upper', /^[0-9A-Z]+$/],
  ['base62', /^[0-9A-Za-z]+$/],
];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The fewest characters that are random rather than a word or a counter. */
const [MIN_RANDOM, MIN_DIGITS] = [12, 16];

/**
 * Learns the form of the part of ids after a prefix: one random part, or groups of one alphabet between separators, also with
 * the day of the ids and groups that all of
 * them share. Returns undefined if they have another form, such as a different length.
 */
export function learnIdForm(ids: readonly string[], prefix: string): string | undefined {
  const parts = ids.map((id) => (id.startsWith(prefix) ? id.slice(prefix.length) : ''));
  const [first = ''] = parts;
  if (parts.every((part) => UUID.test(part))) return '{uuid}';
  if (parts.every((part) => ULID.test(part))) return '{ulid}';
  const shape = toShape(first);
  if (parts.some((part) => toShape(part) !== shape)) return undefined;
  const groups = parts.map((part) => part.split(SEPARATOR));
  const shared = (groups[0] ?? []).map((text, index) =>
    groups.length > 1 && groups.every((group) => group[index] === text) ? text : undefined,
  );
  const dates = shared.filter((text) => DATE.test(text ?? ''));
  const random = groups.flatMap((group) => group.filter((_, index) => shared[index] === undefined)).join('');
  const [name] = alphabets.find(([, pattern]) => pattern.test(random)) ?? [];
  const length = random.length / groups.length + dates.join('').length;
  if (name === undefined || length < (name === 'digits' ? MIN_DIGITS : MIN_RANDOM)) return undefined;
  const counts = shape.match(/\d+/g) ?? [];
  const forms = counts.map((count, index) => {
    const text = shared[index];
    if (text === undefined) return `{${name} ${count}}`;
    return DATE.test(text) ? '{date}' : text;
  });
  return shape.replaceAll(/\d+/g, () => forms.shift() ?? '');
}

const SEPARATOR = /[_.-]/;
/** A day such as `20260131`. */
const DATE = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/** Replaces each group by its length: `10-8-8`. */
function toShape(part: string): string {
  return part.replaceAll(/[^_.-]+/g, (group) => String(group.length));
}

/** Numbers that count, after a prefix and with a number of digits if they start with zeros. */
export interface CountingIds {
  readonly prefix: string;
  readonly digits: number | undefined;
}

const MAX_PREFIX = 12;

/** Reads ids that are numbers after the same prefix. Undefined for other ids. */
export function readCountingIds(ids: readonly string[]): CountingIds | undefined {
  const parts = ids.map((id) => /^(.*?\D|)(\d{1,9})$/.exec(id));
  const [prefixes, digits] = [1, 2].map((group) => new Set(parts.map((part) => part?.[group])));
  const [prefix] = prefixes ?? [];
  if (prefix === undefined || prefixes?.size !== 1 || prefix.length > MAX_PREFIX) return undefined;
  const lengths = new Set([...(digits ?? [])].map((each) => each?.length));
  const isPadded = [...(digits ?? [])].some((each) => each?.startsWith('0'));
  if (isPadded && lengths.size > 1) return undefined;
  return { prefix, digits: isPadded ? [...lengths][0] : undefined };
}

/** Learns the form of the ids of transactions. Undefined if they have none, or are those of the payments. */
export function learnRowIdForm(ids: readonly string[]): string | undefined {
  if (new Set(ids).size < 2) return undefined;
  const counting = readCountingIds(ids);
  if (counting !== undefined) {
    const number = counting.digits === undefined ? '{number}' : `{number ${counting.digits}}`;
    return `${toPrefix(counting.prefix)}${number}`;
  }
  const prefixes = new Set(ids.map((id) => /^(?:[A-Za-z]+[_-])*/.exec(id)?.[0] ?? ''));
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [];
  const form = prefix.startsWith('pay_') ? undefined : learnIdForm(ids, prefix);
  return form === undefined ? undefined : `${toPrefix(prefix)}${form}`;
}

/** A value from whose text the mock derives random ids, and the number of base62 characters that it has by itself. */
export interface KeyOfIds {
  readonly name: string;
  readonly length?: number;
  /** Whether another setting has the form of the value itself. */
  readonly hasForm?: boolean;
}

/** Learns the form of ids that are all different, such as `req_{request_id hex=24}`. Undefined for other texts. */
export function learnKeyForm(ids: readonly unknown[], { name, length }: KeyOfIds): string | undefined {
  const texts = ids.filter((id) => typeof id === 'string');
  if (texts.length < ids.length || new Set(texts).size < texts.length) return undefined;
  const prefixes = new Set(texts.map((text) => PREFIX.exec(text)?.[0] ?? ''));
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [];
  const form = learnRandomDigits(texts, prefix) ?? learnIdForm(texts, prefix);
  if (form === undefined || form.includes('{date}')) return undefined;
  const keyed = form.replaceAll(/\{(\w+)(?: (\d+))?\}/g, (_, alphabet: string, count: string | undefined) => {
    if (count === undefined) return `{${name} ${alphabet}}`;
    const isWhole = Number(count) === length;
    if (isWhole && alphabet === 'base62') return `{${name}}`;
    return isWhole && (alphabet === 'lower' || alphabet === 'upper')
      ? `{${name} ${alphabet}}`
      : `{${name} ${alphabet}=${count}}`;
  });
  return prefix.replaceAll('{', '{{') + keyed;
}

/** The words before a random part, or the letters before digits. */
const PREFIX = /^(?:[A-Za-z]+[_-])*(?:[A-Za-z]+(?=\d+$))?/;

/** Returns the form of digits after a prefix whose first ones differ, so that they neither count nor are times. */
function learnRandomDigits(ids: readonly string[], prefix: string): string | undefined {
  const parts = ids.map((id) => id.slice(prefix.length));
  const [{ length } = ''] = parts;
  const isDigits = parts.every((part) => /^\d+$/.test(part) && part.length === length);
  const isRandom = new Set(parts.map((part) => part.slice(0, 2))).size > 1;
  return isDigits && isRandom && length >= MIN_RANDOM ? `{digits ${length}}` : undefined;
}

function toPrefix(text: string): string {
  return text.replaceAll('{', '{{').replace(/(?<![A-Za-z])test(?![A-Za-z])/, '{mode}');
}
