import { transactionStatuses, transactionTypes } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import { invalidFields } from '../domain/api-error.ts';
import { statuses } from '../domain/status.ts';
import type { Selection } from '../state/history.ts';
import { HttpError } from './response.ts';

const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 20;

/**
 * Reads the query of `GET /transactions` (docs/contract.md#transactions).
 *
 * @throws {HttpError} that names every invalid parameter
 */
export function readTransactionQuery(query: URLSearchParams, profile: Profile): Selection {
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
export function toCursor(row: number): string {
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
    ...(badPage === 'clamp' && { repair: () => 1 }),
  };
}

function perPageRule({ badPage }: Profile): ParameterRule<number> {
  return {
    otherwise: DEFAULT_PER_PAGE,
    requirement: `must be a whole number from 1 to ${MAX_PER_PAGE}, given once`,
    parse: (text) => parseWhole(text, MAX_PER_PAGE),
    ...(badPage === 'clamp' && { repair: clamp }),
  };
}

function clamp(text: string): number {
  if (!/^-?\d+$/.test(text)) return DEFAULT_PER_PAGE;
  return text.startsWith('-') || /^0+$/.test(text) ? 1 : MAX_PER_PAGE;
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
  const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
}
