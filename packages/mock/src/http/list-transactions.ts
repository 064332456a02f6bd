import { transactionStatuses, transactionTypes } from '@service/contract';
import type { PageExample } from '@service/internal';
import { invalidFields } from '../domain/api-error.ts';
import { fillExample, fillText, type ReadValue, type Value, writeExamples } from '../domain/example.ts';
import { toJson } from '../domain/json.ts';
import type { pagePlaceholders } from '../domain/placeholders.ts';
import type { Profile } from '../domain/profile.ts';
import { fillRow } from '../domain/transaction.ts';
import {
  type FilteredRow,
  type HistoryPage,
  listTransactions,
  readTime,
  type Selection,
} from '../state/history.ts';
import { HttpError } from './errors.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import { BASE_PATH } from './route.ts';

/** Responds with a page of the transaction list. */
export function listTransactionPage({ state, caller, context, request }: OperationContext): OperationResult {
  const { profile } = context;
  const { pagination } = profile;
  const query = new URLSearchParams(request.search);
  const asked = readTransactionQuery(query, profile);
  const time = readTime(profile.readLag.transactions, state.clock.now());
  const found = listTransactions(caller.accountState, asked, time);
  if (profile.listQuery.pastEnd === 'not_found' && asked.skip > 0 && asked.skip >= found.total)
    throw unknownPage();
  const rows = found.rows.map((row) => () => fillRow(row, profile));
  const values: PageValues = {
    ...describePage(found, asked, pagination, query),
    rows: writeExamples(rows, profile),
    mode: context.mode,
    request_id: context.request.id,
    now: new Date(context.request.at),
  };
  const origin = `http://${request.header('host') ?? 'localhost'}`;
  const read: ReadValue = (name, forms) => {
    const value = values[name as keyof PageValues];
    return forms.includes('url') && typeof value === 'string' ? origin + value : value;
  };
  // A link without a page is left out (RFC 8288, section 3).
  const links = (pagination.link ?? '')
    .split(/,\s*(?=<)/)
    .flatMap((link) => fillText(link, read, profile) ?? []);
  const Link = links.join(', ');
  const headers = { ...profile.headers.listTransactions, ...(Link !== '' && { Link }) };
  return {
    response: {
      status: 200,
      headers,
      body: toJson(fillExample(pagination.body, read, profile), profile.numbers),
    },
  };
}

type PageValues = Readonly<Record<keyof typeof pagePlaceholders, Value>>;

function unknownPage(): HttpError {
  return new HttpError({ type: 'not_found', message: 'There is no such page.', refusal: 'unknown_page' });
}

const DEFAULT_PER_PAGE = 20;

/** Maximum number of rows of a page (docs/contract.md#transactions). */
const MAX_PER_PAGE = 100;

/**
 * Reads the query of `GET /transactions` (docs/contract.md#transactions).
 *
 * @throws {HttpError} that names every invalid parameter
 */
function readTransactionQuery(query: URLSearchParams, profile: Profile): Selection {
  const { by = 'page', parameter = by, first = 1 } = profile.pagination;
  const { page: policy, pastEnd, filter } = profile.listQuery;
  const isStrict = policy === 'reject';
  const problems = new Map<string, string>();
  /** Reads a parameter. Undefined if it is absent. `repair` replaces an invalid value, which is an error without it. */
  const read = <Parsed>(
    name: string,
    requirement: string,
    parse: (text: string) => Parsed | undefined,
    repair?: (text: string) => Parsed,
  ): Parsed | undefined => {
    const values = query.getAll(name);
    const [text] = values;
    if (text === undefined) return undefined;
    const value = values.length === 1 ? parse(text) : undefined;
    if (value === undefined && repair === undefined) problems.set(name, `${requirement}, given once`);
    return value ?? repair?.(text);
  };
  const readPlace = (least: number, repair?: (text: string) => number): number =>
    read(parameter, `must be a whole number from ${least}`, (text) => parseWhole(text, least), repair) ??
    least;
  const repairPage = (text: string): number => {
    if (isStrict) throw unknownPage();
    // With leading zeros it is valid. Any other invalid page is the first one.
    return parseWhole(text.replace(/^0+/, ''), first) ?? first;
  };
  const repairPerPage = (text: string): number => {
    const number = /^-?\d+$/.test(text) ? Number(text) : DEFAULT_PER_PAGE;
    if (number > MAX_PER_PAGE) return MAX_PER_PAGE;
    return policy === 'clamp' ? Math.max(number, 1) : DEFAULT_PER_PAGE;
  };
  const readFilter = (name: string, known: readonly string[]): string | null | undefined =>
    read<string | null | undefined>(
      name,
      `must be one of ${known.join(', ')}`,
      (text) => known.find((value) => value === text),
      { reject: undefined, empty: () => null, ignore: () => undefined }[filter],
    );
  const per_page =
    read(
      'per_page',
      `must be a whole number from 1 to ${MAX_PER_PAGE}`,
      (text) => parseWhole(text, 1, MAX_PER_PAGE),
      isStrict ? undefined : repairPerPage,
    ) ?? DEFAULT_PER_PAGE;
  let [skip, cursor]: [number, number?] = [0];
  if (by === 'offset') skip = readPlace(0);
  else if (by === 'page')
    skip = (readPlace(first, isStrict && pastEnd === 'empty' ? undefined : repairPage) - first) * per_page;
  else cursor = read(parameter, 'must be a next_cursor of an earlier page', parseCursor);
  const [status, type] = [readFilter('status', transactionStatuses), readFilter('type', transactionTypes)];
  if (problems.size > 0) throw new HttpError(invalidFields(problems));
  const matches = (row: FilteredRow): boolean => {
    const shown = (row.type === 'payment' && row.status) || 'completed';
    return (status === undefined || status === shown) && (type === undefined || type === row.type);
  };
  const isFiltered = status !== undefined || type !== undefined;
  return { per_page, skip, cursor, matches: isFiltered ? matches : undefined };
}

/** A cursor has the number of the last row of an earlier page. */
function parseCursor(text: string): number | undefined {
  return text.startsWith('after_') ? parseWhole(text.slice(6), 0) : undefined;
}

function parseWhole(text: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

/** Returns the counts of a page, and the paths of other pages, which repeat all other parameters of the query. */
function describePage(found: HistoryPage, asked: Selection, pagination: PageExample, query: URLSearchParams) {
  const { by = 'page', parameter = by, first = 1 } = pagination;
  const { rows, total, hasMore, hasPrevious } = found;
  const { per_page, skip } = asked;
  const pageAt = (place: number): number => Math.floor(place / per_page) + first;
  const next_cursor = hasMore ? `after_${rows.at(-1)?.number}` : null;
  const toPath = (at: number, cursor: string | null = null): string => {
    const places = { page: pageAt(at), offset: Math.max(0, at), cursor };
    const others = [...query].filter(([name]) => name !== parameter);
    const own = places[by] === null ? [] : [[parameter, String(places[by])]];
    const written = new URLSearchParams([...own, ...others]).toString();
    return `${BASE_PATH}/transactions${written === '' ? '' : `?${written}`}`;
  };
  const page = pageAt(skip);
  const pages = Math.ceil(total / per_page);
  const isPast = skip >= total;
  return {
    page,
    per_page,
    total,
    total_pages: pages,
    last_page: pageAt(Math.max(0, total - 1)),
    count: rows.length,
    offset: skip,
    from: isPast ? null : skip + 1,
    to: isPast ? null : skip + rows.length,
    has_more: hasMore,
    has_previous: hasPrevious,
    next_page: hasMore ? page + 1 : null,
    previous_page: hasPrevious ? page - 1 : null,
    next_offset: hasMore ? skip + per_page : null,
    next_cursor,
    next: hasMore ? toPath(skip + per_page, next_cursor) : null,
    previous: hasPrevious && by !== 'cursor' ? toPath(skip - per_page) : null,
    first: toPath(0),
    last: by === 'cursor' ? null : toPath(Math.max(0, pages - 1) * per_page),
  };
}
