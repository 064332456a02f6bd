import type { Observation } from './observation.ts';

export interface CallResult {
  readonly name: string;
  readonly observation: Observation;
}

export interface ComparedCall {
  readonly name: string;
  /** Empty if the answers are equal. */
  readonly differences: readonly string[];
}

export interface CompareOptions {
  /** Relative difference up to which rates and received amounts are equal, for services whose rates move. */
  readonly rateTolerance?: number;
  /** Whether amounts as text are equal with other zeros at their end. */
  readonly hasTextAmounts?: boolean;
}

export function compareRuns(
  service: readonly CallResult[],
  mock: readonly CallResult[],
  options: CompareOptions = {},
): ComparedCall[] {
  return service.map(({ name, observation }, index) => {
    const other = mock[index];
    return {
      name,
      differences: other
        ? listDifferences(observation, other.observation, { path: '', ...options })
        : ['not called'],
    };
  });
}

interface Position extends CompareOptions {
  readonly path: string;
}

function listDifferences(
  service: Observation | undefined,
  mock: Observation | undefined,
  at: Position,
): string[] {
  if (service === undefined && at.path.endsWith('headers.x-request-id')) return [];
  if (typeof service === 'number' && typeof mock === 'number' && isClose(service, mock, at)) return [];
  if (isContainer(service) && isContainer(mock) && Array.isArray(service) === Array.isArray(mock)) {
    const [left, right] = [new Map(Object.entries(service)), new Map(Object.entries(mock))];
    const names = [...new Set([...left.keys(), ...right.keys()])];
    return names.flatMap((name) =>
      listDifferences(left.get(name), right.get(name), {
        ...at,
        path: at.path === '' ? name : `${at.path}.${name}`,
      }),
    );
  }
  const texts = [service, mock].filter((value) => typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value));
  const [left, right] = texts.map(Number);
  if (at.hasTextAmounts && left !== undefined && left === right) return [];
  if (left !== undefined && right !== undefined && isMoved(left, right, at)) return [];
  return Object.is(service, mock) ? [] : [`${at.path}: ${toText(service)}, mock ${toText(mock)}`];
}

function isContainer(
  value: Observation | undefined,
): value is Exclude<Observation, null | boolean | number | string> {
  return typeof value === 'object' && value !== null;
}

/** Returns whether two numbers are equal, or as equal as two measurements of the same behavior. */
function isClose(service: number, mock: number, { path, rateTolerance = 0 }: Position): boolean {
  const largest = Math.max(Math.abs(service), Math.abs(mock));
  const difference = Math.abs(service - mock);
  if (path.endsWith('_seconds')) return difference <= 0.3 + 0.25 * largest;
  if (path.endsWith('accepted')) return difference <= 0.5 * largest;
  return difference === 0 || isMoved(service, mock, { path, rateTolerance });
}

/** Returns whether two rates or received amounts differ only as rates that move. */
function isMoved(service: number, mock: number, { path, rateTolerance = 0 }: Position): boolean {
  const limit = rateTolerance * Math.max(Math.abs(service), Math.abs(mock));
  return (
    rateTolerance > 0 &&
    /(?:^|\.)(?:rate|receive_amount|counter_amount|target\.value)$/.test(path) &&
    Math.abs(service - mock) <= limit
  );
}

function toText(value: Observation | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
}

/** Returns the percentage of equal answers. */
export function share(compared: readonly ComparedCall[]): number {
  return (100 * compared.filter(({ differences }) => differences.length === 0).length) / compared.length;
}

/** What settings describe of a body: amounts, rows and pages in `data`, and the type of an error. */
const describedBody = /(?:^|\.)body\.(?:success$|error\.type$|data\.?)/;
/** The form of an id, in a field of any name. */
const idForm = /"pay_test_\{[^"]*\}", mock "pay_test_\{/;
/** What no setting describes: headers, ids, and times but that of the creation. */
const undescribed = /(?:^|\.)headers\.|(?:Id|_id|\.id)$|(?<!created)(?:_at|At)$/;

/** A field that only the service has. No setting adds fields to payments, quotes, balances and events: `respond` does. */
const added = /(?:^|\.)data\.\S+: .*, mock absent$/;

/** Returns the calls with the differences that settings describe: statuses, types of errors, amounts, order, rows and pages. */
export function keepDescribed(compared: readonly ComparedCall[]): ComparedCall[] {
  const isDescribed = (name: string, difference: string): boolean => {
    const [path = ''] = difference.split(': ');
    if (added.test(difference) && !name.startsWith('transactions')) return false;
    if (idForm.test(difference)) return false;
    return !undescribed.test(path) && (!/(?:^|\.)body\b/.test(path) || describedBody.test(path));
  };
  return compared.map(({ name, differences }) => ({
    name,
    differences: differences.filter((difference) => isDescribed(name, difference)),
  }));
}

/** Returns the differences of each call, and the share of equal answers. */
export function formatComparison(name: string, compared: readonly ComparedCall[]): string {
  const different = compared.filter(({ differences }) => differences.length > 0);
  const lines = different.flatMap((call) => [call.name, ...call.differences.map((text) => `  ${text}`)]);
  const equal = compared.length - different.length;
  const summary = `${equal} of ${compared.length} answers are equal (${share(compared).toFixed(0)} %)`;
  return [...lines, `${name}: ${summary}`].join('\n');
}
