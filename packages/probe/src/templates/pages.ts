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
import { responseKey } from './values.ts';
import { type LearnedTemplate, learnTemplate } from './learn.ts';

/** A page of the history and its place. */
interface PageSample {
  readonly text: string;
  readonly headers: Headers;
  readonly page: number;
  readonly per_page: number;
  /** The number of rows of this page. */
  readonly count: number;
  /** The values of the response itself. */
  readonly known?: KnownValues;
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
  /** The number of the first page; 1 by default. */
  readonly first?: PageTemplate['first'];
  /** The other query parameters of links. */
  readonly query?: PageTemplate['query'];
  /** The fields beside `data` that every response has. */
  readonly envelope?: Readonly<Record<string, Template>>;
}

/** A page template, and the fields that it does not explain. */
type LearnedPage = Omit<LearnedTemplate, 'template'> & { readonly template: PageTemplate };

/** Learns the template of the pages of a history. */
export function learnPage({
  samples,
  total,
  path,
  parameter,
  first: given = 1,
  query = 'request',
  envelope = {},
}: PagesOfHistory): LearnedPage | undefined {
  const by = readPosition(parameter);
  const first = by === 'page' ? given : 1;
  const { template: learned, unexplained } = learnTemplate(
    samples.map((sample) => {
      const json = replaceRows(parseJson(sample.text), path);
      const values = pageValues(sample, total, first);
      return { json, known: { ...values, ...linksOf(samples, json), ...sample.known } };
    }),
    { numbers: 'number', key: responseKey, cases: ['has_more', 'has_previous'], omits: true },
  );
  if (!isRecord(learned)) return undefined;
  const { success: _, mode: __, data, ...others } = putRows(learned) as Readonly<Record<string, Template>>;
  const beside = Object.fromEntries(
    Object.entries(others).filter(
      ([name, template]) => JSON.stringify(template) !== JSON.stringify(envelope[name]),
    ),
  );
  if (data === undefined) return undefined;
  const headers = learnPageHeaders(samples, total, first);
  const template: PageTemplate = {
    data,
    ...(Object.keys(beside).length > 0 && { beside }),
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
  total: number | undefined,
  first: number,
): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  const byCount = samples
    .map(({ headers }) => [...(headers.get('link') ?? '').matchAll(/<([^>]*)>([^,<]*rel="?(\w+)[^,<]*)/g)])
    .toSorted((one, other) => other.length - one.length);
  for (const [, target = '', rest = '', relation = ''] of byCount.flat()) {
    const [, path, url] = links.find(([pattern]) => pattern.test(relation)) ?? [];
    const name = target.startsWith('/') ? path : url;
    if (name !== undefined && !found.has(relation)) found.set(relation, `<{${name}}>${rest.trim()}`);
  }
  const written = learnHeaders(
    samples.map((sample) => ({ headers: sample.headers, known: pageValues(sample, total, first) })),
  );
  // Others are headers of every response.
  const others = Object.entries(written).filter((entry): entry is [string, string] => {
    const parts = listPlaceholders(entry[1] ?? '');
    return parts.length > 0 && parts.every(({ name }) => pageNames.includes(name));
  });
  return {
    ...(found.size > 0 && { Link: [...found.values()].join(', ') }),
    ...Object.fromEntries(others),
  };
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

function number(name: string, value: number | null | undefined): KnownValues {
  return value === undefined ? {} : { [name]: { kind: 'count', count: value } };
}

function pageValues(
  { page, per_page, count }: PageSample,
  total: number | undefined,
  first: number,
): KnownValues {
  const has_more = total === undefined || page * per_page < total;
  const pages = total === undefined ? undefined : Math.ceil(total / per_page);
  return {
    ...number('page', page - 1 + first),
    ...number('per_page', per_page),
    ...number('total', total),
    ...number('total_pages', pages),
    ...number('last_page', pages === undefined ? undefined : pages - 1 + first),
    ...number('count', count),
    ...number('offset', (page - 1) * per_page),
    ...number('next_page', has_more ? page + first : null),
    ...number('previous_page', page > 1 ? page - 2 + first : null),
    ...number('next_offset', has_more ? page * per_page : null),
    ...number('from', count === 0 ? null : (page - 1) * per_page + 1),
    ...number('to', count === 0 ? null : (page - 1) * per_page + count),
    has_more: { kind: 'flag', flag: has_more },
    has_previous: { kind: 'flag', flag: page > 1 },
  };
}

/** The places of links, and the names of their values. */
const links: readonly (readonly [key: RegExp, path: string, url: string])[] = [
  [/next/i, 'next_path', 'next_url'],
  [/prev/i, 'previous_path', 'previous_url'],
  [/first/i, 'first_path', 'first_url'],
  [/last/i, 'last_path', 'last_url'],
  [/^(?:self|path|base_url)$/i, 'list_path', 'list_url'],
];

/** Returns the links of a page as known values. A link that another page has is null on a page without it. */
function linksOf(samples: readonly PageSample[], json: unknown): KnownValues {
  const known: Record<string, Known> = {};
  for (const { text } of samples)
    for (const [name] of findLinks(parseJson(text))) known[name] = { kind: 'text', text: null };
  for (const [name, value] of findLinks(json)) known[name] = { kind: 'text', text: value };
  return known;
}

/** Returns the links and cursors of a page, with the names of their values. */
export function findLinks(json: unknown, key = ''): [name: string, text: string][] {
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([name, value]) =>
      findLinks(value, /^(?:href|url|\d+)$/.test(name) ? key : name),
    );
  if (typeof json !== 'string') return [];
  const link = links.find(([pattern]) => pattern.test(key));
  // The address of a page itself with its query is that of the request.
  const isOther = link !== undefined && !(link[1] === 'list_path' && json.includes('?'));
  if (/^https?:\/\/|^\//.test(json))
    return !isOther ? [] : [[json.startsWith('/') ? link[1] : link[2], json]];
  if (!/cursor|token/i.test(key) || json === '') return [];
  return [[/prev|before/i.test(key) ? 'previous_cursor' : 'next_cursor', json]];
}
