import type { Profile } from '@service/mock';
import { toRecord } from '../json.ts';
import type { Bench } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { noRows, readPage, readRows } from './rows.ts';
import { describe, type Sighting } from './wire.ts';

/** Looks at where a page of the history says that the next one is, and follows it. */
export async function lookAtPages(bench: Bench): Promise<Finding[]> {
  const page = await readPage(bench, 'per_page=1');
  const { data, headers } = page;
  const names = [...Object.keys(data), ...Object.keys(toRecord(data.pagination))];
  const fields = names.filter((name) => !/^\d+$/.test(name)).join(', ') || 'none, a list';
  const evidence = `fields: ${fields}${headers.has('link') ? '; Link' : ''}`;
  const isShort = (readRows(await readPage(bench, 'per_page=100'))?.length ?? 0) < 2;
  if (isShort) return [unknown('pagination', 'the history has no second row, so there is no next page')];
  const lead = findLead(page);
  if (lead === undefined) return [other('pagination', `nothing leads to the next page; ${evidence}`)];
  return [await follow(bench, { ...lead, page, evidence })];
}

/** Names a shape and the query of the second page. */
type Lead = { readonly value: Profile['pagination']; readonly query: string };

const SECOND = 'per_page=1&page=2';

/** Reads where the next page is; undefined when no shape of the profile says it. */
function findLead({ body, data, headers }: Sighting): Lead | undefined {
  const [, link] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next/.exec(headers.get('link') ?? '') ?? [];
  if (link !== undefined) return { value: 'link', query: link };
  const { success: _, mode: __, data: list, ...besides } = toRecord(body);
  if (Array.isArray(list))
    return Object.keys(besides).length === 0 ? { value: 'array', query: SECOND } : undefined;
  if (Array.isArray(data.data))
    return 'last_page' in data || 'next_page_url' in data ? { value: 'laravel', query: SECOND } : undefined;
  const { next_cursor: cursor, current_page } = toRecord(data.pagination);
  if (typeof cursor === 'string')
    return { value: 'cursor', query: `per_page=1&cursor=${encodeURIComponent(cursor)}` };
  return current_page === undefined ? undefined : { value: 'page', query: SECOND };
}

type Followed = Lead & { readonly page: Sighting; readonly evidence: string };

/** Follows a lead: a shape is what it looks like only if it leads to another row. New rows may move them all meanwhile. */
async function follow(bench: Bench, { value, query, page, evidence }: Followed): Promise<Finding> {
  const next = await bench.ask(`/transactions?${query}`);
  const [first, second, again] = [page, next, await readPage(bench, 'per_page=1')].map((one) =>
    JSON.stringify(readRows(one)?.[0]),
  );
  if (first === undefined || first !== again)
    return unknown('pagination', first === undefined ? noRows : 'rows came while the pages were read');
  if (next.accepted && second !== undefined && second !== first) return found('pagination', value, evidence);
  return other('pagination', `${query} does not lead to the next row: ${describe(next)}; ${evidence}`);
}
