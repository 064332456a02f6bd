import { type JsonObject, isRecord } from '@service/internal';
import type { TransactionPage } from '../models.ts';
import { redactText } from '../redact.ts';

/** The query parameters of a page: its number, a cursor, or the parameters in the URL of the next page. */
export type PageQuery = Readonly<Record<string, string | number>>;

/** A member of a response body and its path. */
interface Member {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The array with the rows of a page. */
export interface RowArray {
  /** Its path in the body, such as `['data', 'items']`. */
  readonly path: readonly string[];
  /** The rows as received. */
  readonly items: readonly unknown[];
}

/** A page whose array with the rows cannot be determined. */
export interface PageProblem {
  /** The reason, as a sentence about the structure of the body, without its values. */
  readonly problem: string;
}

const commonName = /^(transactions|data|items|results|records|rows|entries|content)$/;
/** The members of a body that describe pages and never contain the rows. */
const pagingContainers = ['pagination', 'meta', 'links', '_links', 'page', 'paging', 'page_info', 'pageInfo'];

/** Finds the one array of objects that contains the rows of a page: inside `data`, next to it, or one level deeper. */
export function findRowArray(body: unknown): RowArray | PageProblem {
  const problem = 'it has no array of transactions';
  if (!isRecord(body)) return { problem };
  const depthOf = ({ path }: RowArray): number =>
    path[0] === 'data' && path[1] ? path.length - 1 : path.length;
  const all = listEnvelope(body)
    .flatMap(({ path, value }): RowArray[] => (Array.isArray(value) ? [{ path, items: value }] : []))
    .filter((array) => depthOf(array) <= 2 && !array.path.some((name) => pagingContainers.includes(name)));
  const documented = all.find(({ path }) => path.at(-1) === 'transactions');
  const chosen = documented ?? chooseArray(all.filter((array) => depthOf(array) === 1)) ?? chooseArray(all);
  if (chosen) return chosen;
  const empty = all.filter(({ path, items }) => path[0] === 'data' && items.length === 0);
  if (empty.length === 1 && empty[0]) return empty[0];
  return { problem: `${problem}. ${describeEnvelope(body)}` };
}

/** Returns the one array of objects, else an empty array with a common name, else undefined. Two candidates are a problem. */
function chooseArray(arrays: readonly RowArray[]): RowArray | PageProblem | undefined {
  const filled = arrays.filter(({ items }) => items.some(isRecord));
  const empty = arrays.find(({ path, items }) => items.length === 0 && isCommonName(path));
  const isNamed = filled.some(({ path }) => isCommonName(path));
  const candidates = isNamed || !empty || filled.length > 1 ? filled : [...filled, empty];
  if (candidates.length < 2) return candidates[0];
  const paths = candidates.map(({ path }) => `\`${formatPath(path)}\``).join(' and ');
  return { problem: `it has more than one array that may hold the transactions: ${paths}` };
}

/** Returns whether the last name of a path is the documented name of the row array, or a common one. */
export function isCommonName(path: readonly string[]): boolean {
  return commonName.test(path.at(-1) ?? '');
}

/** The place of a page in its list. */
export interface PagePlace {
  /** The position of the page; fields that the service omits are null. */
  readonly pagination: TransactionPage['pagination'];
  /** The query of the next page. Undefined on the last page. */
  readonly next: PageQuery | undefined;
  /** Whether the service announces a next page. False if it announces nothing. */
  readonly isNextStated: boolean;
  /** Whether only the number in the request shows that this is the last page, so that the service may have ignored it. */
  readonly isEndAssumed: boolean;
}

/** A name of a member in lowercase with underscores. */
export function toSnake(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** The members that describe a page, by their names as received. */
type Facts = ReadonlyMap<string, unknown>;

/** A member with the next page: its number or URL, or the value of a parameter, such as `page_token`. */
const nextName = /^next(?:_(cursor|(page_)?token|offset|(starting_)?after|before)|(?:_page)?(?:_url)?)$/;

/**
 * Reads the place of a page in the formats of common frameworks (docs/contract.md#profile-settings).
 *
 * A first page without a number is followed by page 1: this is the next page if the service counts from 0, and
 * the same page again if it counts from 1.
 *
 * @param page The `page` parameter of the request. Undefined for the first page, which is requested without a number.
 */
export function readPlace(body: unknown, { path }: RowArray, headers: Headers, page?: number): PagePlace {
  const facts = collectFacts(body, path);
  const links = readLinks(headers);
  const shown = findFact(facts, /^(current_)?page$/, toCount);
  // Spring Data counts its `number` from 0.
  const fromZero = toCount(facts.get('number'));
  const first = toCount(links.get('first')?.page) ?? 1;
  const number = shown ?? (fromZero === undefined ? (page ?? first) + 1 - first : fromZero + 1);
  const last = toCount(links.get('last')?.page);
  const total_pages =
    findFact(facts, /^(total_pages|last_page|pages)$/, toCount) ??
    (last === undefined ? null : last + 1 - first);
  const isBefore = total_pages === null ? undefined : number < total_pages;
  const stated = findFact(facts, nextName, toNextQuery) ?? links.get('next');
  const flag = findFact(facts, /^(has_(more|next(_page)?)|more|last)$/, readFlag);
  // A page of a service that contradicts itself is not the end.
  const isEnd = !isBefore && isNextDenied(facts, links) && !saysMore(body, headers);
  const hasMore = flag ?? (stated ? true : isEnd ? false : isBefore);
  return {
    next: hasMore === false ? undefined : (stated ?? { page: (page ?? shown ?? fromZero ?? 0) + 1 }),
    isNextStated: hasMore === true,
    isEndAssumed: flag === undefined && !isEnd && (shown ?? fromZero) === undefined,
    pagination: {
      current_page: number,
      per_page: findFact(facts, /^(per_page|(page_)?size|limit)$/, toCount) ?? null,
      total: findFact(facts, /^total(_count|_elements)?$/, toCount) ?? null,
      total_pages,
      has_more: hasMore !== false,
    },
  };
}

/** Reads a boolean by which a page states whether more follow. */
function readFlag(value: unknown, name: string): boolean | undefined {
  if (typeof value !== 'boolean') return undefined;
  return name === 'last' ? !value : value;
}

/** Returns whether a page links or names other pages, or a next one without a value, and thereby denies a next one. */
function isNextDenied(facts: Facts, links: Links): boolean {
  const isLinked = ['first', 'last', 'prev'].some((relation) => links.has(relation));
  return isLinked || findFact(facts, nextName, (value) => (value ? undefined : true)) === true;
}

/** Collects the members that describe a page: next to the array of rows, above it, and in containers such as `meta`. */
function collectFacts(body: unknown, path: readonly string[]): Facts {
  const owners = path
    .map((_, depth) =>
      path.slice(0, depth).reduce((value, name) => (isRecord(value) ? value[name] : undefined), body),
    )
    .filter(isRecord);
  const containers = owners.flatMap((owner) => pagingContainers.map((name) => owner[name]).filter(isRecord));
  const members = [...owners, ...containers].flatMap((place) => Object.entries(place));
  // JSON:API and HAL write a link as an object.
  return new Map(members.map(([name, value]) => [name, isRecord(value) ? value.href : value]));
}

/** Returns the first value of a member with one of the names that can be read. */
function findFact<T>(
  facts: Facts,
  name: RegExp,
  read: (value: unknown, name: string) => T | undefined,
): T | undefined {
  for (const [key, value] of facts) {
    const found = value !== undefined && name.test(toSnake(key)) ? read(value, key) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the query of the next page: the value of a parameter, a number of a page, or a URL. */
function toNextQuery(value: unknown, name: string): PageQuery | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  const parameter = name.slice('next'.length).replace(/^_?./, (start) => start.slice(-1).toLowerCase());
  if (nextName.exec(toSnake(name))?.[1]) return { [parameter]: text };
  const page = toCount(text);
  return page === undefined ? readQuery(text) : { page };
}

/** The queries of a `Link` header by relation, undefined for a URL without one. */
type Links = ReadonlyMap<string, PageQuery | undefined>;

/** Reads a `Link` header (RFC 8288). */
function readLinks(headers: Headers): Links {
  const links = new Map<string, PageQuery | undefined>();
  for (const [, url = '', parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    const [, relations = ''] = /;\s*rel="?([\w\s-]+)/i.exec(parameters) ?? [];
    for (const relation of relations.toLowerCase().split(/\s+/)) links.set(relation, readQuery(url));
  }
  return links;
}

/** Returns the query of a URL; undefined without one. Its host can be another one, which must not receive the key. */
function readQuery(url: string): PageQuery | undefined {
  const query = [...new URLSearchParams(url.replaceAll(/^[^?]*|#.*$/g, ''))];
  return query.length > 0 ? Object.fromEntries(query) : undefined;
}

function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}

const moreName = /^(is_?|has_?)?(next|more|continu|remain|truncat)(?!.*(date|time|at$))/i;
const endName = /^(is_?)?(last|complete|done|finished)/i;

/** Returns whether a page says under any name that rows follow it, even if not where they are. */
export function saysMore(body: unknown, headers: Headers): boolean {
  return (
    readLinks(headers).has('next') ||
    listEnvelope(body).some(({ path, value }) =>
      path.some((name) => (value ? moreName.test(name) : value === false && endName.test(name))),
    )
  );
}

/** Returns the members of a page outside of its rows. */
function listEnvelope(value: unknown, path: readonly string[] = []): Member[] {
  return Object.entries(value as JsonObject).flatMap(([name, member]) =>
    isRecord(member) && path.length < 3
      ? listEnvelope(member, [...path, name])
      : [{ path: [...path, name], value: member }],
  );
}

/** Names the fields of a page for a message, without their values. */
export function describeEnvelope(body: unknown): string {
  const fields = listEnvelope(body).map(({ path }) => `\`${formatPath(path)}\``);
  return `It has the fields ${listSome(fields, 12)}`;
}

/** Joins the first texts of a list, with the number of the others. */
export function listSome(texts: readonly string[], max: number): string {
  const rest = texts.length > max ? `; and ${texts.length - max} more` : '';
  return texts.slice(0, max).join('; ') + rest;
}

/** Formats a path for a message. Shows `…` for a name that may be a person's name, an account number or a key. */
export function formatPath(path: readonly string[]): string {
  return path.map((name) => (/^(?!.*\d{5})[a-z_][\w-]{0,39}$/.test(name) ? redactText(name) : '…')).join('.');
}
