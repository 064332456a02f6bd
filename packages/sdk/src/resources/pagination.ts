import { type JsonObject, isRecord } from '@service/internal';
import type { Pagination } from '../models.ts';
import type { PageQuery } from './pages.ts';
import { type FoundMember, formatPath, MAX_NAMES, pagingContainers } from './row-array.ts';

/** A response with a page, the number that its request asked for, and how the service counts. */
export interface PageResponse {
  readonly body: unknown;
  readonly headers: Headers;
  /** The `page` parameter of the request. Undefined for the first page, which is requested without a number. */
  readonly page: number | undefined;
  /**
   * Whether the first page of the list had the number 0.
   *
   * @default false
   */
  readonly isZeroBased?: boolean;
  /**
   * The path of the array with the rows, such as `data.items`.
   *
   * @default 'data'
   */
  readonly arrayPath?: string;
  /**
   * The number of rows of the page.
   *
   * @default 0
   */
  readonly count?: number;
}

/** The position of a page and the query of the next one. */
export interface PageReading {
  /** The position of the page; fields that the service omits are null. */
  readonly pagination: Pagination;
  /** The query of the next page. Undefined on the last page. */
  readonly next: PageQuery | undefined;
  /** Whether the service announces a next page. False if it announces nothing. */
  readonly hasStatedNext: boolean;
  /** Whether the service counts pages from 0, so that `page=1` requests its second page. */
  readonly isZeroBased: boolean;
}

/** The names that services use for each fact about a page, the documented one first. */
const factNames = {
  current_page: ['current_page', 'page', 'currentPage'],
  per_page: ['per_page', 'size', 'page_size', 'limit', 'perPage', 'pageSize'],
  total: ['total', 'total_count', 'totalElements', 'totalCount'],
  total_pages: ['total_pages', 'last_page', 'pages', 'totalPages', 'lastPage'],
  has_more: ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage', 'more'],
  cursor: ['next_cursor', 'nextCursor'],
  next: ['next_page_url', 'nextPageUrl', 'next', 'next_page', 'nextPage'],
  // The names of Django REST framework and Spring Data.
  others: ['count', 'previous', 'number', 'first', 'last', 'offset'],
} as const;
const knownNames = new Set<string>(Object.values(factNames).flat());

/**
 * Reads the position of a page in the formats of common frameworks (docs/contract.md#profile-settings).
 *
 * A first page without a number is followed by page 1: this is the next page if the service counts from 0, and
 * the same page again if it counts from 1.
 */
export function readPagination(response: PageResponse): PageReading {
  const facts = collectFacts(response);
  const { page } = response;
  const number = toCount(facts.number);
  const shown = readCount(facts, 'current_page');
  const isZeroBased = response.isZeroBased === true || shown === 0 || isSpringPage(facts, page);
  const total_pages = readCount(facts, 'total_pages') ?? null;
  const current_page = shown ?? (number === undefined ? (page ?? 1) : number + 1);
  const place = shown !== undefined && isZeroBased ? shown + 1 : current_page;
  // `count` is the size of one page in some services, and the total in those that also send `previous`.
  const total = readCount(facts, 'total') ?? ('previous' in facts ? toCount(facts.count) : undefined);
  const stated = readHasMore(facts);
  const nextQuery = findNextQuery(facts, response);
  const start = shown === undefined && number === undefined ? toCount(facts.offset) : undefined;
  const offset = start === undefined ? undefined : { offset: start + (response.count ?? 0) };
  const [at, end] = offset ? [offset.offset, total ?? null] : [place, total_pages];
  const isUnstated = nextQuery === undefined && end === null;
  const implied = isUnstated ? undefined : nextQuery !== undefined || at < Number(end);
  const more = stated ?? implied;
  const has_more = more !== false && (nextQuery !== null || stated === true);
  const per_page = readCount(facts, 'per_page') ?? null;
  const known = { current_page: place, per_page, total: total ?? null, total_pages, has_more };
  return {
    next: has_more ? (nextQuery ?? { page: (page ?? shown ?? number ?? 0) + 1, ...offset }) : undefined,
    hasStatedNext: more === true && has_more,
    pagination: { ...facts, ...known },
    isZeroBased,
  };
}

/** Returns whether a page is one of Spring Data whose parameter counts from 0, as its `number` always does. */
function isSpringPage(facts: JsonObject, page: number | undefined): boolean {
  return (
    Number(page) > 0 &&
    toCount(facts.number) === page &&
    (facts.first === false || (!('first' in facts) && 'totalElements' in facts))
  );
}

/**
 * Collects the members that describe a page: next to the array of rows, above it, and in containers such as
 * `meta`.
 */
function collectFacts({ body, arrayPath = 'data' }: PageResponse): JsonObject {
  if (!isRecord(body)) return {};
  const owners = [body];
  for (const name of arrayPath.split('.').slice(0, -1)) {
    const inner = owners.at(-1)?.[name];
    if (isRecord(inner)) owners.push(inner);
  }
  const containers = owners.flatMap((owner) => pagingContainers.map((name) => owner[name]).filter(isRecord));
  const facts: JsonObject = {};
  for (const place of [...owners, ...containers]) {
    for (const [name, value] of Object.entries(place)) {
      // JSON:API and HAL write a link as an object.
      const plain = isRecord(value) ? value.href : value;
      const isPlain = plain === null || ['string', 'number', 'boolean'].includes(typeof plain);
      if (isPlain && (place !== body || knownNames.has(name))) facts[name] = plain;
    }
  }
  return facts;
}

type FactName = keyof typeof factNames;

/** Returns the first value of a fact that is not empty, or else the first value that is present. */
function readFact(facts: JsonObject, fact: FactName): unknown {
  const values = factNames[fact].filter((name) => Object.hasOwn(facts, name)).map((name) => facts[name]);
  return values.find((value) => value !== null && value !== '' && value !== false) ?? values[0];
}

function readCount(facts: JsonObject, fact: FactName): number | undefined {
  return factNames[fact].map((name) => toCount(facts[name])).find((count) => count !== undefined);
}

function readHasMore(facts: JsonObject): boolean | undefined {
  const isLast = typeof facts.last === 'boolean' ? !facts.last : undefined;
  const stated = factNames.has_more.map((name) => facts[name]).find((value) => typeof value === 'boolean');
  return stated ?? isLast;
}

/**
 * Returns the query of the next page, null after the last page, or undefined if the service announces neither.
 */
function findNextQuery(facts: JsonObject, { body, headers }: PageResponse): PageQuery | null | undefined {
  const cursor = readFact(facts, 'cursor');
  if (typeof cursor === 'string' && cursor !== '') return { cursor };
  const links = headers.get('link') ?? '';
  const header = nextLink.exec(links)?.[1];
  const stated = readFact(facts, 'next');
  const page = toCount(stated);
  if (page !== undefined) return { page };
  const url = stated || header;
  // Uses only the query of the URL: its host can be another one, which must not receive the key.
  const query = typeof url === 'string' && [...new URLSearchParams(url.replace(/^[^?]*|#.*$/g, ''))];
  if (query) return query.length > 0 ? Object.fromEntries(query) : undefined;
  const isEnd =
    [cursor, stated].some((value) => value !== undefined && !value) ||
    /;\s*rel="?(?:first|last|prev)/i.test(links);
  return isEnd && !saysMore({ source: { body }, response: { headers } }) ? null : undefined;
}

const nextLink = /<([^>]*)>[^,]*;\s*rel="?next\b/i;
const moreName = /^(is_?|has_?)?(next|more|continu|remain|truncat)(?!.*(date|time|at$))/i;
const endName = /^(is_?)?(last|complete|done|finished)/i;

/** A response with a page of transactions. */
interface PageSource {
  readonly source: { readonly body: unknown };
  readonly response: { readonly headers: Headers };
}

/** Returns whether a page says under any name that rows follow it, even if not where they are. */
export function saysMore({ source, response }: PageSource): boolean {
  return (
    nextLink.test(response.headers.get('link') ?? '') ||
    listEnvelope(source.body).some(({ path, value }) =>
      path.some((name) => (value ? moreName.test(name) : value === false && endName.test(name))),
    )
  );
}

/** Names the fields of a page for a message, without their values. */
export function describeEnvelope({ source }: PageSource): string {
  const names = listEnvelope(source.body).map(({ path }) => `\`${formatPath(path)}\``);
  return names.slice(0, MAX_NAMES).join(', ');
}

/** Returns the members of a page outside of its rows. */
function listEnvelope(value: unknown, path: readonly string[] = []): FoundMember[] {
  return Object.entries(value as JsonObject).flatMap(([name, member]) =>
    isRecord(member) && path.length < 3
      ? listEnvelope(member, [...path, name])
      : [{ path: [...path, name], value: member }],
  );
}

function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}
