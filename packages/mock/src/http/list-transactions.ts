import { transactionStatuses, transactionTypes } from '@service/contract';
import { invalidFields } from '../domain/api-error.ts';
import type { Json } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { statuses } from '../domain/status.ts';
import { toWireTransaction } from '../domain/transaction.ts';
import { type HistoryPage, listTransactions, type Selection } from '../state/history.ts';
import { HttpError } from './errors.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import { okResponse } from './response.ts';
import { BASE_PATH } from './route.ts';

/** Responds with a page of the transaction history. */
export function listTransactionPage({ caller, request }: OperationContext): OperationResult {
  const { accountState } = caller;
  const asked = readTransactionQuery(new URLSearchParams(request.search), accountState.profile);
  const { data, headers } = renderPage(listTransactions(accountState, asked), asked, accountState.profile);
  const response = okResponse(200, accountState, data);
  const links = [response.headers.Link, headers.Link].filter((link) => link !== undefined);
  const joined = links.length > 0 ? { Link: links.join(', ') } : {};
  return { response: { ...response, headers: { ...response.headers, ...headers, ...joined } } };
}

const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 20;

/**
 * Reads the query of `GET /transactions` (docs/contract.md#transactions).
 *
 * @throws {HttpError} that names every invalid parameter
 */
function readTransactionQuery(query: URLSearchParams, profile: Profile): Selection {
  const problems = new Map<string, string>();
  const read = <Value>(name: string, rule: ParameterRule<Value>): Value => {
    const values = query.getAll(name);
    if (values.length === 0) return rule.otherwise;
    const value = values.length === 1 ? rule.parse(values[0] ?? '') : undefined;
    if (value !== undefined) return value;
    if (rule.repair !== undefined) return rule.repair(values[0] ?? '');
    problems.set(name, rule.requirement);
    return rule.otherwise;
  };
  const asked = {
    page: read('page', pageRule(profile)),
    per_page: read('per_page', perPageRule(profile)),
    before: profile.pagination === 'cursor' ? read('cursor', cursor) : undefined,
    status: read('status', filterRule(allowedStatuses(profile), profile)),
    type: read('type', filterRule(transactionTypes, profile)),
  };
  if (problems.size > 0) throw new HttpError(invalidFields(problems));
  return profile.pagination === 'cursor' ? { ...asked, page: 1 } : asked;
}

/** Formats the cursor of the rows before a row. */
function toCursor(row: number): string {
  return `before_${row}`;
}

interface ParameterRule<Value> {
  readonly otherwise: Value;
  readonly requirement: string;
  readonly parse: (text: string) => Value | undefined;
  /** Replaces an invalid value. Without it, an invalid value is an error. */
  readonly repair?: (text: string) => Value;
}

function pageRule({ badPage }: Profile): ParameterRule<number> {
  return {
    otherwise: 1,
    requirement: 'must be a whole number from 1, given once',
    parse: (text) => parseWhole(text, Number.MAX_SAFE_INTEGER),
    ...(badPage === 'clamp' && { repair: clampPage }),
  };
}

function perPageRule({ badPage }: Profile): ParameterRule<number> {
  return {
    otherwise: DEFAULT_PER_PAGE,
    requirement: `must be a whole number from 1 to ${MAX_PER_PAGE}, given once`,
    parse: (text) => parseWhole(text, MAX_PER_PAGE),
    ...(badPage === 'clamp' && { repair: clampPerPage }),
  };
}

/** Reads a page with leading zeros. Any other invalid page is page 1. */
function clampPage(text: string): number {
  return parseWhole(text.replace(/^0+/, ''), Number.MAX_SAFE_INTEGER) ?? 1;
}

function clampPerPage(text: string): number {
  if (!/^-?\d+$/.test(text)) return DEFAULT_PER_PAGE;
  return Math.min(Math.max(Number(text), 1), MAX_PER_PAGE);
}

const cursor: ParameterRule<number | undefined> = {
  otherwise: undefined,
  requirement: 'must be a next_cursor of an earlier page, given once',
  parse: (text) =>
    text.startsWith('before_') ? parseWhole(text.slice(7), Number.MAX_SAFE_INTEGER) : undefined,
};

function allowedStatuses({ unknownStatus }: Profile): Selection['status'][] {
  return unknownStatus === 'invented' ? [...statuses] : [...transactionStatuses];
}

function filterRule<Value extends string>(
  allowed: readonly (Value | undefined)[],
  { unknownFilter }: Profile,
): ParameterRule<Value | 'nothing' | undefined> {
  return {
    otherwise: undefined,
    requirement: `must be one of ${allowed.join(', ')}, given once`,
    parse: (text) => allowed.find((value) => value === text),
    ...(unknownFilter !== 'reject' && { repair: () => (unknownFilter === 'empty' ? 'nothing' : undefined) }),
  };
}

function parseWhole(text: string, most: number): number | undefined {
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
}

/** A page of the transaction history in the shape of a profile. */
interface RenderedPage {
  readonly data: Json;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts a page to the shape that the profile selects (docs/contract.md#profile-settings). */
function renderPage(found: HistoryPage, asked: Selection, profile: Profile): RenderedPage {
  const rows: readonly Json[] = found.rows.map((row) => toWireTransaction(row, profile));
  return shapes[profile.pagination](rows, found, asked);
}

type Shape = (rows: readonly Json[], found: HistoryPage, asked: Selection) => RenderedPage;

const shapes: Readonly<Record<Profile['pagination'], Shape>> = {
  page: (rows, found, asked) => ({
    data: { transactions: rows, pagination: toPageFields(found, asked) },
    headers: {},
  }),
  laravel: (rows, found, asked) => ({
    data: { ...toLaravelPage(toPageFields(found, asked), asked), data: rows },
    headers: {},
  }),
  cursor: (rows, found, asked) => ({
    data: { transactions: rows, pagination: toCursorPage(found, asked) },
    headers: {},
  }),
  array: (rows) => ({ data: rows, headers: {} }),
  link: (rows, { hasMore }, asked) => ({
    data: { transactions: rows },
    headers: hasMore ? { Link: toLink(asked) } : {},
  }),
};

interface Page {
  readonly current_page: number;
  readonly per_page: number;
  readonly total: number;
  readonly total_pages: number;
  readonly has_more: boolean;
  readonly [name: string]: Json;
}

function toPageFields({ total }: HistoryPage, { page, per_page }: Selection): Page {
  const total_pages = Math.ceil(total / per_page);
  return { current_page: page, per_page, total, total_pages, has_more: page < total_pages };
}

/** Returns the page fields of Laravel's paginator, without the rows. */
function toLaravelPage(
  { current_page, per_page, total, total_pages, has_more }: Page,
  asked: Selection,
): {
  readonly [field: string]: Json;
} {
  const from = (current_page - 1) * per_page + 1;
  const isPast = from > total;
  return {
    current_page,
    from: isPast ? null : from,
    last_page: Math.max(1, total_pages),
    next_page_url: has_more ? toUrl(asked, current_page + 1) : null,
    per_page,
    prev_page_url: current_page > 1 ? toUrl(asked, current_page - 1) : null,
    to: isPast ? null : Math.min(total, current_page * per_page),
    total,
  };
}

function toCursorPage(
  { rows, hasMore }: HistoryPage,
  { per_page }: Selection,
): { readonly [field: string]: Json } {
  const last = rows.at(-1);
  return {
    per_page,
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? toCursor(last.row) : null,
  };
}

function toLink(asked: Selection): string {
  return `<${toUrl(asked, asked.page + 1)}>; rel="next"`;
}

function toUrl({ per_page, status, type }: Selection, page: number): string {
  const query = new URLSearchParams({ page: String(page), per_page: String(per_page) });
  if (status !== undefined) query.set('status', status);
  if (type !== undefined) query.set('type', type);
  return `${BASE_PATH}/transactions?${query.toString()}`;
}
