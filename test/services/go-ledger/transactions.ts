import {
  type Entry,
  entryStatuses,
  type EntryStatus,
  entryTypes,
  type EntryType,
  formatEntry,
  type Ledger,
} from './ledger.ts';
import { type FieldViolation, validationProblem } from './problem.ts';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

interface Filter {
  readonly status: EntryStatus | undefined;
  readonly type: EntryType | undefined;
}

interface ListRequest extends Filter {
  readonly pageSize: number;
  /** Sequence of the last entry of the page before. */
  readonly before: number;
}

/** Returns a page as AIP-158 describes it: the newest entries first, and an empty token on the last page. */
export function listTransactions(ledger: Ledger, query: URLSearchParams): object {
  const request = readListRequest(query);
  const rest = ledger.entries.filter((entry) => matches(entry, request)).toReversed();
  const page = rest.slice(0, request.pageSize);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return {
    transactions: page.map(formatEntry),
    next_page_token: last === undefined ? '' : encodeToken(last.sequence, request),
  };
}

function matches(entry: Entry, { before, status, type }: ListRequest): boolean {
  return (
    entry.sequence < before &&
    (status === undefined || entry.status === status) &&
    (type === undefined || entry.type === type)
  );
}

/** An empty parameter counts as absent, because Go has one zero value for both. */
function readListRequest(query: URLSearchParams): ListRequest {
  const violations: FieldViolation[] = [];
  const filter = {
    status: readEnum('status', { query, names: entryStatuses, violations }),
    type: readEnum('type', { query, names: entryTypes, violations }),
  };
  const pageSize = readPageSize(query.get('per_page') ?? '', violations);
  const token = query.get('page_token') ?? '';
  const before = token === '' ? Number.POSITIVE_INFINITY : decodeToken(token, filter);
  if (before === undefined)
    violations.push({ field: 'page_token', description: 'value is not a token of this list' });
  if (before === undefined || violations.length > 0)
    throw validationProblem('ListTransactionsRequest', violations);
  return { ...filter, pageSize, before };
}

interface EnumOptions<Name extends string> {
  readonly query: URLSearchParams;
  readonly names: readonly Name[];
  readonly violations: FieldViolation[];
}

/** Accepts enum names in any case. */
function readEnum<Name extends string>(
  field: string,
  { query, names, violations }: EnumOptions<Name>,
): Name | undefined {
  const text = query.get(field) ?? '';
  const value = names.find((name) => name === text.toUpperCase());
  if (text !== '' && value === undefined)
    violations.push({ field, description: `value must be in list [${names.join(' ')}]` });
  return value;
}

function readPageSize(text: string, violations: FieldViolation[]): number {
  if (text === '') return DEFAULT_PAGE_SIZE;
  const size = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  if (size === undefined) violations.push({ field: 'per_page', description: 'value must be an int32' });
  else if (size < 1 || size > MAX_PAGE_SIZE)
    violations.push({
      field: 'per_page',
      description: `value must be inside range [1, ${MAX_PAGE_SIZE}]`,
    });
  return size ?? DEFAULT_PAGE_SIZE;
}

function encodeToken(sequence: number, { status, type }: Filter): string {
  return Buffer.from(`v1|${sequence}|${status ?? ''}|${type ?? ''}`).toString('base64url');
}

/** Returns undefined for a token that was issued for another filter. */
function decodeToken(token: string, filter: Filter): number | undefined {
  const sequence = Number(Buffer.from(token, 'base64url').toString().split('|')[1]);
  return token === encodeToken(sequence, filter) ? sequence : undefined;
}
