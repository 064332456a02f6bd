// The links of pages.
import type { KnownValues } from './known.ts';
import { textOf } from './values.ts';

/** Returns the name of a link by its key and whether it is a path. */
export function nameLink(key: string, text: string): string | undefined {
  const names = [
    [/next/i, 'next'],
    [/prev/i, 'previous'],
    [/first/i, 'first'],
    [/last/i, 'last'],
    [/^(?:self|path|base_url)$/i, 'list'],
  ] as const;
  const [, name] = names.find(([pattern]) => pattern.test(key)) ?? [];
  // The address of a page itself with its query is that of the request.
  if (name === undefined || (name === 'list' && text.includes('?'))) return undefined;
  return `${name}_${text.startsWith('/') ? 'path' : 'url'}`;
}

/** Returns the links of a page as known values. A link that another page has is null on a page without it. */
export function linksOf(all: readonly unknown[], json: unknown): KnownValues {
  const names = all.flatMap((each) => findLinks(each)).map(([name]) => [name, textOf(null)] as const);
  const own = findLinks(json).map(([name, text]) => [name, textOf(text)] as const);
  return Object.fromEntries([...names, ...own]);
}

/** Returns the links and cursors of a page, with the names of their values. */
export function findLinks(json: unknown, key = ''): [name: string, text: string][] {
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([name, value]) =>
      findLinks(value, /^(?:href|url|\d+)$/.test(name) ? key : name),
    );
  if (typeof json !== 'string') return [];
  if (/^https?:\/\/|^\//.test(json)) {
    const name = nameLink(key, json);
    return name === undefined ? [] : [[name, json]];
  }
  if (!/cursor|token/i.test(key) || json === '') return [];
  return [[/prev|before/i.test(key) ? 'previous_cursor' : 'next_cursor', json]];
}
