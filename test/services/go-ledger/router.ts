import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';
import type { Tenant } from './tenants.ts';

/** An authenticated request that matched a route. */
export interface Call {
  readonly tenant: Tenant;
  readonly headers: IncomingMessage['headers'];
  readonly query: URLSearchParams;
  /** Path parameter of the route, or the empty string. */
  readonly parameter: string;
  readonly body: string;
}

export interface Result {
  readonly status: number;
  readonly data: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (call: Call) => Result;

interface Route {
  readonly method: string;
  readonly path: string;
  readonly handler: Handler;
}

interface Match {
  readonly handler: Handler;
  readonly parameter: string;
}

/** Routes with at most one path parameter, which is the last segment. */
export class Router {
  readonly #routes: Route[] = [];

  handle(method: string, path: string, handler: Handler): void {
    this.#routes.push({ method, path, handler });
  }

  /** @throws {Problem} when no route has the path or the method */
  find(method: string, path: string): Match {
    const matches = this.#routes.flatMap((route) => {
      const parameter = matchPath(route.path, path);
      return parameter === undefined ? [] : [{ ...route, parameter }];
    });
    const match = matches.find((candidate) => candidate.method === method);
    if (match !== undefined) return match;
    if (matches.length === 0) throw routeNotFound(path);
    throw new Problem({
      httpStatus: 405,
      type: 'method_not_allowed',
      code: 'UNIMPLEMENTED',
      message: `method ${method} is not allowed`,
      headers: { allow: matches.map((candidate) => candidate.method).join(', ') },
    });
  }
}

/** Returns the value of the path parameter, or the empty string for a path without one. */
function matchPath(pattern: string, path: string): string | undefined {
  if (pattern === path) return '';
  const prefix = pattern.replace(/\{\w+\}$/, '');
  if (prefix === pattern || !path.startsWith(prefix)) return undefined;
  const parameter = path.slice(prefix.length);
  return parameter === '' || parameter.includes('/') ? undefined : parameter;
}

export function routeNotFound(path: string): Problem {
  return new Problem({
    httpStatus: 404,
    type: 'not_found',
    code: 'NOT_FOUND',
    message: `no route for ${path}`,
  });
}
