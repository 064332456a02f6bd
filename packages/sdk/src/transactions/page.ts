import { type JsonObject, isRecord } from '@service/internal';
import type { Pagination } from '../models.ts';
import { redactText } from '../redact.ts';

/** The query parameters of a page: its number, a cursor, or the parameters in the URL of the next page. */
export type PageQuery = Readonly<Record<string, string | number>>;

/** A member of a response body and its path. */
interface Member {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The array with the rows of a page, and its path. */
export interface RowArray {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** The reason why the array with the rows of a page cannot be determined, without values of the body. */
export interface PageProblem {
  readonly problem: string;
}

const DOCUMENTED_NAME = 'transactions';
const commonName = /^(transactions|data|items|results|records|rows|entries|content)$/;
/** The members of a body that describe pages and never contain the rows. */
const pagingContainers = ['pagination', 'meta', 'links', '_links', 'page', 'paging'];

/** Finds the one array of objects that contains the rows of a page: inside `data`, next to it, or one level deeper. */
export function findRowArray(body: unknown): RowArray | PageProblem {
  const data = isRecord(body) ? body.data : undefined;
  const places = [...listMembers(data, ['data']), ...listMembers(body, [])];
  const inner = places.filter(({ path }) => path.join() !== 'data');
  const shallow = places.flatMap(toArray);
  const all = [...shallow, ...inner.flatMap(({ value, path }) => listMembers(value, path)).flatMap(toArray)];
  const documented = all.find(({ path }) => path.at(-1) === DOCUMENTED_NAME);
  const chosen = documented ?? chooseArray(shallow) ?? chooseArray(all);
  if (chosen) return chosen;
  const empty = all.filter(({ path, items }) => path[0] === 'data' && items.length === 0);
  return empty.length === 1 && empty[0] ? empty[0] : { problem: describeBody(body) };
}

function toArray({ path, value }: Member): RowArray[] {
  return Array.isArray(value) ? [{ path, items: value }] : [];
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

function listMembers(value: unknown, path: readonly string[]): Member[] {
  return Object.entries(isRecord(value) ? value : {})
    .filter(([name]) => !pagingContainers.includes(name))
    .map(([name, member]) => ({ path: [...path, name], value: member }));
}

/** The place of a page in its list. */
export interface PagePlace {
  /** The position of the page; fields that the service omits are null. */
  readonly pagination: Pagination;
  /** The query of the next page. Undefined on the last page. */
  readonly next: PageQuery | undefined;
  /** Whether the service announces a next page. False if it announces nothing. */
  readonly isNextStated: boolean;
  /** Whether the service counts pages from 0, so that `page=1` requests its second page. */
  readonly isZeroBased: boolean;
}

/** A response with a page of transactions. */
export interface PageResponse extends RowArray {
  readonly body: unknown;
  readonly headers: Headers;
  /** The `page` parameter of the request. Undefined for the first page, which is requested without a number. */
  readonly page: number | undefined;
  /** Whether the first page of the list had the number 0. */
  readonly isZeroBased: boolean;
}

/** The names that services use for each fact about a page, the documented one first. */
const factNames = {
  current_page: ['current_page', 'page', 'currentPage'],
  per_page: ['per_page', 'size', 'page_size', 'limit', 'perPage', 'pageSize'],
  total: ['total', 'total_count', 'totalElements', 'totalCount'],
  total_pages: ['total_pages', 'last_page', 'pages', 'totalPages', 'lastPage'],
  has_more: ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage', 'more'],
  next: ['next_page_url', 'nextPageUrl', 'next', 'next_page', 'nextPage'],
  // The names of Django REST framework and Spring Data.
  others: ['count', 'previous', 'number', 'first', 'last', 'offset'],
} as const;
const knownNames = new Set<string>(Object.values(factNames).flat());

/** A member with the value of a parameter for the next page: `next_page_token` is for `page_token`. */
const nextValue = /^next_?(cursor|page_?token|token|offset)$/i;

/**
 * Reads the place of a page in the formats of common frameworks (docs/contract.md#profile-settings).
 *
 * A first page without a number is followed by page 1: this is the next page if the service counts from 0, and
 * the same page again if it counts from 1.
 */
export function readPlace(response: PageResponse): PagePlace {
  const { page, headers } = response;
  const facts = collectFacts(response);
  const links = readLinks(headers);
  const number = toCount(facts.number);
  const shown = readCount(facts, 'current_page');
  const isZeroBased = response.isZeroBased || shown === 0 || isSpringPage(facts, page);
  const ofNumber = number === undefined ? (page ?? 1) : number + 1;
  const current_page = shown === undefined ? ofNumber : shown + Number(isZeroBased);
  // `count` is the size of one page in some services, and the total in those that also send `previous`.
  const total = readCount(facts, 'total') ?? ('previous' in facts ? toCount(facts.count) : undefined);
  const total_pages = readCount(facts, 'total_pages') ?? toCount(links.get('last')?.page);
  const start = shown === undefined && number === undefined ? toCount(facts.offset) : undefined;
  const offset = start === undefined ? undefined : { offset: start + response.items.length };
  const [at, end] = offset ? [offset.offset, total] : [current_page, total_pages];
  const isBefore = end === undefined ? undefined : at < end;
  const stated = readNext(facts) ?? links.get('next');
  const isDenied =
    ['first', 'last', 'prev'].some((relation) => links.has(relation)) ||
    listNextNames(facts).some((name) => !facts[name]);
  // A service that always links the last page, and never the next one, states the end with its number.
  const isEnd = isDenied && !(isBefore && links.has('last')) && !saysMore({ source: response, response });
  const hasMore = readHasMore(facts) ?? (stated ? true : isEnd ? false : isBefore);
  const last = page ?? shown ?? number ?? toCount(links.get('first')?.page) ?? 0;
  const computed = { page: last + 1, ...offset };
  const known = { per_page: readCount(facts, 'per_page') ?? null, total: total ?? null };
  const pages = { current_page, total_pages: total_pages ?? null, has_more: hasMore !== false };
  return {
    next: hasMore === false ? undefined : (stated ?? computed),
    isNextStated: hasMore === true,
    pagination: { ...facts, ...known, ...pages },
    isZeroBased,
  };
}

/** Returns whether a page is one of Spring Data whose parameter counts from 0, as its `number` always does. */
function isSpringPage(facts: JsonObject, page: number | undefined): boolean {
  const isFirstUnknown = !('first' in facts) && 'totalElements' in facts;
  return Number(page) > 0 && toCount(facts.number) === page && (facts.first === false || isFirstUnknown);
}

/** Collects the members that describe a page: next to the array of rows, above it, and in containers such as `meta`. */
function collectFacts({ body, path }: PageResponse): JsonObject {
  const owners = path.map((_, depth) => path.slice(0, depth).reduce(readMember, body)).filter(isRecord);
  const containers = owners.flatMap((owner) => pagingContainers.map((name) => owner[name]).filter(isRecord));
  const facts: JsonObject = {};
  for (const place of [...owners, ...containers]) {
    for (const [name, value] of Object.entries(place)) {
      // JSON:API and HAL write a link as an object.
      const plain = isRecord(value) ? value.href : value;
      const isPlain = plain === null || ['string', 'number', 'boolean'].includes(typeof plain);
      const isKnown = place !== body || knownNames.has(name) || nextValue.test(name);
      if (isPlain && isKnown) facts[name] = plain;
    }
  }
  return facts;
}

function readMember(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function readCount(facts: JsonObject, fact: keyof typeof factNames): number | undefined {
  return factNames[fact].map((name) => toCount(facts[name])).find((count) => count !== undefined);
}

function readHasMore(facts: JsonObject): boolean | undefined {
  const isLast = typeof facts.last === 'boolean' ? !facts.last : undefined;
  return factNames.has_more.map((name) => facts[name]).find((value) => typeof value === 'boolean') ?? isLast;
}

/** Returns the names of members that can state the next page and that a page has. */
function listNextNames(facts: JsonObject): string[] {
  const values = Object.keys(facts).filter((name) => nextValue.test(name));
  return [...values, ...factNames.next.filter((name) => Object.hasOwn(facts, name))];
}

/** Returns the query of the next page, if a member states it: the value of a parameter, a number of a page, or a URL. */
function readNext(facts: JsonObject): PageQuery | undefined {
  for (const name of listNextNames(facts)) {
    const value = facts[name];
    const [, parameter = ''] = nextValue.exec(name) ?? [];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '') continue;
    if (parameter) return { [parameter.replace(/^./, (letter) => letter.toLowerCase())]: text };
    const page = toCount(text);
    const query = page === undefined ? readQuery(text) : { page };
    if (query) return query;
  }
  return undefined;
}

/** Reads a `Link` header (RFC 8288): the queries by relation, undefined for a URL without one. */
function readLinks(headers: Headers): ReadonlyMap<string, PageQuery | undefined> {
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

/** A response with a page of transactions. */
interface ReceivedPage {
  readonly source: { readonly body: unknown };
  readonly response: { readonly headers: Headers };
}

/** Returns whether a page says under any name that rows follow it, even if not where they are. */
export function saysMore({ source, response }: ReceivedPage): boolean {
  return (
    readLinks(response.headers).has('next') ||
    listEnvelope(source.body).some(({ path, value }) =>
      path.some((name) => (value ? moreName.test(name) : value === false && endName.test(name))),
    )
  );
}

/** Returns the members of a page outside of its rows. */
export function listEnvelope(value: unknown, path: readonly string[] = []): Member[] {
  return Object.entries(value as JsonObject).flatMap(([name, member]) =>
    isRecord(member) && path.length < 3
      ? listEnvelope(member, [...path, name])
      : [{ path: [...path, name], value: member }],
  );
}

/** Names the fields of a page for a message, without their values. */
export function describeEnvelope(body: unknown): string {
  const names = listEnvelope(body).map(({ path }) => `\`${formatPath(path)}\``);
  return names.slice(0, MAX_NAMES).join(', ');
}

function describeBody(body: unknown): string {
  if (!isRecord(body)) return `it is ${describeKind(body)}`;
  const { success: _success, mode: _mode, data, ...siblings } = body;
  const inside = isRecord(data) ? `\`data\` has ${describeKeys(data)}` : `\`data\` is ${describeKind(data)}`;
  const isAlone = Object.keys(siblings).length === 0;
  const beside = isAlone ? '' : `, and beside it there is ${describeKeys(siblings)}`;
  return `it has no array of transactions: ${inside}${beside}`;
}

/** Maximum number of member names in a message. */
const MAX_NAMES = 12;

function describeKeys(object: JsonObject): string {
  const keys = Object.entries(object).map(
    ([name, value]) => `${formatPath([name])} (${describeKind(value)})`,
  );
  const rest = keys.length > MAX_NAMES ? ` and ${keys.length - MAX_NAMES} more` : '';
  return (keys.slice(0, MAX_NAMES).join(', ') || 'no keys') + rest;
}

/** Returns the kind of a value without revealing the value. */
export function describeKind(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (!Array.isArray(value)) return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  return value.length === 0 ? 'an empty array' : 'an array without objects';
}

/** Formats a path for a message. Shows `…` for a name that may be a person's name, an account number or a key. */
export function formatPath(path: readonly string[]): string {
  return path.map((name) => (/^(?!.*\d{5})[a-z_][\w-]{0,39}$/.test(name) ? redactText(name) : '…')).join('.');
}
