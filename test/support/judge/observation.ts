// Observations of responses that are equal for two services with equal behavior: ids, times, texts for people and counters
// become their form, and everything else stays.

export type Observation =
  null | boolean | number | string | readonly Observation[] | { readonly [name: string]: Observation };

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Numbers that depend on the history of an account. */
const COUNTER =
  /^(?:count|\w*:?total(?:_?[A-Za-z]\w+)?|last_page|pages|to|serial|sequence|balance\w*|remaining|reset)$/;
/** An id: a long random part, with or without a prefix. */
const RANDOM =
  /^(?:[A-Za-z]+[_-])*(?=[A-Za-z-]*\d)[A-Za-z\d]{8,}(?:-[\da-f]{4}){0,3}(?:-?[A-Za-z\d]{12,})?$|^[a-z]{2,6}_(?=.*[A-Z].*[a-z])[A-Za-z\d]{12,}$/;
const ID = /^(?:id|.+_id|.+Id)$/;
/** Headers of the connection, of caches and of browsers. */
const TRANSPORT_HEADER =
  /^(?:age|connection|content-length|date|keep-alive|transfer-encoding|server|server-timing|via|x-cache(?:-\w+)*|x-(?:process|response)-time|x-runtime|vary|etag|cache-control|access-control-.*)$/;

/** @param sent Texts that the caller sent, which responses repeat. */
export function observeResponse(
  { status, headers, text }: RawResponse,
  sent: ReadonlySet<string>,
): { status: number; headers: Observation; body: Observation } {
  const isRefusal = status >= 400;
  return { status, headers: observeHeaders(headers), body: observeBody(text, headers, { sent, isRefusal }) };
}

function observeBody(text: string, headers: Headers, options: ObserveOptions): Observation {
  const json = parseJson(text);
  if (json !== undefined) return observeValue(json, options);
  return text === '' ? 'empty' : `${headers.get('content-type')?.split(';')[0] ?? 'unknown'} text`;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function observeHeaders(headers: Headers): Observation {
  const entries = [...headers].filter(([name]) => !TRANSPORT_HEADER.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, observeHeader(name, value)]));
}

function observeHeader(name: string, value: string): string {
  if (name === 'content-type') return value.split(';')[0] ?? value;
  if (name === 'location') return toUrlForm(value);
  if (name === 'link') return [...value.matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation).join(' ');
  if (name === 'retry-after') return /^\d+$/.test(value) ? 'seconds' : 'date';
  if (name.endsWith('-id')) return 'id';
  // The rest of the limit and the time until it is renewed.
  if (name === 'ratelimit') return value.replaceAll(/(?<=;[rt]=)\d+/g, 'number');
  if (name.endsWith('limit') || !(/\d/.test(value) || RANDOM.test(value))) return value;
  return /^[\d.]+$/.test(value) ? 'number' : toIdForm(value);
}

export interface ObserveOptions {
  readonly sent: ReadonlySet<string>;
  /** Name of the field of the value. */
  readonly name?: string;
  /** Whether the value is of a refusal. */
  readonly isRefusal?: boolean;
}

export function observeValue(value: unknown, options: ObserveOptions): Observation {
  const { name = '', isRefusal = false } = options;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (COUNTER.test(name) || ID.test(name)) return 'number';
    const days = daysUntil(value);
    return days === undefined ? value : days === 0 ? 'unix time' : `unix time, ${days} days later`;
  }
  if (typeof value === 'string') return observeText(value, options);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => observeValue(item, options));
    // The document gives balances no order, nor the problems of a request: validators list them in that of their checks.
    const isUnordered = name === 'balances' || (isRefusal && items.every((item) => isObject(item)));
    return isUnordered ? items.toSorted(compareAsJson) : items;
  }
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, observeValue(item, { ...options, name: key })]),
  );
}

const DAY = 86_400_000;
/** The most days between the present and a time. */
const MAX_DAYS = 60;

/** Returns the days from the present to a time in seconds or milliseconds since 1970. Undefined for other numbers. */
function daysUntil(value: number): number | undefined {
  const days = [1, 1_000].map((scale) => Math.round((value * scale - Date.now()) / DAY));
  return days.find((each) => Math.abs(each) <= MAX_DAYS);
}

const isObject = (value: Observation): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const compareAsJson = (a: Observation, b: Observation): number =>
  JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;

function observeText(value: string, { sent, name = '' }: ObserveOptions): string {
  if (/^(?:message|msg|detail|title)$/.test(name)) return 'text';
  if (sent.has(value)) return value;
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return toTimeForm(value);
  if (/^(?:https?:\/)?\/./.test(value)) return toUrlForm(value);
  if (name === 'request_id') return 'id';
  if (/cursor|token/.test(name)) return 'cursor';
  if (ID.test(name) || /^pay_(?:test|live)_/.test(value) || RANDOM.test(value)) return toIdForm(value);
  if (COUNTER.test(name) && /^-?[\d.]+$/.test(value)) return 'decimal text';
  return /^[\w.+:/-]+$/.test(value) ? value : 'text';
}

/** Returns a timestamp with its digits as zeros, those after the seconds in groups of three, and its offset. */
function toTimeForm(value: string): string {
  const [, time = '', offset = ''] = /^(.*?)(Z|[+-]\d\d:?\d\d)?$/.exec(value) ?? [];
  const [seconds = '', fraction = ''] = time.split('.');
  const digits = fraction === '' ? '' : `.${'000'.repeat(Math.ceil(fraction.length / 3))}`;
  return seconds.replaceAll(/\d/g, '0') + digits + offset;
}

const ID_SEPARATOR = /([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[_.-])/;

/** Returns an id with the alphabet of each part, and for payments its length. */
function toIdForm(value: string): string {
  const [, prefix, rest = ''] = /^(pay_(?:test|live)_)?(.*)$/.exec(value) ?? [];
  const parts = rest.split(ID_SEPARATOR).map((part, index) => {
    // Their groups can have digits only by chance.
    if (index % 2 === 1 && part.length > 1) return '{uuid}';
    if (index % 2 === 1 || /^[a-z]{0,4}$/i.test(part)) return part;
    // Ids of other resources can be counters, whose length changes.
    return prefix === undefined ? `{${toAlphabet(part)}}` : `{${part.length} ${toAlphabet(part)}}`;
  });
  return (prefix ?? '') + parts.join('');
}

function toAlphabet(part: string): string {
  const hasUpper = /[A-Z]/.test(part);
  if (/[a-z]/.test(part)) return hasUpper ? 'mixed' : 'lower';
  return hasUpper ? 'upper' : 'digits';
}

function toUrlForm(value: string): string {
  const url = new URL(value, 'http://relative');
  url.searchParams.sort();
  // A cursor has any form, which can contain the number of a row.
  for (const name of url.searchParams.keys())
    if (/cursor|token/.test(name)) url.searchParams.set(name, 'cursor');
  const isId = (part: string): boolean => /^(?:pay_.*|\d+)$/.test(part) || RANDOM.test(part);
  const path = url.pathname.split('/').map((part) => (isId(part) ? toIdForm(part) : part));
  const query = url.search.replaceAll(/\d+/g, '0');
  return `${url.hostname === 'relative' ? '' : 'origin'}${path.join('/')}${query}`;
}

/** Returns the array of rows of a page, wherever it is. */
export function findRows(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof body !== 'object' || body === null) return [];
  const candidates = [body, ...Object.values(body)].flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? [value, ...(Object.values(value) as unknown[])] : [],
  );
  const isRows = (value: unknown): value is Record<string, unknown>[] =>
    Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null);
  return candidates.filter(isRows).find((rows) => rows.length > 0) ?? [];
}

/** Returns an observation of a page without the values of its rows. */
export function observePage(
  response: RawResponse,
  options: { readonly sent: ReadonlySet<string>; readonly isOwn: (row: object) => boolean },
): Observation {
  const body = parseJson(response.text);
  if (response.status !== 200) return observeResponse(response, options.sent);
  const rows = findRows(body);
  const own = rows.filter(options.isOwn);
  const shown = own.length > 0 ? own : rows;
  const shape = Object.fromEntries(
    [...new Set(shown.flatMap((row) => Object.keys(row)))].map((name) => [
      name,
      [...new Set(shown.map((row) => toType(row[name])))].toSorted().join(' or '),
    ]),
  );
  const withoutRows = JSON.stringify(body, (_, value: unknown) => (value === rows ? 'rows' : value));
  const {
    status,
    headers,
    body: rest,
  } = observeResponse({ ...response, text: withoutRows ?? response.text }, options.sent);
  return { status, headers, body: rest, rows: rows.length, row: shape };
}

function toType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
