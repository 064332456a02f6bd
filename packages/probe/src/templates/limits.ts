import { findValues } from '@service/internal';
import { readTimestamp, readTimestampForm } from './known.ts';

/** The headers of a response and its time, in the order of the requests. */
export interface HeaderReading {
  readonly headers: Headers;
  /** In milliseconds; only differences between readings count. */
  readonly at: number;
}

/** Returns whether a constant number can be that of all requests of a window, whose largest rest is `most`. */
function isLimit(number: number, most: number, readings: readonly HeaderReading[]): boolean {
  return number >= most && number <= most + readings.length;
}

/**
 * Learns the headers with numbers of a rate limit, whatever their names: the requests that are left, which decrease with
 * each request, and the rest of the window, which decreases with time, as seconds or as the time of its end. Also learns
 * headers with the time of the response. Constant headers and others that change are left out.
 */
export function learnLimits(readings: readonly HeaderReading[]): ReadonlyMap<string, string> {
  const [first] = readings;
  const names = [...(first?.headers.keys() ?? [])].filter(
    (name) => name !== 'date' && readings.every(({ headers }) => headers.has(name)),
  );
  return new Map(
    names.flatMap((name) => {
      const values = readings.map(({ headers, at }) => ({
        text: headers.get(name) ?? '',
        at,
        date: readDate(headers, at),
      }));
      const template = learnTime(values) ?? learnNumbers(values, name);
      return template === undefined ? [] : [[name, template] as const];
    }),
  );
}

/** A value of a header, its time, and the time on the clock of the service. */
interface Reading {
  readonly text: string;
  readonly at: number;
  readonly date: number;
}

/** Reads the time of a response on the clock of the service. */
function readDate(headers: Headers, at: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? at : date;
}

const isConstant = (values: readonly unknown[]): boolean => new Set(values).size === 1;

/** The longest window, and the greatest difference between the time of a response and its `Date`, in milliseconds. */
const [MAX_WINDOW, NOW] = [86_400_000, 2_000];

/** Learns a text that is a time: that of the end of the window, or of the response. */
function learnTime(values: readonly Reading[]): string | undefined {
  const forms = values.map(({ text }) => toTimeForm(text));
  const [form] = forms;
  if (form === undefined || !isConstant(forms)) return undefined;
  return nameTime(
    values.map(({ text, date }) => readTime(text) - date),
    form,
  );
}

function readTime(text: string): number {
  if (/^1\d{9}$/.test(text)) return Number(text) * 1_000;
  if (/^1\d{12}$/.test(text)) return Number(text);
  return text.endsWith(' GMT') ? Date.parse(text) : (readTimestamp(text) ?? Number.NaN);
}

function toTimeForm(text: string): string | undefined {
  if (/^1\d{9}$/.test(text)) return 'unix';
  if (/^1\d{12}$/.test(text)) return 'unix_ms';
  if (text.endsWith(' GMT')) return 'http';
  const form = readTimestampForm(text);
  return form && `digits=${form.digits} zone=${form.zone}`;
}

/** Returns the placeholder of a time by its distances from the time of the response. Undefined for a time that is neither now nor later. */
function nameTime(distances: readonly number[], form: string): string | undefined {
  if (distances.every((distance) => Math.abs(distance) <= NOW)) return `{now ${form}}`;
  const isLater = distances.every((distance) => distance >= -NOW && distance <= MAX_WINDOW);
  return isLater ? `{reset_at ${form}}` : undefined;
}

/** Learns the numbers of a text that change. Undefined if one of them has no explanation. */
function learnNumbers(values: readonly Reading[], name: string): string | undefined {
  const parts = values.map(({ text }) => text.split(/(\d+)/));
  const [first = []] = parts;
  if (isConstant(values.map(({ text }) => text)) || parts.some((each) => each.length !== first.length))
    return undefined;
  const learned = first.map((part, index) => {
    const column = parts.map((each) => each[index] ?? '');
    if (isConstant(column)) return part.replaceAll('{', '{{');
    // The text between two numbers.
    if (index % 2 === 0) return undefined;
    const numbers = values.map(({ at, date }, row) => ({ at, date, number: Number(column[row]) }));
    return learnNumber(numbers, `${name} ${first[index - 1] ?? ''}`);
  });
  return learned.includes(undefined) ? undefined : learned.join('');
}

interface NumberReading extends Omit<Reading, 'text'> {
  readonly number: number;
}

/** Returns the placeholder of a number that changes. `around` is the name of its header and the text before it. */
function learnNumber(numbers: readonly NumberReading[], around: string): string | undefined {
  const forms = numbers.map(({ number }) => toTimeForm(String(number)));
  const [form] = forms;
  if (form !== undefined && isConstant(forms))
    return nameTime(
      numbers.map(({ number, date }) => readTime(String(number)) - date),
      form,
    );
  const steps = numbers.slice(1).map(({ number, at }, index) => {
    const before = numbers[index] as NumberReading;
    return { drop: before.number - number, seconds: (at - before.at) / 1_000 };
  });
  // A new window starts with a larger number.
  const drops = steps.filter(({ drop }) => drop >= 0);
  if (drops.length < MIN_DROPS) return undefined;
  if (/remaining|left|available|\br=$/.test(around)) return '{remaining}';
  if (/reset|retry|window|after|\bt=$/.test(around)) return '{reset}';
  const isCount = drops.every(({ drop }) => drop >= 1);
  const isTime = drops.every(({ drop, seconds }) => Math.abs(drop - seconds) <= 1);
  // Requests are sent faster than each second, so that a number that falls as fast as time is a time.
  const isSlow = isTime && drops.some(({ drop }) => drop >= 2);
  return isSlow || isCount !== isTime ? (isTime ? '{reset}' : '{remaining}') : undefined;
}

/** The fewest decreases that show a number is counted down. */
const MIN_DROPS = 3;

/** A rate limit as the headers of responses state it. */
export interface StatedLimit {
  readonly requests: number;
  /** The longest time until a reset that a header stated, in seconds. */
  readonly seconds: number;
}

/**
 * Reads the limit that headers state. Undefined if they do not state the requests that are left and the time until a
 * reset.
 */
export function readStatedLimit(
  readings: readonly HeaderReading[],
  templates: ReadonlyMap<string, string | null>,
): StatedLimit | undefined {
  const written = [...templates].filter((entry): entry is [string, string] => entry[1] !== null);
  const values = readings.flatMap(({ headers, at }) =>
    written.flatMap(([name, template]) =>
      (findValues(template, headers.get(name) ?? '') ?? []).map((value) => ({
        name: value.name,
        text: String(value.value),
        date: readDate(headers, at),
      })),
    ),
  );
  const remaining = values.flatMap(({ name, text }) => (name === 'remaining' ? [Number(text)] : []));
  const resets = values.flatMap(({ name, text, date }) => {
    if (name === 'reset') return [Number(text)];
    return name === 'reset_at' ? [Math.ceil((readTime(text) - date) / 1_000)] : [];
  });
  for (const [name, text] of written)
    if (/reset|window/.test(name) && /^\d{1,4}$/.test(text)) resets.push(Number(text));
  if (remaining.length === 0 || resets.length === 0) return undefined;
  const most = Math.max(...remaining);
  const constants = written.flatMap(([, text]) => text.replaceAll(/\{[^}]*\}/g, '').match(/\d+/g) ?? []);
  // The limit is the least constant number from those that are left.
  const stated = values.flatMap(({ name, text }) => (name === 'limit' ? [text] : []));
  const limits = [...constants, ...stated].map(Number).filter((number) => isLimit(number, most, readings));
  return { requests: limits.length > 0 ? Math.min(...limits) : most + 1, seconds: Math.max(...resets) };
}
