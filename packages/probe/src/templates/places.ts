// The places of invalid fields in the responses to invalid requests.
import { isRecord, type Template } from '@service/internal';

/** The names and indexes that lead to a part of a response. */
export type Path = readonly string[];

/** A response, and the fields of its request that are invalid. */
export interface PlacedFields {
  readonly json: unknown;
  readonly fields: readonly string[];
}

/** Returns whether two paths are equal. */
const isSamePath = (one: Path, other: Path): boolean => one.join('.') === other.join('.');

/** Returns a text with the names of fields in the form of the document: `From currency` and `fromCurrency` have the same. */
export function normalizeNames(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
}

/** Returns whether a part of a response names a field. */
function namesField(json: unknown, field: string): boolean {
  return `_${normalizeNames(JSON.stringify(json) ?? '')}_`.includes(`_${field}_`);
}

/** Returns the fields that a part of a response names, in their order. */
export function listNamed(json: unknown, fields: readonly string[]): string[] {
  const text = `_${normalizeNames(JSON.stringify(json) ?? '')}_`;
  const at = (field: string): number => text.indexOf(`_${field}_`);
  return fields.filter((field) => at(field) >= 0).toSorted((one, two) => at(one) - at(two));
}

/**
 * Returns the path that most responses have for the details of their field: a list whose elements all name it, or an
 * object with only this field. `several` is the response to a request with several invalid fields, each of which has a
 * separate element.
 */
export function findPlace(
  samples: readonly { readonly json: unknown; readonly field: string }[],
  several: PlacedFields | undefined,
): Path | undefined {
  const places = samples.flatMap(({ json, field }) => findPlaces(json, field));
  const counted = places.map((path) => ({
    path,
    count: places.filter((each) => isSamePath(each, path)).length,
    separates: several !== undefined && separatesFields(readPath(several.json, path), several.fields),
  }));
  const [most] = counted.toSorted(
    (one, other) =>
      other.count - one.count ||
      Number(other.separates) - Number(one.separates) ||
      one.path.length - other.path.length,
  );
  return most !== undefined && most.count > samples.length / 2 ? most.path : undefined;
}

/** Returns whether a response has details of its field in a place. */
export function hasPlace(json: unknown, field: string, path: Path): boolean {
  return findPlaces(json, field).some((each) => isSamePath(each, path));
}

/** Returns whether each element of a list, or each field of an object, is about one of several fields. */
function separatesFields(json: unknown, fields: readonly string[]): boolean {
  if (Array.isArray(json)) {
    const named = json.map((each) => listNamed(each, fields));
    return json.length > 1 && named.every((each) => each.length === 1);
  }
  const names = Object.keys(isRecord(json) ? json : {});
  return names.length > 1 && names.every((name) => fields.includes(normalizeNames(name)));
}

/** Returns the paths of lists whose elements all name a field, and of objects with only this field, the shortest first. */
function findPlaces(json: unknown, field: string): Path[] {
  const places: Path[] = [];
  const queue: [Path, unknown][] = [[[], json]];
  for (const [path, value] of queue) {
    if (typeof value !== 'object' || value === null) continue;
    const names = Object.keys(value);
    const isList = Array.isArray(value) && value.every((each) => namesField(each, field));
    const isObject = isRecord(value) && names.every((name) => normalizeNames(name) === field);
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
