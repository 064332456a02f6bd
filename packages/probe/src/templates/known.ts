import type { KeyOfIds } from './ids.ts';
import { addColon, type Micro, toMicro, writeMicro } from '@service/internal';

/** A value that is known from requests and earlier responses, and that a response can show in some form. */
export type Known =
  | { readonly kind: 'amount'; readonly micro: Micro }
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'count'; readonly count: number | null }
  /** A flag, or a value of a request. */
  | { readonly kind: 'json'; readonly json: unknown };

/** Known values by the name of their placeholder. */
export type KnownValues = Readonly<Record<string, Known>>;

/** The forms that the profile selects for values without words. */
export interface DefaultForms {
  readonly numbers: 'number' | 'string';
  /** The form of times; undefined without one. */
  readonly timestamps?: { readonly digits: number; readonly zone: string } | undefined;
  /** The value of times that no known value explains, if it is known. By default `updated_at`, or else `created_at`. */
  readonly time?: string;
  /** The value from which random ids that no known value explains follow. */
  readonly key?: KeyOfIds;
  /** Whether there is one sample of many, of which only words are the same in others. */
  readonly isOne?: boolean;
}

/** Returns whether a value is a text that names a kind of things, rather than one of them. */
export function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_ ]{1,32}$/.test(value);
}

/** The greatest difference of a time to the known one, in milliseconds. */
const TIME_TOLERANCE = 3_000;

/** Returns the placeholders that show a value, the simplest first. */
export function matchValue(value: unknown, [name, known]: [string, Known], forms: DefaultForms): string[] {
  return listWords(value, known, { ...forms, isRate: name === 'rate' }).map(
    (words) => `{${[name, ...words].join(' ')}}`,
  );
}

/** The default forms, and whether an amount is a rate, which is no money. */
type AmountForms = DefaultForms & { readonly isRate: boolean };

function listWords(value: unknown, known: Known, forms: AmountForms): string[][] {
  if (known.kind === 'amount') return matchAmount(value, known.micro, forms);
  if (known.kind === 'time') return matchTime(value, known.at, forms);
  if (known.kind === 'json') return isSameJson(value, known.json) ? [[]] : [];
  if (known.kind === 'count')
    return value === known.count ? [[]] : value === String(known.count) ? [['text']] : [];
  return matchText(value, known.text);
}

/** Returns whether two values are equal JSON. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

/** The forms in which services store a text: as it is, or without its spaces and hyphens, in one case. */
export const textForms: readonly (readonly [words: readonly string[], of: (text: string) => string])[] = [
  [[], (text) => text],
  [['upper'], (text) => text.toUpperCase()],
  [['lower'], (text) => text.toLowerCase()],
  [['compact'], compact],
  [['compact', 'upper'], (text) => compact(text).toUpperCase()],
  [['compact', 'lower'], (text) => compact(text).toLowerCase()],
];

function compact(text: string): string {
  return text.replaceAll(/[\s-]/g, '');
}

function matchText(value: unknown, text: string | null): string[][] {
  if (text === null) {
    if (value !== null && value !== '') return [];
    return textForms.map(([words]) => (value === null ? [...words] : [...words, 'empty']));
  }
  if (typeof value !== 'string' || (value.length < 2 && value !== text)) return [];
  // A service can write an empty text where the value is absent.
  return textForms
    .filter(([, of]) => of(text) === value)
    .flatMap(([words]) => [[...words], [...words, 'empty']]);
}

/** The signs with which amounts are written. */
const signs: readonly { readonly words: readonly string[]; readonly of: (micro: Micro) => Micro }[] = [
  { words: [], of: (micro) => micro },
  { words: ['abs'], of: (micro) => (micro < 0n ? -micro : micro) },
  { words: ['negative'], of: (micro) => (micro > 0n ? -micro : micro) },
];

function matchAmount(value: unknown, micro: Micro, forms: AmountForms): string[][] {
  const shown = toMicro(value);
  if (shown === undefined) return [];
  return signs.flatMap(({ words, of }) => {
    const signed = of(micro);
    if (words.length > 0 && signed === micro) return [];
    const inCents = typeof value === 'number' && shown === signed * 100n ? [[...words, 'cents']] : [];
    if (shown !== signed) return inCents;
    // A zero is the same in both units.
    return [...listNumberForms(value, signed, forms).map((form) => [...words, ...form]), ...inCents];
  });
}

function listNumberForms(value: unknown, micro: Micro, { numbers, isRate }: AmountForms): string[][] {
  if (typeof value === 'number') return [numbers === 'number' ? [] : ['number']];
  const short = writeMicro(micro);
  const [, decimals = ''] = short.split('.');
  const isFixed = value === `${short.split('.')[0]}.${decimals.padEnd(2, '0')}`;
  const forms = [...(value === short ? [['text']] : []), ...(isFixed ? [['fixed']] : [])];
  // Most services write money with all its decimals.
  if (!isRate) forms.reverse();
  return numbers === 'string' && value === short ? [[], ...forms] : forms;
}

/**
 * Reads the form of a timestamp. Its digits after the seconds are those of milliseconds, microseconds or nanoseconds:
 * many services leave out zeros at the end, so that the number of digits differs by chance.
 */
export function readTimestampForm(
  value: unknown,
): { readonly digits: number; readonly zone: string } | undefined {
  const [, fraction = '', zone] =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(
      typeof value === 'string' ? value : '',
    ) ?? [];
  return zone === undefined ? undefined : { digits: 3 * Math.ceil(fraction.length / 3), zone };
}

/** Reads a timestamp, with an offset with or without a colon. */
export function readTimestamp(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(addColon(value)) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Reads a time in any form, also as seconds or milliseconds since 1970. */
export function readTime(value: unknown): number | undefined {
  const form = readEpochForm(value);
  return form === undefined ? readTimestamp(value) : Number(value) * (form === 'unix' ? 1_000 : 1);
}

/** Returns the form of a number of seconds or milliseconds since 1970 between the years 2001 and 2286. */
export function readEpochForm(value: unknown): 'unix' | 'unix_ms' | undefined {
  if (!Number.isInteger(value)) return undefined;
  const { length } = String(value);
  return length === 10 ? 'unix' : length === 13 ? 'unix_ms' : undefined;
}

const DAY = 86_400_000;

/** Returns whether a value is a day such as `2026-01-31`. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
}

function matchTime(value: unknown, at: number, { timestamps }: DefaultForms): string[][] {
  const isNear = (time: number): boolean => Math.abs(time - at) <= TIME_TOLERANCE;
  if (typeof value === 'number')
    return isNear(value) ? [['unix_ms']] : isNear(value * 1_000) ? [['unix']] : [];
  if (isDay(value)) {
    const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d\d):?(\d\d)$/.exec(timestamps?.zone ?? '') ?? [];
    const shift = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    const days = Date.parse(value) / DAY - Math.floor((at + shift) / DAY);
    return days < 0 ? [] : [[...(days > 0 ? [`plus=${days}d`] : []), 'day']];
  }
  const form = readTimestampForm(value);
  const time = readTimestamp(value);
  if (form === undefined || time === undefined || !isNear(time)) return [];
  const isDefault = timestamps?.digits === form.digits && timestamps.zone === form.zone;
  return [isDefault ? [] : [`digits=${form.digits}`, `zone=${form.zone}`]];
}

/** A response, or a part of one, and the values that it may show. */
export interface Sample {
  readonly json: unknown;
  readonly known: KnownValues;
  /** The wallets that a part of the response may repeat. */
  readonly wallets?: readonly Wallet[];
}

/** A wallet, and its values. */
export interface Wallet {
  readonly currency: string;
  readonly known: KnownValues;
}

/** The place of a value in a response. */
export interface Place {
  /** The name of the field. */
  readonly key: string;
  readonly forms: DefaultForms;
  /** The fields whose values differ without an explanation. */
  readonly unexplained: Set<string>;
}
