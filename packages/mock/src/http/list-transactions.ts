import { transactionStatuses, transactionTypes } from '@service/contract';
import {
  isRecord,
  type IssueKind,
  MAX_PER_PAGE,
  type PageTemplate,
  readCases,
  type Template,
} from '@service/internal';
import { invalidFields, type Problem } from '../domain/api-error.ts';
import type { Profile } from '../domain/profile.ts';
import { type Facts, createBudget, writeHeaders } from '../domain/json.ts';
import { writeRow } from '../domain/transaction.ts';
import { type HistoryPage, listTransactions, readTime, type Selection } from '../state/history.ts';
import { HttpError } from './errors.ts';
import type { OperationContext, OperationResult } from './operations.ts';
import { okResponse } from './response.ts';
import { BASE_PATH } from './route.ts';

/** Responds with a page of the transaction history. */
export function listTransactionPage({ state, caller, context, request }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const { pagination: template } = profile;
  const asked = readTransactionQuery(new URLSearchParams(request.search), template, profile);
  const time = readTime(profile.readLag.transactions, state.clock.now());
  const found = listTransactions(accountState, asked, time);
  if (profile.listQuery.pastEnd === 'not_found' && asked.skip > 0 && asked.skip >= found.total)
    throw unknownPage();
  const facts = pageFacts(found, asked, template, context.requestFacts.origin as string, request.search);
  const budget = createBudget();
  const rows = found.rows.map((row) => ({ name: row.id, facts: { row: writeRow(row, profile, budget) } }));
  const lists = { rows };
  const { link, ...headers } = lowerNames(writeHeaders(template.headers, facts, context));
  const { data, beside } = template;
  const answer = { operation: 'listTransactions', template: data, beside, facts, lists, budget } as const;
  const response = okResponse(context, answer);
  const links = [response.headers.Link, link].filter(Boolean);
  const joined = links.length > 0 ? { Link: links.join(', ') } : {};
  return { response: { ...response, headers: { ...response.headers, ...headers, ...joined } } };
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));
}

function unknownPage(): HttpError {
  return new HttpError({ type: 'not_found', message: 'There is no such page.', refusal: 'unknown_page' });
}

const DEFAULT_PER_PAGE = 20;
const WHOLE = /^-?\d+$/;

/** How a parameter of the query is read. */
interface ParameterRule<Value> {
  readonly otherwise: Value;
  readonly requirement: string;
  /** The kind of the problem of a value. */
  readonly kind: IssueKind | ((text: string) => IssueKind);
  readonly parse: (text: string) => Value | undefined;
  /** Replaces an invalid value. Without it, an invalid value is an error. */
  readonly repair?: ((text: string) => Value) | undefined;
}

/**
 * Reads the query of `GET /transactions` (docs/contract.md#transactions).
 *
 * @throws {HttpError} that names every invalid parameter
 */
function readTransactionQuery(
  query: URLSearchParams,
  { by = 'page', parameter = by, first = 1 }: PageTemplate,
  profile: Profile,
): Selection {
  const problems = new Map<string, Problem>();
  const read = <Value>(name: string, rule: ParameterRule<Value>): Value => {
    const values = query.getAll(name);
    if (values.length === 0) return rule.otherwise;
    const [text = ''] = values;
    const value = values.length === 1 ? rule.parse(text) : undefined;
    if (value !== undefined) return value;
    const kind = typeof rule.kind === 'string' ? rule.kind : rule.kind(text);
    // A kind with its own refusal is refused.
    if (rule.repair !== undefined && profile.refusals[kind] === undefined) return rule.repair(text);
    problems.set(name, { kind, text: `${rule.requirement}, given once` });
    return rule.otherwise;
  };
  const per_page = read('per_page', perPageRule(profile));
  const asked = {
    per_page,
    skip: 0,
    ...(by === 'page' && { skip: (read(parameter, pageRule(profile, first)) - first) * per_page }),
    ...(by === 'offset' && { skip: read(parameter, placeRule(0)) }),
    ...(by === 'cursor' && read(parameter, cursor)),
    ...readFilters(read, profile),
  };
  if (problems.size > 0) throw new HttpError(invalidFields(problems, Object.fromEntries(query)));
  return asked;
}

/** Reads the filters. They apply to the texts that the rows of templates show, if each row has a field for them. */
function readFilters(
  read: <Value>(name: string, rule: ParameterRule<Value>) => Value,
  profile: Profile,
): Pick<Selection, 'status' | 'type' | 'shown'> {
  const { listQuery, extraStatuses } = profile;
  const readFilter = <Value extends string>(
    kind: 'status' | 'type',
    names: readonly string[],
    documented: readonly Value[],
  ) => {
    const texts = listShown(names, documented, profile);
    const allowed = texts.length > 0 ? texts : documented;
    const asked = read<string | undefined>(kind, {
      otherwise: undefined,
      requirement: `must be one of ${allowed.join(', ')}`,
      kind,
      // A service with texts in capitals knows the names of the document too.
      parse: (text) => allowed.find((value) => value === text || value.toLowerCase() === text),
      repair:
        listQuery.filter === 'reject'
          ? undefined
          : () => (listQuery.filter === 'empty' ? 'nothing' : undefined),
    });
    return texts.length > 0 ? { shown: asked } : { own: asked as Value | 'nothing' | undefined };
  };
  const statuses = new Set([...transactionStatuses, ...extraStatuses.map(({ status }) => status)]);
  const status = readFilter('status', ['status', 'state'], [...statuses]);
  const type = readFilter('type', ['type', 'kind'], transactionTypes);
  const shown = { status: status.shown, type: type.shown };
  const isFiltered = shown.status !== undefined || shown.type !== undefined;
  return { status: status.own, type: type.own, ...(isFiltered && { shown }) };
}

/**
 * Returns the texts that the rows of templates can show in a field with one of some names, if each row has one. Returns none
 * if these are the documented ones, by which rows can be selected without writing them.
 */
function listShown(
  names: readonly string[],
  documented: readonly string[],
  profile: Profile,
): readonly string[] {
  const rows = profile.transactionShape;
  const texts = rows.map(({ row }) => names.flatMap((name) => (isRecord(row) ? listTexts(row[name]) : [])));
  const isDocumented =
    texts.flat().every((text) => text === `{${names[0]}}`) && rows.every(({ of }) => of !== 'fee');
  if (isDocumented || texts.some((shown) => shown.length === 0)) return [];
  const allowed = texts.flat().flatMap((text) => {
    if (!text.includes('{')) return [text];
    const replaced = [...text.matchAll(/=([^ }]+)/g)].map(([, to = '']) => to);
    const all = [...documented, ...replaced];
    return / upper\b/.test(text) ? all.map((value) => value.toUpperCase()) : all;
  });
  return [...new Set(allowed)];
}

/** Returns the texts of a template, of all its cases. */
function listTexts(template: Template = null): string[] {
  if (typeof template === 'string') return [template];
  return Object.values(readCases(template)?.cases ?? {}).flatMap(listTexts);
}

/** The page, or the number of rows before it. */
function placeRule(first: number): ParameterRule<number> {
  const requirement = `must be a whole number from ${first}`;
  return { otherwise: first, requirement, kind: 'page', parse: (text) => parseWhole(text, first) };
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
    kind(text) {
      if (!WHOLE.test(text)) return 'per_page_form';
      return Number(text) < 1 ? 'per_page_small' : 'per_page_large';
    },
    parse: (text) => parseWhole(text, 1, MAX_PER_PAGE),
    repair: page === 'reject' ? undefined : repair,
  };
}

/** The cursors of the rows before a row, and of those after one. */
const cursor: ParameterRule<Pick<Selection, 'before' | 'after'>> = {
  otherwise: {},
  requirement: 'must be a next_cursor of an earlier page',
  kind: 'page',
  parse: (text) => {
    const [, name = '', digits = ''] = /^(before|after)_(.*)$/.exec(text) ?? [];
    const row = parseWhole(digits, name === 'after' ? 0 : 1);
    return row === undefined ? undefined : { [name]: row };
  },
};

function parseWhole(text: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

/** The query parameters of a list that are not a page. */
const known = new Set(['per_page', 'status', 'type']);

/** Returns the values of a page for templates. `search` is the query of the request. */
function pageFacts(
  { rows, total, hasMore, hasPrevious }: HistoryPage,
  asked: Selection,
  template: PageTemplate,
  origin: string,
  search: string,
): Facts {
  const { per_page, skip } = asked;
  const { first: least = 1, by = 'page', parameter = by, query = 'request' } = template;
  const pageAt = (at: number): number => Math.floor(at / per_page) + least;
  const total_pages = Math.ceil(total / per_page);
  const lastSkip = Math.max(0, total_pages - 1) * per_page;
  const isPast = skip >= total;
  const [first, last] = [rows[0], rows.at(-1)];
  const next_cursor = hasMore && last !== undefined ? `before_${last.row}` : null;
  const previous_cursor = hasPrevious && first !== undefined ? `after_${first.row}` : null;
  const toPath = (at: number, place?: string | null): string => {
    const places = { page: pageAt(at), offset: Math.max(0, at), cursor: place ?? '' };
    const written = new URLSearchParams({ [parameter]: String(places[by]) });
    for (const [name, value] of new URLSearchParams(search))
      if (name !== parameter && (query === 'request' || (query !== 'place' && known.has(name))))
        written.append(name, value);
    if (query === 'complete' && !written.has('per_page')) written.append('per_page', String(per_page));
    return `${BASE_PATH}/transactions?${written.toString()}`;
  };
  const paths = {
    next: hasMore ? toPath(skip + per_page, next_cursor) : null,
    previous: hasPrevious ? toPath(skip - per_page, previous_cursor) : null,
    first: toPath(0),
    last: toPath(lastSkip),
    other_first: hasPrevious ? toPath(0) : null,
    other_last: hasMore ? toPath(lastSkip) : null,
    list: `${BASE_PATH}/transactions`,
  };
  const links = Object.entries(paths).flatMap(([name, path]) => [
    [`${name}_path`, path],
    [`${name}_url`, path && `${origin}${path}`],
  ]);
  return {
    page: pageAt(skip),
    per_page,
    total,
    total_pages,
    last_page: pageAt(lastSkip),
    count: rows.length,
    offset: skip,
    has_more: hasMore,
    has_previous: hasPrevious,
    next_page: hasMore ? pageAt(skip + per_page) : null,
    previous_page: pageAt(skip) > least ? pageAt(skip - per_page) : null,
    next_offset: hasMore ? skip + per_page : null,
    next_cursor,
    previous_cursor,
    ...(Object.fromEntries(links) as Facts),
    from: isPast ? null : skip + 1,
    to: isPast ? null : Math.min(total, skip + per_page),
  };
}
