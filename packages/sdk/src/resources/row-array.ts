import { redactText } from '../errors/redact.ts';
import { isRecord, type JsonObject } from '../values/json.ts';

/** The reason why no array of a page holds its rows. */
export interface UnreadablePage {
  readonly problem: string;
}

const documentedName = 'transactions';
const commonNames: ReadonlySet<string> = new Set([
  documentedName,
  'data',
  'items',
  'results',
  'records',
  'rows',
  'entries',
  'content',
]);

/** The members of a body that describe pages and therefore never hold the rows. */
export const pagingContainers = ['pagination', 'meta', 'links', '_links', 'page', 'paging'] as const;

/** An array of a response body with its path. */
export interface FoundArray {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** Finds the one array of objects that holds the rows of a page. */
export function findRowArray(body: unknown): FoundArray | UnreadablePage {
  const shallow = listArrays(body, 1);
  const all = [...shallow, ...listArrays(body, 2)];
  const documented = all.find(({ path }) => path.at(-1) === documentedName);
  if (documented) return documented;
  for (const level of [shallow, all]) {
    const chosen = chooseArray(level);
    if (chosen) return chosen;
  }
  const empty = all.filter(({ path, items }) => path[0] === 'data' && items.length === 0);
  return empty.length === 1 && empty[0] ? empty[0] : { problem: describeBody(body) };
}

/** Returns the array of objects among these, or an empty one under a common name; undefined if there is neither. */
function chooseArray(arrays: readonly FoundArray[]): FoundArray | UnreadablePage | undefined {
  const filled = arrays.filter(({ items }) => items.some(isRecord));
  const empty = arrays.find(({ path, items }) => items.length === 0 && isCommonName(path));
  const [first, second] =
    filled.some(({ path }) => isCommonName(path)) || !empty ? filled : [...filled, empty];
  if (!first || !second) return first;
  const paths = (filled.length > 1 ? filled : [first, second]).map(({ path }) => `\`${formatPath(path)}\``);
  return { problem: `it has more than one array that may hold the transactions: ${paths.join(' and ')}` };
}

/** Whether an array at this path has the documented name or one that is common for rows. */
export function isCommonName(path: readonly string[]): boolean {
  return commonNames.has(path.at(-1) ?? '');
}

/** Lists the arrays of a body: those in `data` and beside it, or at level 2 those in their objects. */
function listArrays(body: unknown, level: 1 | 2): FoundArray[] {
  const data = isRecord(body) ? body.data : undefined;
  const places: FoundMember[] = [...listMembers(data, ['data']), ...listMembers(body, [])].filter(
    ({ path }) => level === 1 || path.length > 1 || path[0] !== 'data',
  );
  const members = level === 1 ? places : places.flatMap(({ value, path }) => listMembers(value, path));
  return members.flatMap(({ path, value }) => (Array.isArray(value) ? [{ path, items: value }] : []));
}

interface FoundMember {
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
  const { success: _success, mode: _mode, data, ...besides } = body;
  const inside = isRecord(data) ? `\`data\` has ${describeKeys(data)}` : `\`data\` is ${describeKind(data)}`;
  const beside = Object.keys(besides).length === 0 ? '' : `, and beside it there is ${describeKeys(besides)}`;
  return `it has no array of transactions: ${inside}${beside}`;
}

const mostKeysShown = 12;

function describeKeys(object: JsonObject): string {
  const keys = Object.entries(object).map(([name, value]) => `${formatName(name)} (${describeKind(value)})`);
  const rest = keys.length - mostKeysShown;
  const shown = keys.slice(0, mostKeysShown).join(', ') || 'no keys';
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** Names the kind of a value without showing it. */
export function describeKind(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (!Array.isArray(value)) return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  return value.length === 0 ? 'an empty array' : 'an array without objects';
}

/** Writes a path for a person, without names that may be private. */
export function formatPath(path: readonly string[]): string {
  return path.map(formatName).join('.');
}

/** Returns the name of a member, or `…` for one that may be a person's name, an account number or a key. */
function formatName(name: string): string {
  const isIdentifier = /^[a-z_][\w-]{0,39}$/.test(name) && !/\d{5}/.test(name);
  return isIdentifier ? redactText(name) : '…';
}
