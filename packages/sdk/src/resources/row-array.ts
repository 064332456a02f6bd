import { redactText } from '../redact.ts';
import { type JsonObject, isRecord } from '@service/internal';

/** The reason why the array with the rows of a page cannot be determined. */
export interface UnreadablePage {
  /** A sentence about the structure of the body, without its values. */
  readonly problem: string;
}

const DOCUMENTED_NAME = 'transactions';
const commonNames: ReadonlySet<string> = new Set([
  DOCUMENTED_NAME,
  'data',
  'items',
  'results',
  'records',
  'rows',
  'entries',
  'content',
]);

/** The members of a body that describe pages and never contain the rows. */
export const pagingContainers = ['pagination', 'meta', 'links', '_links', 'page', 'paging'] as const;

/** An array in a response body and its path. */
export interface FoundArray {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
  /** The names of the items, if they are in an object. */
  readonly keys?: readonly string[] | undefined;
  /** The path of the row in each item. */
  readonly inner?: readonly string[];
}

/** Finds the one array of objects that contains the rows of a page. */
export function findRowArray(body: unknown): FoundArray | UnreadablePage {
  const shallow = listArrays(body, 1);
  const all = [...shallow, ...listArrays(body, 2)];
  const documented = all.find(({ path }) => path.at(-1) === DOCUMENTED_NAME);
  if (documented) return documented;
  for (const level of [shallow, all]) {
    const chosen = chooseArray(level);
    if (chosen) return chosen;
  }
  const empty = all.filter(({ path, items }) => path[0] === 'data' && items.length === 0);
  return empty.length === 1 && empty[0] ? empty[0] : { problem: describeBody(body) };
}

/**
 * Returns the one array of objects, else an empty array with a common name, else undefined. Two candidates
 * are a problem.
 */
function chooseArray(arrays: readonly FoundArray[]): FoundArray | UnreadablePage | undefined {
  const filled = arrays.filter(({ items }) => items.some(isRecord));
  const empty = arrays.find(({ path, items }) => items.length === 0 && isCommonName(path));
  const [first, second] =
    filled.some(({ path }) => isCommonName(path)) || !empty ? filled : [...filled, empty];
  if (!first || !second) return first;
  const paths = (filled.length > 1 ? filled : [first, second]).map(({ path }) => `\`${formatPath(path)}\``);
  return { problem: `it has more than one array that may hold the transactions: ${paths.join(' and ')}` };
}

/** Returns whether the last name of a path is the documented name of the row array, or a common one. */
export function isCommonName(path: readonly string[]): boolean {
  return commonNames.has(path.at(-1) ?? '');
}

/**
 * Returns the arrays of a body. Level 1: inside `data` and next to it. Level 2: in the objects of level 1.
 */
function listArrays(body: unknown, level: 1 | 2): FoundArray[] {
  const data = isRecord(body) ? body.data : undefined;
  const places: FoundMember[] = [...listMembers(data, ['data']), ...listMembers(body, [])].filter(
    ({ path }) => level === 1 || path.length > 1 || path[0] !== 'data',
  );
  const members = level === 1 ? places : places.flatMap(({ value, path }) => listMembers(value, path));
  return members.flatMap(({ path, value }) => (Array.isArray(value) ? [{ path, items: value }] : []));
}

/** A member of a response body and its path. */
export interface FoundMember {
  readonly path: readonly string[];
  readonly value: unknown;
}

function listMembers(value: unknown, path: readonly string[]): FoundMember[] {
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .filter(([name]) => !pagingContainers.some((container) => container === name))
    .map(([name, member]) => ({ path: [...path, name], value: member }));
}

function describeBody(body: unknown): string {
  if (!isRecord(body)) return `it is ${describeKind(body)}`;
  const { success: _success, mode: _mode, data, ...siblings } = body;
  const inside = isRecord(data) ? `\`data\` has ${describeKeys(data)}` : `\`data\` is ${describeKind(data)}`;
  const siblingText =
    Object.keys(siblings).length === 0 ? '' : `, and beside it there is ${describeKeys(siblings)}`;
  return `it has no array of transactions: ${inside}${siblingText}`;
}

/** Maximum number of member names in a message. */
export const MAX_NAMES = 12;

function describeKeys(object: JsonObject): string {
  const keys = Object.entries(object).map(([name, value]) => `${formatName(name)} (${describeKind(value)})`);
  const rest = keys.length - MAX_NAMES;
  const shown = keys.slice(0, MAX_NAMES).join(', ') || 'no keys';
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** Returns the kind of a value without revealing the value. */
export function describeKind(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (!Array.isArray(value)) return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  return value.length === 0 ? 'an empty array' : 'an array without objects';
}

/** Formats a path for a message, without names that may be private. */
export function formatPath(path: readonly string[]): string {
  return path.map(formatName).join('.');
}

/** Returns the name of a member, or `…` for one that may be a person's name, an account number or a key. */
function formatName(name: string): string {
  const isIdentifier = /^[a-z_][\w-]{0,39}$/.test(name) && !/\d{5}/.test(name);
  return isIdentifier ? redactText(name) : '…';
}
