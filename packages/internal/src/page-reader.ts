import type { PageTemplate } from './profile.ts';
import { listPlaceholders, readEach, splitHeader, type Template } from './template.ts';
import { findValues, type MatchedValue, matchTemplate, readMember } from './template-match.ts';

/** The place of the rows in a response body. */
export interface RowPlace {
  /** The path of the list of rows, such as `['data', 'items']`. */
  readonly path: readonly string[];
  /** The path of the row in an element of the list; usually empty. */
  readonly inner: readonly string[];
}

/** Returns the places of the rows in the responses that a template writes. */
export function listRowPlaces({ data, beside = {} }: PageTemplate): readonly RowPlace[] {
  return [...findLists(data, ['data']), ...findLists(beside, [])];
}

function findLists(template: Template, path: readonly string[]): readonly RowPlace[] {
  if (typeof template !== 'object' || template === null) return [];
  const fields = Object.entries(template);
  const [first, ...elements] = Array.isArray(template) ? (template as readonly Template[]) : [];
  const repeated =
    readEach(first) === 'rows'
      ? elements
      : fields.flatMap(([name, field]) => (readEach(name) === 'rows' ? [field] : []));
  if (repeated.length > 0)
    return repeated.flatMap((element) => findRow(element, []).map((inner) => ({ path, inner })));
  return fields.flatMap(([name, field]) => findLists(field, [...path, name]));
}

function findRow(template: Template, path: readonly string[]): readonly (readonly string[])[] {
  if (template === '{row}') return [path];
  if (typeof template !== 'object' || template === null) return [];
  return Object.entries(template).flatMap(([name, field]) => findRow(field, [...path, name]));
}

/** Returns the value at a path. */
export function readPath(json: unknown, path: readonly string[]): unknown {
  return path.reduce(readMember, json);
}

/** A response with a page. */
export interface PageSource {
  /** The response body. */
  readonly body: unknown;
  readonly headers: Headers;
  /** The query parameters of the request. */
  readonly query: Readonly<Record<string, string | number>>;
  /** The number of rows on the page. */
  readonly count: number;
}

/** The position of a page, and the query of the next one. Undefined where the service states nothing. */
export interface PagePosition {
  readonly page: number | undefined;
  readonly per_page: number | undefined;
  readonly total: number | undefined;
  readonly total_pages: number | undefined;
  /** Whether the service states another page, or the end. */
  readonly hasMore: boolean | undefined;
  /** The query parameters of the next page. Undefined at the end, or where nothing leads to it. */
  readonly next: Readonly<Record<string, string | number>> | undefined;
}

/** Reads the position of a page that a template writes. */
export function readPosition(template: PageTemplate, source: PageSource): PagePosition {
  const { by = 'page', parameter = by, first = 1 } = template;
  const values = collectValues(template, source);
  const find = (name: string): unknown =>
    values.find((one) => one.name === name && one.value !== null)?.value;
  const count = (name: string): number | undefined => toCount(find(name));
  const asked = toCount(source.query[parameter]);
  const per_page = count('per_page') ?? toCount(source.query.per_page);
  const number = count('page') ?? (by === 'page' ? (asked ?? first) : undefined);
  const page = number === undefined ? undefined : number - first + 1;
  const before = by === 'offset' ? (asked ?? 0) : page && per_page && (page - 1) * per_page;
  const end = (count('offset') ?? before ?? Number.NaN) + source.count;
  const total = count('total');
  const last = count('last_page');
  const total_pages = count('total_pages') ?? (last === undefined ? undefined : last - first + 1);
  const stated = findNext(template, find);
  const isNamed = values.some(({ name }) => ['next_url', 'next_path', `next_${by}`].includes(name));
  const hasMore =
    toFlag(find('has_more')) ??
    (isNamed ? stated !== undefined : undefined) ??
    isBefore(page, total_pages) ??
    isBefore(end, total);
  const computed = { page: number === undefined ? undefined : number + 1, offset: end, cursor: undefined }[
    by
  ];
  const next = stated ?? (computed ? { [parameter]: computed } : undefined);
  return { page, per_page, total, total_pages, hasMore, next: hasMore === false ? undefined : next };
}

/** Returns the query of the next page, if the service states it. */
function findNext(
  { by = 'page', parameter = by }: PageTemplate,
  find: (name: string) => unknown,
): PagePosition['next'] {
  const link = find('next_url') ?? find('next_path');
  if (typeof link === 'string' && link !== '') return readQuery(link);
  const value = find(`next_${by}`);
  const place = by === 'cursor' ? value : toCount(value);
  return (typeof place === 'string' && place !== '') || typeof place === 'number'
    ? { [parameter]: place }
    : undefined;
}

function toFlag(value: unknown): boolean | undefined {
  return value === undefined ? undefined : value === true || value === 'true';
}

/** Returns whether a position is before the last one. Undefined if one of them is not known. */
function isBefore(position: number | undefined, last: number | undefined): boolean | undefined {
  return Number.isFinite(position) && last !== undefined ? Number(position) < last : undefined;
}

function collectValues(template: PageTemplate, { body, headers }: PageSource): readonly MatchedValue[] {
  const { data, beside = {}, headers: written = {} } = template;
  const ofHeaders = Object.entries(written).flatMap(([name, whole]) =>
    splitHeader(name, whole).flatMap((text) => {
      const absent = listPlaceholders(text).map((one) => ({ ...one, value: null }));
      return findValues(text, headers.get(name) ?? '', false) ?? absent;
    }),
  );
  const [inside, outside] = [matchTemplate(data, readMember(body, 'data')), matchTemplate(beside, body)];
  return [...inside.values, ...outside.values, ...ofHeaders];
}

/** Returns the query of a URL. Its host can be another one, which must not receive the API key. */
function readQuery(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(url.replaceAll(/^[^?]*|#.*$/g, '')));
}

function toCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}
