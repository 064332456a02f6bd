import type { Profile } from '@service/mock';
import { toRecord } from '../json.ts';
import type { Bench } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { demandRows, type HistoryPage, noRows, readHistory, readPage } from './rows.ts';
import { describe, type Sighting } from './wire.ts';

/** Reads where a page of the history names the next one, and follows it. */
export async function lookAtPages(bench: Bench): Promise<Finding[]> {
  const sighting = await readPage(bench, 'per_page=1');
  const isShort = demandRows(await readPage(bench, 'per_page=100'), bench).length < 2;
  if (isShort) return [unknown('pagination', 'the history has no second row, so there is no next page')];
  const page = readHistory(sighting, bench);
  if ('problem' in page) return [other('pagination', page.problem)];
  const evidence = describePage(page, sighting);
  const lead = findLead(page, sighting) ?? findUnknownLead(page);
  if (lead === undefined) return [other('pagination', `nothing leads to the next page; ${evidence}`)];
  return [await follow(bench, { ...lead, page: sighting, evidence })];
}

/** Describes the array of rows and the members around it. */
function describePage({ arrayPath }: HistoryPage, { body, data, headers }: Sighting): string {
  const { success: _, mode: __, data: list, ...besides } = toRecord(body);
  const names = [
    ...(Array.isArray(list) ? [] : [...Object.keys(data), ...Object.keys(toRecord(data.pagination))]),
    ...Object.keys(besides).map((name) => `${name} beside data`),
  ];
  const fields = names.join(', ') || 'none, a list';
  return `rows in ${arrayPath}; fields: ${fields}${headers.has('link') ? '; Link' : ''}`;
}

/** A shape of the profile, or undefined for another one, and the query of the second page. */
type Lead = { readonly value: Profile['pagination'] | undefined; readonly query: string };

const SECOND = 'per_page=1&page=2';

/** Reads where the next page is; undefined when no shape of the profile says it. */
function findLead({ arrayPath }: HistoryPage, { body, data, headers }: Sighting): Lead | undefined {
  const [, link] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next/.exec(headers.get('link') ?? '') ?? [];
  if (link !== undefined) return { value: 'link', query: link };
  const { success: _, mode: __, data: ___, ...besides } = toRecord(body);
  if (arrayPath === 'data')
    return Object.keys(besides).length === 0 ? { value: 'array', query: SECOND } : undefined;
  if (arrayPath === 'data.data')
    return 'last_page' in data || 'next_page_url' in data ? { value: 'laravel', query: SECOND } : undefined;
  if (arrayPath !== 'data.transactions') return undefined;
  const { next_cursor: cursor, current_page } = toRecord(data.pagination);
  if (typeof cursor === 'string')
    return { value: 'cursor', query: `per_page=1&cursor=${encodeURIComponent(cursor)}` };
  return current_page === undefined ? undefined : { value: 'page', query: SECOND };
}

/** Returns the query by which the SDK requests the next page of a shape that the profile does not have. */
function findUnknownLead({ next }: HistoryPage): Lead | undefined {
  if (next === undefined) return undefined;
  return { value: undefined, query: String(new URLSearchParams({ per_page: '1', ...next })) };
}

type Followed = Lead & { readonly page: Sighting; readonly evidence: string };

/** Follows a lead: a shape is what it looks like only if it leads to another row. New rows may move them all meanwhile. */
async function follow(bench: Bench, { value, query, page, evidence }: Followed): Promise<Finding> {
  const next = await bench.ask(`/transactions?${query}`);
  const again = await readPage(bench, 'per_page=1');
  const [first, second, same] = [page, next, again].map((one) => {
    const read = readHistory(one, bench);
    return 'problem' in read ? undefined : JSON.stringify(read.raw[0]);
  });
  if (first === undefined || first !== same)
    return unknown('pagination', first === undefined ? noRows : 'rows came while the pages were read');
  const isNext = next.accepted && second !== undefined && second !== first;
  if (!isNext)
    return other('pagination', `${query} does not lead to the next row: ${describe(next)}; ${evidence}`);
  if (value !== undefined) return found('pagination', value, evidence);
  return other('pagination', `${query} leads to the next row, and no value describes the page; ${evidence}`);
}
