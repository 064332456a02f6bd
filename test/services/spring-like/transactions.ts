import type { BigDecimal } from './big-decimal.ts';
import { constraintViolations, type Violation } from './exceptions.ts';
import { formatLocal, localDate } from './timestamps.ts';
import { entryStatuses, entryTypes, type LedgerEntry } from './wallet.ts';

export interface TransactionQuery {
  /** Number of the page; the first is 0. */
  readonly page: number;
  readonly size: number;
  readonly status: string | undefined;
  readonly type: string | undefined;
}

interface TransactionResponse {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly direction: string;
  readonly currency: string;
  readonly amount: BigDecimal;
  readonly balance_after: BigDecimal | null;
  readonly reference: string | null;
  readonly narrative: string | null;
  readonly created_at: string;
  readonly booking_date: string | null;
}

interface TransactionPage {
  readonly content: readonly TransactionResponse[];
  readonly page: {
    readonly size: number;
    readonly number: number;
    readonly total_elements: number;
    readonly total_pages: number;
  };
}

/** @throws {ApiException} when a parameter is not valid */
export function readTransactionQuery(parameters: URLSearchParams): TransactionQuery {
  return {
    page: readPage(parameters.get('page')),
    size: readSize(parameters.get('per_page')),
    status: readConstant(parameters.get('status'), 'status', entryStatuses),
    type: readConstant(parameters.get('type'), 'type', entryTypes),
  };
}

/** Returns a page of the entries, newest first. */
export function pageOf(entries: readonly LedgerEntry[], query: TransactionQuery): TransactionPage {
  const { page, size, status, type } = query;
  const matching = entries
    .toReversed()
    .filter((entry) => (status ?? entry.status) === entry.status && (type ?? entry.type) === entry.type);
  return {
    content: matching.slice(page * size, (page + 1) * size).map(toResponse),
    page: {
      size,
      number: page,
      total_elements: matching.length,
      total_pages: Math.ceil(matching.length / size),
    },
  };
}

function toResponse(entry: LedgerEntry): TransactionResponse {
  const { id, type, status, direction, currency, amount, balanceAfter, reference, narrative } = entry;
  return {
    id,
    type,
    status,
    direction,
    currency,
    amount,
    balance_after: balanceAfter ?? null,
    reference: reference ?? null,
    narrative: narrative ?? null,
    created_at: formatLocal(entry.createdAt),
    booking_date: entry.bookedAt === undefined ? null : localDate(entry.bookedAt),
  };
}

/** Takes the first page for every value that is no page, as `Pageable` does. */
function readPage(text: string | null): number {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : 0;
}

function readSize(text: string | null): number {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return 20;
  if (!/^[+-]?\d{1,9}$/.test(trimmed)) throw mismatch('per_page', 'must be an integer');
  const size = Number(trimmed);
  if (size < 1)
    throw invalid({ field: 'perPage', code: 'Min', message: 'must be greater than or equal to 1' });
  if (size > 100)
    throw invalid({ field: 'perPage', code: 'Max', message: 'must be less than or equal to 100' });
  return size;
}

/** Finds a constant without regard to case and punctuation: `top-up` means `TOP_UP`. */
function readConstant(text: string | null, name: string, constants: readonly string[]): string | undefined {
  if (text === null || text.trim() === '') return undefined;
  const constant = constants.find((candidate) => lettersOf(candidate) === lettersOf(text));
  if (constant === undefined) throw mismatch(name, `must be one of ${constants.join(', ')}`);
  return constant;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function mismatch(field: string, message: string) {
  return invalid({ field, code: 'TypeMismatch', message });
}

function invalid(violation: Violation) {
  return constraintViolations([violation]);
}
