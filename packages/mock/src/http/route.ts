import { type OperationId, operations } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import { HttpError } from './errors.ts';
import type { MockRequest } from './request.ts';

/** The base path of the service. */
export const BASE_PATH = '/api/v1';

/** The operations of a path by method, and its path parameters. */
export interface Route {
  readonly operationOf: ReadonlyMap<string, OperationId>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Matches a segment that is or contains a dot segment, also an encoded one: a proxy would resolve it to another path. */
const DOTS = String.raw`(?:[^/]*(?:\\|%2[fF]|%5[cC]))?(?:\.|%2[eE]){1,2}(?:[/\\;]|%2[fF]|%5[cC]|$)`;

/** The operations of each path by method. */
const paths = new Map<string, Map<string, OperationId>>();
for (const [id, { path, method }] of Object.entries(operations)) {
  const full = `${BASE_PATH}${path}`;
  paths.set(full, (paths.get(full) ?? new Map<string, OperationId>()).set(method, id as OperationId));
}
const patterns = [...paths].map(([path, operationOf]) => ({ pattern: toPattern(path), operationOf }));

/** Returns the route of a path. Undefined unless the path matches exactly. */
export function findRoute(path: string): Route | undefined {
  for (const { pattern, operationOf } of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return { operationOf, parameters: decodeParameters(match) };
  }
  return undefined;
}

/** Creates the error of an unknown path: 404, or a redirect if the profile corrects similar paths. */
export function unknownPath({ path, search }: MockRequest, similar: Profile['paths']['similar']): HttpError {
  const canonical = canonicalPath(path);
  // Contains nothing of the request.
  const message = `There is no such path. Use one of: ${[...paths.keys()].join(', ')}.`;
  const error = { type: 'not_found', message } as const;
  if (similar !== 'redirect' || findRoute(canonical) === undefined) return new HttpError(error);
  const Location = search === '' ? canonical : `${canonical}?${search}`;
  return new HttpError({ ...error, fixed: 308, headers: { Location } });
}

/** Creates the error of a method that a route does not have. */
export function unknownMethod(route: Route, method: string): HttpError {
  const Allow = allowedMethods(route);
  const message = `${method} is not allowed here; use ${Allow}.`;
  return new HttpError({ type: 'method_not_allowed', message, headers: { Allow } });
}

/** Returns a similar canonical path: single slashes, no trailing slash, lower case. */
export function canonicalPath(path: string): string {
  const short = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  // Path parameters keep their case: ids are case-sensitive.
  return short.replace(/^\/[^/]+\/[^/]+\/[^/]+/, (fixed) => fixed.toLowerCase());
}

/** Returns the methods of a route in the form of the `Allow` header. */
export function allowedMethods({ operationOf }: Route): string {
  return formatAllow([...operationOf.keys()]);
}

/** Converts a path with parameters in braces to an expression with named groups. A parameter is no dot segment. */
export function toPattern(path: string): RegExp {
  const pattern = path
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>(?!${DOTS})[^/]+)`);
  return new RegExp(`^${pattern}$`);
}

/** Decodes the path parameters of a match. Keeps invalid escapes. */
export function decodeParameters(match: RegExpExecArray | null): Record<string, string> {
  return Object.fromEntries(Object.entries(match?.groups ?? {}).map(([name, text]) => [name, decode(text)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Formats the methods of a path as an `Allow` header. */
export function formatAllow(methods: readonly string[]): string {
  const all = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...all, 'OPTIONS'].join(', ');
}
