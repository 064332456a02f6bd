import type { Profile } from '@service/mock';
import { toRecord } from '../json.ts';
import type { ProbeContext } from './context.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { demandRows, type HistoryPage, noRows, readHistory, readPage } from './rows.ts';
import { describeResponse, type RawResponse } from './raw-client.ts';

/** Determines how a page of the history identifies the next page, and requests it. */
export async function probePages(context: ProbeContext): Promise<Finding[]> {
  const response = await readPage(context, 'per_page=1');
  const isShort = demandRows(await readPage(context, 'per_page=100'), context).length < 2;
  if (isShort)
    return [unknown('pagination', 'the history has fewer than two rows, so there is no next page')];
  const page = readHistory(response, context);
  if ('problem' in page) return [other('pagination', page.problem)];
  const evidence = describePage(page, response);
  const nextPage = findNextPage(page, response) ?? findUnknownNextPage(page);
  if (nextPage === undefined)
    return [other('pagination', `no known field identifies the next page; ${evidence}`)];
  return [await requestNext(context, { ...nextPage, page: response, evidence })];
}

/** Describes the array of rows and the fields around it. */
function describePage({ arrayPath }: HistoryPage, { body, data, headers }: RawResponse): string {
  const { success: _, mode: __, data: list, ...others } = toRecord(body);
  const names = [
    ...(Array.isArray(list) ? [] : [...Object.keys(data), ...Object.keys(toRecord(data.pagination))]),
    ...Object.keys(others).map((name) => `${name} beside data`),
  ];
  const fields = names.join(', ') || 'none (a list)';
  return `rows in ${arrayPath}; fields: ${fields}${headers.has('link') ? '; Link' : ''}`;
}

/** The query of the second page, and the value of the setting; undefined if no value describes the page. */
interface NextPage {
  readonly value: Profile['pagination'] | undefined;
  readonly query: string;
}

const SECOND_PAGE = 'per_page=1&page=2';

/** Returns the query of the next page. Undefined if the page has none of the known shapes. */
function findNextPage(
  { arrayPath }: HistoryPage,
  { body, data, headers }: RawResponse,
): NextPage | undefined {
  const [, link] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next/.exec(headers.get('link') ?? '') ?? [];
  if (link !== undefined) return { value: 'link', query: link };
  const { success: _, mode: __, data: ___, ...others } = toRecord(body);
  if (arrayPath === 'data')
    return Object.keys(others).length === 0 ? { value: 'array', query: SECOND_PAGE } : undefined;
  if (arrayPath === 'data.data')
    return 'last_page' in data || 'next_page_url' in data
      ? { value: 'laravel', query: SECOND_PAGE }
      : undefined;
  if (arrayPath !== 'data.transactions') return undefined;
  const { next_cursor: cursor, current_page } = toRecord(data.pagination);
  if (typeof cursor === 'string')
    return { value: 'cursor', query: `per_page=1&cursor=${encodeURIComponent(cursor)}` };
  return current_page === undefined ? undefined : { value: 'page', query: SECOND_PAGE };
}

/** Returns the query with which the SDK requests the next page, for a shape without a value. */
function findUnknownNextPage({ next }: HistoryPage): NextPage | undefined {
  if (next === undefined) return undefined;
  return { value: undefined, query: String(new URLSearchParams({ per_page: '1', ...next })) };
}

type RequestedPage = NextPage & { readonly page: RawResponse; readonly evidence: string };

/**
 * Requests the next page. It must start with another row, and the first page must not have changed meanwhile.
 */
async function requestNext(
  context: ProbeContext,
  { value, query, page, evidence }: RequestedPage,
): Promise<Finding> {
  const next = await context.send(`/transactions?${query}`);
  const again = await readPage(context, 'per_page=1');
  const [first, second, same] = [page, next, again].map((one) => {
    const read = readHistory(one, context);
    return 'problem' in read ? undefined : JSON.stringify(read.raw[0]);
  });
  if (first === undefined || first !== same)
    return unknown(
      'pagination',
      first === undefined ? noRows : 'new rows appeared while the pages were read',
    );
  const isNext = next.accepted && second !== undefined && second !== first;
  if (!isNext)
    return other(
      'pagination',
      `${query} does not lead to the next row: ${describeResponse(next)}; ${evidence}`,
    );
  if (value !== undefined) return found('pagination', value, evidence);
  return other('pagination', `${query} leads to the next row, but no value describes the page; ${evidence}`);
}
