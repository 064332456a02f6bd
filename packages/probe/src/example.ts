// Examples: JSON in which known values are replaced by placeholders. What differs between two responses and is no known value
// is left out and named.
import { type Micro, type TimestampForm, toMicro, writeMicro } from '@service/internal';
import type { Call } from './call.ts';
import { readTime, readTimestampForm } from './time.ts';
import { findUsual } from './usual.ts';

/** A value that a response can show. */
export type Fact =
  | { readonly kind: 'amount'; readonly micro: Micro | undefined }
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'count'; readonly count: number | null }
  | { readonly kind: 'flag'; readonly flag: boolean }
  /** A time that is only known to lie within limits, in milliseconds. */
  | { readonly kind: 'time'; readonly from: number; readonly to: number }
  /** A path with a query: `query` are the parameters that it must have. */
  | { readonly kind: 'link'; readonly query: Readonly<Record<string, string>> | null };

/** The values that a response can show, by placeholder, in the order of preference. */
export type Facts = Readonly<Record<string, Fact>>;

export const textFact = (text: unknown): Fact => ({
  kind: 'text',
  text: typeof text === 'string' ? text : null,
});

/** The values that every response can show. */
export function listCommonFacts({ response, start, end }: Call): Facts {
  const id = response.headers.get('x-request-id');
  return {
    mode: textFact('test'),
    ...(id !== null && { request_id: textFact(id) }),
    now: { kind: 'time', from: start - 3_600_000, to: end + 3_600_000 },
  };
}

/** A response, or a part of one, and its values. */
export interface Sample {
  readonly json: unknown;
  readonly facts: Facts;
}

/** The forms of values that a service uses without a word for them. */
export interface Forms {
  readonly numbers: 'number' | 'string';
  readonly timestamps: TimestampForm | undefined;
  readonly absent: unknown;
}

/** An example, and the paths of its fields that nothing explains. */
export interface LearnedExample {
  readonly example: unknown;
  readonly unexplained: readonly string[];
}

const ABSENT = Symbol('absent');

/** Whether a value is an object or an array. */
const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns the names of the fields, or the places of the elements, of which a value of several has one. */
const listNames = (values: readonly object[]): string[] => [...new Set(values.flatMap(Object.keys))];

const fieldOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : ABSENT;

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Learns an example from samples of one shape. With `isLikely`, a field that all have and nothing explains is what most show. */
export function learnExample(samples: readonly Sample[], forms: Forms, isLikely = false): LearnedExample {
  const unexplained: string[] = [];
  const learn = (values: readonly unknown[], path: string): unknown => {
    const present = values.filter((value) => value !== ABSENT);
    const isWhole = present.length === values.length;
    if (present.length > 0 && present.every(isContainer)) {
      const lengths = present.map((one) => (Array.isArray(one) ? one.length : undefined));
      if (!isWhole || new Set(lengths).size > 1) {
        unexplained.push(path);
        return ABSENT;
      }
      const fields = listNames(present).map((name): [string, unknown] => [
        name,
        learn(
          present.map((one) => fieldOf(one, name)),
          join(path, name),
        ),
      ]);
      const known = fields.filter(([, value]) => value !== ABSENT);
      return lengths[0] === undefined ? Object.fromEntries(known) : known.map(([, value]) => value);
    }
    if (values.every((value) => value === null)) return null;
    const placeholders = values.map((value, index) =>
      listPlaceholders(value, samples[index]?.facts ?? {}, forms),
    );
    const shared = placeholders[0]?.find((text) => placeholders.every((one) => one.includes(text)));
    const [value] = values;
    if (shared !== undefined) return shared;
    const isConstant = values.every((one) => JSON.stringify(one) === JSON.stringify(value));
    if (isWhole && isConstant && (samples.length > 1 || isWord(value))) return escape(value);
    unexplained.push(path);
    const preferred = placeholders.flatMap((one) => one.slice(0, 1));
    // A running balance needs all rows before it.
    const named = /balance(?:_?after)?$/i.test(path) ? '{balance_after}' : undefined;
    const usual = isLikely && isWhole ? (findUsual(preferred, (text) => text) ?? named) : undefined;
    return findOptional(values, samples) ?? findWords(values, samples) ?? usual ?? ABSENT;
  };
  const example = learn(
    samples.map(({ json }) => json),
    '',
  );
  return { example: example === ABSENT ? {} : example, unexplained };
}

/** Finds the text that the values are wherever it is known. Where it is absent, they can be anything. */
function findOptional(values: readonly unknown[], samples: readonly Sample[]): string | undefined {
  const found = Object.keys(samples[0]?.facts ?? {}).find((name) => {
    const known = values.flatMap((value, index) => {
      const fact = samples[index]?.facts[name];
      return fact?.kind === 'text' && fact.text !== null ? [fact.text === value] : [];
    });
    return known.length > 0 && !known.includes(false);
  });
  return found === undefined ? undefined : `{${found}}`;
}

/** Finds the words that a service has for the statuses that the samples show, such as `{status completed=SETTLED failed=RETURNED}`. */
function findWords(values: readonly unknown[], samples: readonly Sample[]): string | undefined {
  const words = new Map<string, string>();
  for (const [index, value] of values.entries()) {
    const status = samples[index]?.facts.status;
    if (status?.kind !== 'text' || status.text === null) return undefined;
    if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) return undefined;
    if ((words.get(status.text) ?? value) !== value) return undefined;
    words.set(status.text, value);
  }
  if (new Set(words.values()).size < 2) return undefined;
  return `{status ${[...words].map((entry) => entry.join('=')).join(' ')}}`;
}

/** Whether a value that was seen once is likely to be a constant: no number, id or time. */
const isWord = (value: unknown): boolean =>
  typeof value === 'boolean' || value === null || (typeof value === 'string' && !/\d/.test(value));

const escape = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('{', '{{') : value);

/** Returns the paths at which a sample is not what an example writes. */
export function listDifferences(
  example: unknown,
  { json, facts }: Sample,
  forms: Forms,
  path = '',
): string[] {
  if (isContainer(example) && isContainer(json) && Array.isArray(example) === Array.isArray(json))
    return listNames([example, json]).flatMap((name) =>
      Object.hasOwn(example, name)
        ? listDifferences(example[name], { json: fieldOf(json, name), facts }, forms, join(path, name))
        : [join(path, name)],
    );
  const isEqual = escape(json) === example || listPlaceholders(json, facts, forms).includes(String(example));
  return isEqual ? [] : [path];
}

/** Returns the paths at which samples are not what an example writes, but for those that nothing explains. */
export function listUnlike(
  { example, unexplained }: LearnedExample = { example: undefined, unexplained: [''] },
  samples: readonly Sample[],
  forms: Forms,
): string[] {
  return samples
    .flatMap((sample) => listDifferences(example, sample, forms))
    .filter((path) => !unexplained.some((one) => path.startsWith(one)));
}

/** Returns the placeholders that write a value, the preferred ones first. */
function listPlaceholders(value: unknown, facts: Facts, forms: Forms): string[] {
  const entries = Object.entries(facts);
  const whole = entries.flatMap(([name, fact]) =>
    listForms(value, fact, forms).map((words) => `{${[name, ...words].join(' ')}}`),
  );
  if (typeof value !== 'string') return whole;
  const inner = entries.flatMap(([name, fact]) => {
    const text = fact.kind === 'text' ? fact.text : null;
    return text !== null && text.length > 3 && value !== text && value.includes(text)
      ? [value.replaceAll('{', '{{').replaceAll(text, `{${name}}`)]
      : [];
  });
  return [...whole, ...inner];
}

/** Returns the name of the form of an absent text. */
const nameOf = (value: unknown): string | undefined =>
  value === ABSENT ? 'omit' : value === null ? 'null' : value === '' ? 'empty' : undefined;

/** Returns the forms with which a fact writes a value. */
function listForms(value: unknown, fact: Fact, forms: Forms): string[][] {
  if (fact.kind === 'amount') return listAmountForms(value, fact.micro, forms);
  if (fact.kind === 'time') return listTimeForms(value, fact, forms);
  if (fact.kind === 'link') return listLinkForms(value, fact.query);
  if (fact.kind === 'flag') return value === fact.flag ? [[]] : [];
  if (fact.kind === 'count') {
    if (fact.count === null) return value === null ? [[]] : [];
    return value === fact.count ? [[]] : value === String(fact.count) ? [['text']] : [];
  }
  if (fact.text === null) return nameOf(value) === (forms.absent ?? 'null') ? [[]] : [];
  return value === fact.text ? [[]] : [];
}

/** Returns the forms of an amount: with its sign, positive or negative, in hundredths or as text. */
function listAmountForms(value: unknown, micro: Micro | undefined, { numbers }: Forms): string[][] {
  if (typeof value !== 'number' && typeof value !== 'string') return [];
  const shown = toMicro(value);
  if (shown === undefined || micro === undefined) return [];
  const positive = micro < 0n ? -micro : micro;
  const signs: [string[], Micro][] = [
    [[], micro],
    [['positive'], positive],
    [['negative'], -positive],
  ];
  return signs.flatMap(([words, signed]): string[][] => {
    const inCents =
      shown === signed * 100n && signed !== 0n
        ? [[...words, 'cents', ...(typeof value === 'string' ? ['text'] : [])]]
        : [];
    if (shown !== signed) return inCents;
    if (typeof value === 'number') return [[...words, ...(numbers === 'number' ? [] : ['number'])]];
    const isPlain = numbers === 'string' && value === writeMicro(signed);
    const isFixed = /\.\d\d$/.test(value);
    // Of an amount with two decimals, another one shows whether it always has two.
    return [
      ...(isPlain ? [words] : []),
      ...(isFixed ? [[...words, 'fixed']] : []),
      ...(isPlain || isFixed ? [] : [[...words, 'text']]),
    ];
  });
}

function listTimeForms(
  value: unknown,
  { from, to }: { readonly from: number; readonly to: number },
  { timestamps }: Forms,
): string[][] {
  const time = readTime(value);
  if (time === undefined || time < from || time > to) return [];
  if (typeof value === 'number') return [[value === time ? 'unix_ms' : 'unix']];
  const form = readTimestampForm(value);
  return form && timestamps && form.zone === timestamps.zone && form.digits === timestamps.digits ? [[]] : [];
}

function listLinkForms(value: unknown, query: Readonly<Record<string, string>> | null): string[][] {
  if (query === null) return value === null ? [[]] : [];
  if (typeof value !== 'string' || !value.includes('?')) return [];
  const given = Object.fromEntries(new URLSearchParams(value.slice(value.indexOf('?'))));
  const isSame = Object.keys({ ...given, ...query }).every((name) => given[name] === query[name]);
  return isSame ? [/^https?:/.test(value) ? ['url'] : []] : [];
}
