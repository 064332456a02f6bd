import { transactionStatuses, transactionTypes } from '@service/contract';
import { refuseFields } from '../domain/refusal.ts';
import type { Selection } from '../world/history.ts';
import { Refused } from './respond.ts';

const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 20;

/** Reads the query of `GET /transactions` (spec §4); throws `Refused` naming every bad parameter. */
export function readTransactionQuery(query: URLSearchParams): Selection {
  const problems = new Map<string, string>();
  const read = <Value>(name: string, rule: Rule<Value>): Value => {
    const values = query.getAll(name);
    if (values.length === 0) return rule.otherwise;
    const value = values.length === 1 ? rule.parse(values[0] ?? '') : undefined;
    if (value === undefined) problems.set(name, rule.requirement);
    return value ?? rule.otherwise;
  };
  const asked = {
    page: read('page', page),
    per_page: read('per_page', perPage),
    status: read('status', oneOf(transactionStatuses)),
    type: read('type', oneOf(transactionTypes)),
  };
  if (problems.size > 0) throw new Refused(refuseFields(problems));
  return asked;
}

interface Rule<Value> {
  readonly otherwise: Value;
  readonly requirement: string;
  readonly parse: (text: string) => Value | undefined;
}

const page: Rule<number> = {
  otherwise: 1,
  requirement: 'must be a whole number from 1, given once',
  parse: (text) => parseWhole(text, Number.MAX_SAFE_INTEGER),
};

const perPage: Rule<number> = {
  otherwise: DEFAULT_PER_PAGE,
  requirement: `must be a whole number from 1 to ${MAX_PER_PAGE}, given once`,
  parse: (text) => parseWhole(text, MAX_PER_PAGE),
};

function oneOf<Value extends string>(allowed: readonly Value[]): Rule<Value | undefined> {
  return {
    otherwise: undefined,
    requirement: `must be one of ${allowed.join(', ')}, given once`,
    parse: (text) => allowed.find((value) => value === text),
  };
}

function parseWhole(text: string, most: number): number | undefined {
  const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
}
