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
/** A day such as `20260131`. */
const DATE = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/** The fewest characters that are random rather than a word or a counter. */
const [MIN_RANDOM, MIN_DIGITS] = [12, 16];
/** The fewest ids that show a form with fewer characters, also if they count, and those characters; of digits after letters. */
const [MANY, MIN_CODE, MIN_NUMBER] = [4, 6, 3];

/**
 * Learns the form of the part of ids after a prefix: one random part, or groups of one alphabet between separators, also with
 * the day of the ids and groups that all of them share. `hasCodes`: also of a few characters. Undefined for another form, such
 * as one with different lengths.
 */
export function learnIdForm(ids: readonly string[], prefix: string, hasCodes = true): string | undefined {
  const parts = ids.map((id) => (id.startsWith(prefix) ? id.slice(prefix.length) : ''));
  if (parts.every((part) => UUID.test(part))) return '{uuid}';
  if (parts.every((part) => ULID.test(part))) return '{ulid}';
  const [shape = '', ...shapes] = new Set(parts.map((part) => part.replaceAll(/[^_.-]/g, 'x')));
  if (shapes.length > 0) return undefined;
  const groups = parts.map((part) => part.split(/[_.-]/));
  const shared = (groups[0] ?? []).map((text, index) =>
    groups.length > 1 && groups.every((group) => group[index] === text) ? text : undefined,
  );
  const random = groups.map((group) => group.filter((_, index) => shared[index] === undefined).join(''));
  const [name] = alphabets.find(([, pattern]) => random.every((text) => pattern.test(text))) ?? [];
  const days = shared.filter((text) => DATE.test(text ?? '')).join('');
  const length = (random[0]?.length ?? 0) + days.length;
  // Random digits start with different ones; those of a counter or of a time do not.
  const isSpread = new Set(random.map((text) => text.slice(0, 2))).size > 1 && shared.length === 1;
  const hasDigits = new Set(random.map((text) => /\d/.test(text)));
  const isCode = hasCodes && ids.length >= MANY && (isSpread ? hasDigits.has(true) : !hasDigits.has(false));
  const isNumber = name === 'digits' && /^(?!pay_).*[A-Za-z]/.test(prefix);
  const short = name !== 'digits' ? MIN_CODE : isNumber ? MIN_NUMBER : MIN_DIGITS;
  const least = isCode ? short : name === 'digits' && !isSpread ? MIN_DIGITS : MIN_RANDOM;
  if (name === undefined || length < least) return undefined;
  let index = 0;
  return shape.replaceAll(/x+/g, (group) => {
    const text = shared[index++];
    if (text === undefined) return `{${name} ${group.length}}`;
    return DATE.test(text) ? '{date}' : text;
  });
}

/** Learns the form of the ids of transactions. Undefined if they have none, or are those of the payments. */
export function learnRowIdForm(ids: readonly string[]): string | undefined {
  const prefixes = new Set(ids.map((id) => /^(?:[A-Za-z]+[_-])*/.exec(id)?.[0] ?? ''));
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [];
  if (ids.length < 2 || new Set(ids).size < ids.length || prefix.startsWith('pay_')) return undefined;
  const numbers = ids.map((id) => id.slice(prefix.length));
  const lengths = new Set(numbers.map((number) => number.length));
  const isPadded = numbers.some((number) => number.startsWith('0'));
  const isCounting = numbers.every((number) => /^\d{1,9}$/.test(number)) && !(isPadded && lengths.size > 1);
  const counted = isPadded ? `{number ${[...lengths][0]}}` : '{number}';
  const form = isCounting ? counted : learnIdForm(ids, prefix);
  const named = prefix.replaceAll('{', '{{').replace(/(?<![A-Za-z])test(?![A-Za-z])/, '{mode}');
  return form === undefined ? undefined : named + form;
}

/** A value from whose text the mock derives random ids. */
export interface KeyOfIds {
  readonly name: string;
  /** Whether another setting has the form of the value itself. */
  readonly hasForm?: boolean;
}

/** The words before a random part, or the letters before digits. */
const PREFIX = /^(?:[A-Za-z]+[ _-])*(?:[A-Za-z]+(?=\d+$))?/;

/** Learns the form of ids that are all different, such as `req_{request_id hex=24}`. Undefined for other texts. */
export function learnKeyForm(ids: readonly unknown[], { name }: KeyOfIds): string | undefined {
  const texts = ids.filter((id) => typeof id === 'string');
  if (texts.length < ids.length || new Set(texts).size < texts.length) return undefined;
  // The last part of a path can be an id.
  const folder = texts[0]?.slice(0, texts[0].lastIndexOf('/') + 1) ?? '';
  const prefixes = new Set(
    texts.map((text) =>
      text.startsWith(folder) ? folder + (PREFIX.exec(text.slice(folder.length))?.[0] ?? '') : '',
    ),
  );
  // A random part can begin like a prefix.
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [folder];
  // The ids of requests of the mock are short too.
  const form = learnIdForm(texts, prefix, name !== 'request_id');
  if (!form || form.includes('{date}')) return undefined;
  const keyed = form.replaceAll(/\{(\w+)(?: (\d+))?\}/g, (_, alphabet: string, count?: string) =>
    count === undefined ? `{${name} ${alphabet}}` : `{${name} ${alphabet}=${count}}`,
  );
  return prefix.replaceAll('{', '{{') + keyed;
}
