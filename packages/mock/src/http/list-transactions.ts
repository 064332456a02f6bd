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
    ...countPage(found, asked, pagination),
    ...linkPages(found, asked, pagination, query),
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

const WHOLE = /^-?\d+$/;

/** How a parameter of the query is read. */
interface ParameterRule<Parsed> {
  readonly otherwise: Parsed;
  readonly requirement: string;
  readonly parse: (text: string) => Parsed | undefined;
  /** Replaces an invalid value. Without it, an invalid value is an error. */
  readonly repair?: ((text: string) => Parsed) | undefined;
}

type ReadParameter = <Parsed>(name: string, rule: ParameterRule<Parsed>) => Parsed;

/**
 * Reads the query of `GET /transactions` (docs/contract.md#transactions).
 *
 * @throws {HttpError} that names every invalid parameter
 */
function readTransactionQuery(query: URLSearchParams, profile: Profile): Selection {
  const { by = 'page', parameter = by, first = 1 } = profile.pagination;
  const problems = new Map<string, string>();
  const read: ReadParameter = (name, rule) => {
    const values = query.getAll(name);
    if (values.length === 0) return rule.otherwise;
    const [text = ''] = values;
    const value = values.length === 1 ? rule.parse(text) : undefined;
    if (value !== undefined) return value;
    if (rule.repair !== undefined) return rule.repair(text);
    problems.set(name, `${rule.requirement}, given once`);
    return rule.otherwise;
  };
  const per_page = read('per_page', perPageRule(profile));
  const asked = {
    per_page,
    skip: 0,
    ...(by === 'page' && { skip: (read(parameter, pageRule(profile, first)) - first) * per_page }),
    ...(by === 'offset' && { skip: read(parameter, placeRule(0)) }),
    ...(by === 'cursor' && { cursor: read(parameter, cursorRule) }),
    matches: readFilters(read, profile),
  };
  if (problems.size > 0) throw new HttpError(invalidFields(problems));
  return asked;
}

/** A filter of the list: the texts of the document, and that of a row. */
interface Filter {
  readonly parameter: 'status' | 'type';
  readonly documented: readonly string[];
  readonly textOf: (row: FilteredRow) => string;
}

const filters: readonly Filter[] = [
  {
    parameter: 'status',
    documented: transactionStatuses,
    textOf: ({ type, status }) => (type === 'payment' && status) || 'completed',
  },
  { parameter: 'type', documented: transactionTypes, textOf: ({ type }) => type },
];

/** Reads the filters. Undefined without one. */
function readFilters(read: ReadParameter, { listQuery }: Profile): Selection['matches'] {
  const conditions = filters.flatMap(({ parameter, documented, textOf }) => {
    const asked = read<string | null | undefined>(parameter, {
      otherwise: undefined,
      requirement: `must be one of ${documented.join(', ')}`,
      parse: (text) => documented.find((value) => value === text),
      repair: { reject: undefined, empty: () => null, ignore: () => undefined }[listQuery.filter],
    });
    return asked === undefined ? [] : [(row: FilteredRow) => textOf(row) === asked];
  });
  return conditions.length === 0 ? undefined : (row) => conditions.every((matches) => matches(row));
}

/** The page, or the number of rows before it. */
function placeRule(first: number): ParameterRule<number> {
  const requirement = `must be a whole number from ${first}`;
  return { otherwise: first, requirement, parse: (text) => parseWhole(text, first) };
}

function pageRule({ listQuery: { page, pastEnd } }: Profile, first: number): ParameterRule<number> {
  const rule = placeRule(first);
  const repair = (text: string): number => {
    if (pastEnd === 'not_found') throw unknownPage();
    // With leading zeros it is valid. Any other invalid page is the first one.
    return rule.parse(text.replace(/^0+/, '')) ?? first;
  };
  return page === 'reject' && pastEnd !== 'not_found' ? rule : { ...rule, repair };
}

function perPageRule({ listQuery: { page } }: Profile): ParameterRule<number> {
  const repair = (text: string): number => {
    const number = WHOLE.test(text) ? Number(text) : DEFAULT_PER_PAGE;
    if (number > MAX_PER_PAGE) return MAX_PER_PAGE;
    return page === 'clamp' ? Math.max(number, 1) : DEFAULT_PER_PAGE;
  };
  return {
    otherwise: DEFAULT_PER_PAGE,
    requirement: `must be a whole number from 1 to ${MAX_PER_PAGE}`,
    parse: (text) => parseWhole(text, 1, MAX_PER_PAGE),
    repair: page === 'reject' ? undefined : repair,
  };
}

/** The number of the last row of an earlier page. */
const cursorRule: ParameterRule<number | undefined> = {
  otherwise: undefined,
  requirement: 'must be a next_cursor of an earlier page',
  parse: (text) => (text.startsWith('after_') ? parseWhole(text.slice(6), 0) : undefined),
};

function parseWhole(text: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

/** Returns the number of the page that starts after some rows. */
function pageAt(skip: number, { per_page }: Selection, { first = 1 }: PageExample): number {
  return Math.floor(skip / per_page) + first;
}

/** Returns the counts of a page for examples. */
function countPage(found: HistoryPage, asked: Selection, pagination: PageExample) {
  const { rows, total, hasMore, hasPrevious } = found;
  const { per_page, skip } = asked;
  const page = pageAt(skip, asked, pagination);
  const isPast = skip >= total;
  return {
    page,
    per_page,
    total,
    total_pages: Math.ceil(total / per_page),
    last_page: pageAt(Math.max(0, total - 1), asked, pagination),
    count: rows.length,
    offset: skip,
    from: isPast ? null : skip + 1,
    to: isPast ? null : skip + rows.length,
    has_more: hasMore,
    has_previous: hasPrevious,
    next_page: hasMore ? page + 1 : null,
    previous_page: hasPrevious ? page - 1 : null,
    next_offset: hasMore ? skip + per_page : null,
    next_cursor: nextCursor(found),
  };
}

function nextCursor({ rows, hasMore }: HistoryPage): string | null {
  return hasMore ? `after_${rows.at(-1)?.number}` : null;
}

/** Returns the paths of other pages for examples. They repeat all other parameters of the query. */
function linkPages(found: HistoryPage, asked: Selection, pagination: PageExample, query: URLSearchParams) {
  const { by = 'page', parameter = by } = pagination;
  const { per_page, skip } = asked;
  const toPath = (at: number, cursor: string | null = null): string => {
    const places = { page: pageAt(at, asked, pagination), offset: Math.max(0, at), cursor };
    const others = [...query].filter(([name]) => name !== parameter);
    const own = places[by] === null ? [] : [[parameter, String(places[by])]];
    const written = new URLSearchParams([...own, ...others]).toString();
    return `${BASE_PATH}/transactions${written === '' ? '' : `?${written}`}`;
  };
  const lastSkip = Math.max(0, Math.ceil(found.total / per_page) - 1) * per_page;
  return {
    next: found.hasMore ? toPath(skip + per_page, nextCursor(found)) : null,
    previous: found.hasPrevious && by !== 'cursor' ? toPath(skip - per_page) : null,
    first: toPath(0),
    last: by === 'cursor' ? null : toPath(lastSkip),
  };
}
