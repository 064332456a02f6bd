import { isRecord, type JsonObject } from '../values/json.ts';
import type { Pagination } from '../values/models.ts';
import type { LoadedPage } from './pages.ts';

/** Finds the list of rows in the data of a page: the data itself, or the list in it (contract.md 8). */
export function findRows(data: unknown): unknown {
  if (!isRecord(data)) return data;
  return data.transactions ?? data.data ?? data.items;
}

/** Holds an answer with a page, and the number by which that page was asked for. */
type Asked = { readonly body: unknown; readonly headers: Headers; readonly page: number };

/** Reads which page this is and how the next one is asked for, from all places where services say so (contract.md 8). */
export function readPagination(asked: Asked): Omit<LoadedPage, 'page'> & { readonly pagination: Pagination } {
  const facts = collectFacts(asked.body);
  const current_page = toCount(facts.current_page) ?? asked.page;
  const total_pages = toCount(facts.total_pages ?? facts.last_page) ?? null;
  const pointer = findPointer(facts, asked);
  const silent = pointer === undefined && total_pages === null;
  const more =
    facts.has_more ?? (silent ? undefined : pointer !== undefined || current_page < Number(total_pages));
  const ended = more === false || pointer === null;
  const next = ended ? undefined : { page: asked.page + 1, ...pointer };
  const per_page = toCount(facts.per_page) ?? null;
  const total = toCount(facts.total) ?? null;
  const pagination = { ...facts, current_page, per_page, total, total_pages, has_more: !ended } as Pagination;
  return { next, promised: more === true && !ended, pagination };
}

/** Collects what an answer says of its pages: beside the rows, around them, or under one of the usual names. */
function collectFacts(body: unknown): JsonObject {
  if (!isRecord(body)) return {};
  const data = isRecord(body.data) ? body.data : {};
  const { data: _data, transactions: _rows, items: _items, pagination, meta, links, ...facts } = data;
  const places = [body.pagination, body.meta, body.links, pagination, meta, links];
  return Object.assign(facts, ...places.filter(isRecord)) as JsonObject;
}

/** Returns the query that leads to the next page, null where the service says that nothing does, or undefined. */
function findPointer(facts: JsonObject, { headers }: Asked): Record<string, string> | null | undefined {
  const cursor = facts.next_cursor;
  if (typeof cursor === 'string' && cursor !== '') return { cursor };
  const header = /<([^>]*)>[^,]*;\s*rel="?next\b/i.exec(headers.get('link') ?? '')?.[1];
  const address = facts.next_page_url ?? facts.next ?? header;
  // The query alone: an address may lead elsewhere, and the key does not go there.
  if (typeof address === 'string' && address !== '')
    return Object.fromEntries(new URLSearchParams(address.replace(/^[^?]*/, '')));
  const saysNull = [cursor, facts.next_page_url, facts.next].some((one) => one === null || one === '');
  return saysNull && facts.has_more !== true ? null : undefined;
}

function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' ? count : undefined;
}
