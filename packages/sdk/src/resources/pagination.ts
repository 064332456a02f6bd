import { type JsonObject, isRecord } from '@service/internal';
import type { Pagination } from '../values/models.ts';
import type { PageQuery } from './pages.ts';
import { pagingContainers } from './row-array.ts';

/** A response with a page, and the `page` parameter of its request. */
export interface PageResponse {
  readonly body: unknown;
  readonly headers: Headers;
  readonly page: number;
  /**
   * The path of the array with the rows, such as `data.items`.
   *
   * @default 'data'
   */
  readonly arrayPath?: string;
}

/** The position of a page and the query of the next one. */
export interface PageReading {
  /** The position of the page; fields that the service omits are null. */
  readonly pagination: Pagination;
  /** The query of the next page. Undefined on the last page. */
  readonly next: PageQuery | undefined;
  /** Whether the service announces a next page. False if it announces nothing. */
  readonly hasStatedNext: boolean;
  /** Whether the service counts pages from 0, so that `page=1` requested its second page. */
  readonly isZeroBased: boolean;
}

/** The names that services use for each fact about a page, the documented one first. */
const factNames = {
  current_page: ['current_page', 'page', 'currentPage'],
  per_page: ['per_page', 'size', 'page_size', 'limit', 'perPage', 'pageSize'],
  total: ['total', 'total_count', 'totalElements', 'totalCount'],
  total_pages: ['total_pages', 'last_page', 'pages', 'totalPages', 'lastPage'],
  has_more: ['has_more', 'hasMore', 'has_next', 'hasNext'],
  cursor: ['next_cursor', 'nextCursor'],
  next: ['next_page_url', 'nextPageUrl', 'next', 'next_page', 'nextPage'],
  // The names of Django REST framework and Spring Data.
  others: ['count', 'previous', 'number', 'first', 'last'],
} as const;
const knownNames = new Set<string>(Object.values(factNames).flat());

/** Reads the position of a page in the formats of common frameworks (docs/contract.md#profile-settings). */
export function readPagination(response: PageResponse): PageReading {
  const facts = collectFacts(response);
  const { page } = response;
  const number = toCount(facts.number);
  const total_pages = readCount(facts, 'total_pages') ?? null;
  const current_page = readCount(facts, 'current_page') ?? (number === undefined ? page : number + 1);
  // `count` is the size of one page in some services, and the total in those that also send `previous`.
  const total = readCount(facts, 'total') ?? ('previous' in facts ? toCount(facts.count) : undefined);
  const stated = readHasMore(facts);
  const nextQuery = findNextQuery(facts, response);
  const isUnstated = nextQuery === undefined && total_pages === null;
  const implied = isUnstated ? undefined : nextQuery !== undefined || current_page < Number(total_pages);
  const more = stated ?? implied;
  const has_more = more !== false && (nextQuery !== null || stated === true);
  const per_page = readCount(facts, 'per_page') ?? null;
  const known = { current_page, per_page, total: total ?? null, total_pages, has_more };
  return {
    next: has_more ? { page: page + 1, ...nextQuery } : undefined,
    hasStatedNext: more === true && has_more,
    pagination: { ...facts, ...known },
    // Spring Data always counts `number` from 0, but `page=1` can be its first or its second page.
    isZeroBased:
      page > 0 &&
      number === page &&
      (facts.first === false || (!('first' in facts) && 'totalElements' in facts)),
  };
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
function findNextQuery(facts: JsonObject, { headers }: PageResponse): PageQuery | null | undefined {
  const cursor = readFact(facts, 'cursor');
  if (typeof cursor === 'string' && cursor !== '') return { cursor };
  const header = /<([^>]*)>[^,]*;\s*rel="?next\b/i.exec(headers.get('link') ?? '')?.[1];
  const stated = readFact(facts, 'next');
  const page = toCount(stated);
  if (page !== undefined) return { page };
  const url = stated || header;
  // Uses only the query of the URL: its host can be another one, which must not receive the key.
  if (typeof url === 'string')
    return Object.fromEntries(new URLSearchParams(url.replace(/^[^?]*|#.*$/g, '')));
  const isEnd = [cursor, stated].some((value) => value === null || value === '' || value === false);
  return isEnd ? null : undefined;
}

function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}
