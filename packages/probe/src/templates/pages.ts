import {
  isRecord,
  listPlaceholders,
  pageNames,
  type PageTemplate,
  parseJson,
  type Template,
  toRecord,
} from '@service/internal';
import type { Known, KnownValues } from './known.ts';
import { learnHeaders } from './headers.ts';
import { type LearnedTemplate, learnTemplate } from './learn.ts';
import { responseKey, textOf } from './values.ts';

/** A page of the history and its place. */
interface PageSample {
  readonly text: string;
  readonly headers: Headers;
  readonly page: number;
  readonly per_page: number;
  /** The number of rows of this page. */
  readonly count: number;
  /** The values of the response itself. */
  readonly known: KnownValues;
}

/** Pages of one history. */
export interface PagesOfHistory {
  readonly samples: readonly PageSample[];
  /** The number of all rows; undefined if it is not known. */
  readonly total: number | undefined;
  /** The path of the list of rows, such as `['data', 'items']`. */
  readonly path: readonly string[];
  /** The name of the query parameter of the next page. */
  readonly parameter: string;
  /** The number of the first page. */
  readonly first: 0 | 1;
  /** The other query parameters of links. */
  readonly query: NonNullable<PageTemplate['query']>;
  /** The fields beside `data` that every response has. */
  readonly envelope: Readonly<Record<string, Template>>;
}

/** A page template, and the fields that it does not explain. */
type LearnedPage = Omit<LearnedTemplate, 'template'> & { readonly template: PageTemplate };

/** Learns the template of the pages of a history. */
export function learnPage(history: PagesOfHistory): LearnedPage | undefined {
  const { samples, total, path, parameter, query, envelope } = history;
  const by = readPosition(parameter);
  const first = by === 'page' ? history.first : 1;
  const values = samples.map((sample) => pageValues(sample, total, first));
  const jsons = samples.map(({ text }) => replaceRows(parseJson(text), path));
  const { template: learned, unexplained } = learnTemplate(
    jsons.map((json, index) => ({
      json,
      known: { ...values[index], ...linksOf(jsons, json), ...samples[index]?.known },
    })),
    { numbers: 'number', key: responseKey },
  );
  if (!isRecord(learned)) return undefined;
  const { success: _, mode: __, data, ...others } = putRows(learned) as Readonly<Record<string, Template>>;
  const beside = Object.entries(others).filter(
    ([name, template]) => JSON.stringify(template) !== JSON.stringify(envelope[name]),
  );
  if (data === undefined) return undefined;
  const headers = learnPageHeaders(samples, values);
  const template: PageTemplate = {
    data,
    ...(beside.length > 0 && { beside: Object.fromEntries(beside) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(by !== 'page' && { by }),
    ...(parameter !== by && { parameter }),
    ...(first !== 1 && { first }),
    ...(query !== 'request' && { query }),
  };
  return { template, unexplained };
}

/** Returns the meaning of a query parameter of pages. */
function readPosition(parameter: string): NonNullable<PageTemplate['by']> {
  if (/cursor|after|token/.test(parameter)) return 'cursor';
  return /offset|start|skip/.test(parameter) ? 'offset' : 'page';
}

/** Learns the links of pages, and the other headers with values of a page. */
function learnPageHeaders(
  samples: readonly PageSample[],
  values: readonly KnownValues[],
): Readonly<Record<string, string>> {
  const [most = []] = samples
    .map(({ headers }) => [...(headers.get('link') ?? '').matchAll(/<([^>]*)>([^,<]*rel="?(\w+)[^,<]*)/g)])
    .toSorted((one, other) => other.length - one.length);
  const link = most.flatMap(([, target = '', rest = '', relation = '']) => {
    const name = nameLink(relation, target);
    return name === undefined ? [] : [`<{${name}}>${rest.trim()}`];
  });
  const written = learnHeaders(
    samples.map(({ headers }, index) => ({ headers, known: values[index] ?? {} })),
  );
  // Others are headers of every response.
  const own = Object.entries(written).filter((entry): entry is [string, string] => {
    const parts = listPlaceholders(entry[1] ?? '');
    return parts.length > 0 && parts.every(({ name }) => pageNames.includes(name));
  });
  return { ...(link.length > 0 && { Link: link.join(', ') }), ...Object.fromEntries(own) };
}

const ROWS = 'rows of the page';

/** Puts a mark in place of the rows. */
function replaceRows(json: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return ROWS;
  return { ...toRecord(json), [name]: replaceRows(toRecord(json)[name], rest) };
}

/** Puts the template of all rows in place of the mark. */
function putRows(template: Template): Template {
  if (template === ROWS) return ['{each rows}', '{row}'];
  if (!isRecord(template)) return template;
  const fields = Object.entries(template as Readonly<Record<string, Template>>);
  return Object.fromEntries(fields.map(([name, value]) => [name, putRows(value)]));
}

function pageValues(
  { page, per_page, count }: PageSample,
  total: number | undefined,
  first: number,
): KnownValues {
  const has_more = total === undefined || page * per_page < total;
  const pages = total === undefined ? undefined : Math.ceil(total / per_page);
  const counts: Readonly<Record<string, number | null | undefined>> = {
    page: page - 1 + first,
    per_page,
    total,
    total_pages: pages,
    last_page: pages === undefined ? undefined : pages - 1 + first,
    count,
    offset: (page - 1) * per_page,
    next_page: has_more ? page + first : null,
    previous_page: page > 1 ? page - 2 + first : null,
    next_offset: has_more ? page * per_page : null,
    from: count === 0 ? null : (page - 1) * per_page + 1,
    to: count === 0 ? null : (page - 1) * per_page + count,
  };
  const known = Object.entries(counts).flatMap(([name, value]): [string, Known][] =>
    value === undefined ? [] : [[name, { kind: 'count', count: value }]],
  );
  return {
    ...Object.fromEntries(known),
    has_more: { kind: 'flag', flag: has_more },
    has_previous: { kind: 'flag', flag: page > 1 },
  };
}

/** Returns the name of a link by its key and whether it is a path. */
function nameLink(key: string, text: string): string | undefined {
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
function linksOf(all: readonly unknown[], json: unknown): KnownValues {
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
