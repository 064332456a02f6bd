// The places of invalid fields in the responses to invalid requests.
import { isRecord, type Template } from '@service/internal';
import { groupBy } from '../group.ts';

/** The names and indexes that lead to a part of a response. */
export type Path = readonly string[];

/** Returns a text with the names of fields in the form of the document: `From currency` and `fromCurrency` have the same. */
export function normalizeNames(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
}

/** Returns whether a key is the name of a field, rather than a path to it such as `$.amount`. */
export function isName(key: string, field: string): boolean {
  return /^[A-Za-z]/.test(key) && normalizeNames(key) === field;
}

/** Returns the fields that a part of a response names, in their order. */
export function listNamed(json: unknown, fields: readonly string[]): string[] {
  const text = `_${normalizeNames(JSON.stringify(json) ?? '')}_`;
  const at = (field: string): number => text.indexOf(`_${field}_`);
  return fields.filter((field) => at(field) >= 0).toSorted((one, two) => at(one) - at(two));
}

/** Returns the shortest path that most responses have for the details of their field. */
export function findPlace(
  samples: readonly { readonly json: unknown; readonly field: string }[],
): Path | undefined {
  const paths = samples.flatMap(({ json, field }) => findPlaces(json, field));
  const [[path = [], ...more] = []] = [...groupBy(paths, (each) => each.join('.')).values()].toSorted(
    (one, other) => other.length - one.length || (one[0]?.length ?? 0) - (other[0]?.length ?? 0),
  );
  return paths.length > 0 && more.length + 1 > samples.length / 2 ? path : undefined;
}

/** Returns whether a response has details of its field in a place. */
export function hasPlace(json: unknown, field: string, path: Path): boolean {
  return findPlaces(json, field).some((each) => each.join('.') === path.join('.'));
}

/** Returns the paths of lists whose elements all name a field, and of objects with only this field, the shortest first. */
function findPlaces(json: unknown, field: string): Path[] {
  const places: Path[] = [];
  const queue: [Path, unknown][] = [[[], json]];
  for (const [path, value] of queue) {
    if (typeof value !== 'object' || value === null) continue;
    const names = Object.keys(value);
    const isList = Array.isArray(value) && value.every((each) => listNamed(each, [field]).length > 0);
    const isObject = isRecord(value) && names.every((name) => isName(name, field));
    if (names.length > 0 && (isList || isObject)) places.push(path);
    for (const name of names) queue.push([[...path, name], (value as Record<string, unknown>)[name]]);
  }
  return places;
}

/** Reads the part of a response at a path. */
export function readPath(json: unknown, path: Path): unknown {
  return path.reduce(
    (value: unknown, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    json,
  );
}

/** Replaces the part of a response, or of its template, at a path. */
export function writePath(json: unknown, [name, ...rest]: Path, part: Template): unknown {
  if (name === undefined || typeof json !== 'object' || json === null) return part;
  if (Array.isArray(json))
    return json.map((each: unknown, index) => (String(index) === name ? writePath(each, rest, part) : each));
  return { ...json, [name]: writePath((json as Record<string, unknown>)[name], rest, part) };
}

/** Returns the values of a JSON value that are no objects or lists, by their path. */
export function listLeaves(json: unknown, path: Path = []): [path: string, value: unknown][] {
  if (typeof json !== 'object' || json === null) return [[path.join('.'), json]];
  return Object.entries(json).flatMap(([name, value]) => listLeaves(value, [...path, name]));
}
