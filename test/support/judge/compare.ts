import type { Observation } from './observation.ts';
import { maskRandomTexts } from './random-texts.ts';

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
}

export function compareRuns(
  service: readonly CallResult[],
  mock: readonly CallResult[],
  options: CompareOptions = {},
): ComparedCall[] {
  const [ofService, ofMock] = maskRandomTexts(service, mock);
  return ofService.map(({ name, observation }, index) => {
    const other = ofMock[index];
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
    rateTolerance > 0 && /(?:^|\.)(?:rate|receive_amount)$/.test(path) && Math.abs(service - mock) <= limit
  );
}

function toText(value: Observation | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
}

/** Number of frequent differences that a report lists. */
const FREQUENT = 8;

/** Returns the percentage of equal answers. */
export function share(compared: readonly ComparedCall[]): number {
  return (100 * compared.filter(({ differences }) => differences.length === 0).length) / compared.length;
}

const aspects = ['statuses', 'headers', 'bodies', 'effects'] as const;
type Aspect = (typeof aspects)[number];

/** Returns the percentage of answers that are equal in one aspect. Effects are rows, balances and events. */
export function shareOf(aspect: Aspect, compared: readonly ComparedCall[]): number {
  const isEqual = ({ differences }: ComparedCall): boolean =>
    differences.every((text) => findAspect(text) !== aspect);
  return (100 * compared.filter(isEqual).length) / compared.length;
}

function findAspect(difference: string): Aspect {
  const path = difference.slice(0, difference.indexOf(': ')).split('.');
  if (path.includes('headers')) return 'headers';
  if (path.includes('body')) return 'bodies';
  return path.at(-1) === 'status' ? 'statuses' : 'effects';
}

/** Returns the differences of each call, the most frequent ones, and the share of equal answers. */
export function formatComparison(name: string, compared: readonly ComparedCall[]): string {
  const different = compared.filter(({ differences }) => differences.length > 0);
  const lines = different.flatMap((call) => [call.name, ...call.differences.map((text) => `  ${text}`)]);
  const counts = new Map<string, number>();
  for (const text of different.flatMap(({ differences }) => differences)) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, FREQUENT);
  const equal = compared.length - different.length;
  return [
    ...lines,
    ...(frequent.length > 0 ? ['Most frequent differences:'] : []),
    ...frequent.map(([text, count]) => `${String(count).padStart(4)} ${text}`),
    aspects.map((aspect) => `${aspect} ${shareOf(aspect, compared).toFixed(0)} %`).join(', '),
    `${name}: ${equal} of ${compared.length} answers are equal (${share(compared).toFixed(0)} %)`,
  ].join('\n');
}
