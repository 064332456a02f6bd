import type { Action } from './http.ts';

export interface Route {
  readonly method: string;
  /** Path below the base path, with parameters in braces. */
  readonly template: string;
  readonly action: Action;
}

export type RouteMatch =
  | { readonly kind: 'matched'; readonly route: Route; readonly routeValues: readonly string[] }
  | { readonly kind: 'methodNotAllowed'; readonly allow: string }
  | { readonly kind: 'notFound' };

const basePath = '/api/v1';

/** Matches literal segments without regard to case and ignores a trailing slash, as endpoint routing does. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch {
  const candidates = routes.flatMap((route) => {
    const routeValues = matchTemplate(`${basePath}${route.template}`, path);
    return routeValues === undefined ? [] : [{ kind: 'matched' as const, route, routeValues }];
  });
  if (candidates.length === 0) return { kind: 'notFound' };
  const allow = candidates.map(({ route }) => route.method).join(', ');
  return candidates.find(({ route }) => route.method === method) ?? { kind: 'methodNotAllowed', allow };
}

function matchTemplate(template: string, path: string): readonly string[] | undefined {
  const expected = template.split('/');
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.length !== expected.length) return undefined;
  const routeValues: string[] = [];
  for (const [index, name] of expected.entries()) {
    const segment = segments[index] ?? '';
    if (name.startsWith('{') && segment !== '') routeValues.push(decodeSegment(segment));
    else if (segment.toLowerCase() !== name) return undefined;
  }
  return routeValues;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
