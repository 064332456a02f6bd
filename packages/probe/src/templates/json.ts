// Parts of JSON values by their path.
import type { Template } from '@service/internal';

/** The names and indexes that lead to a part of a response. */
export type Path = readonly string[];

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
