import type { Profile } from '../domain/profile.ts';
import { toWireTransaction } from '../domain/transaction.ts';
import type { Json } from '../domain/json.ts';
import type { HistoryPage, Selection } from '../state/history.ts';
import { toCursor } from './query.ts';
import { BASE_PATH } from './route.ts';

/** A page of the transaction history in the shape of a profile. */
export interface RenderedPage {
  readonly data: Json;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts a page to the shape that the profile selects (docs/contract.md#profile-settings). */
export function renderPage(found: HistoryPage, asked: Selection, profile: Profile): RenderedPage {
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
