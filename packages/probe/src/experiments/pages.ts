import { isRecord, type PageTemplate, type Profile, toRecord } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { describeResponse, isRefusal, type RawResponse } from '../raw-client.ts';
import { addUnexplained } from '../templates/learn.ts';
import { findLinks, learnPage } from '../templates/pages.ts';
import { listBeside, readResponse } from '../templates/values.ts';
import { demandRows, type HistoryPage, MOST_ROWS, noRows, readHistory, readPage } from './history-reader.ts';

/** The experiments about the pages of the transaction list. */
export const pages: readonly Experiment[] = [
  { settings: ['pagination'], run: probePages },
  { settings: ['badPage'], run: probeBadPage },
  { settings: ['pastEnd'], run: probePastEnd },
];

/** Maximum number of attempts to read pages between two changes of the history, and the time between them. */
const [MAX_ATTEMPTS, PAUSE] = [6, 800];

/** Determines how a page of the history identifies the next page. New rows can come late, so it tries again. */
async function probePages(context: ProbeContext): Promise<Finding[]> {
  for (let attempt = 1; ; attempt += 1) {
    const findings = await readPages(context);
    const hasChanged = findings.some(({ evidence }) => evidence === changedRows);
    if (!hasChanged || attempt === MAX_ATTEMPTS) return findings;
    await context.sleep(PAUSE);
  }
}

const changedRows = 'new rows appeared while the pages were read';

async function readPages(context: ProbeContext): Promise<Finding[]> {
  const response = await readPage(context, 'per_page=1');
  const isShort = demandRows(await readPage(context, 'per_page=100')).length < 2;
  if (isShort)
    return [unknown('pagination', 'the history has fewer than two rows, so there is no next page')];
  const page = readHistory(response);
  if ('problem' in page) return [other('pagination', page.problem)];
  const evidence = describePage(page, response);
  const nextPage = findNextPage(page, response, context.envelope) ??
    findUnknownNextPage(page) ?? { query: SECOND_PAGE };
  const request = { ...nextPage, page: response, evidence, path: page.arrayPath };
  if (nextPage.query === SECOND_PAGE) {
    // With pages that count from 0, page 2 is the third one.
    const second = { ...request, value: undefined, query: SECOND_FROM_ZERO, first: 0 } as const;
    const zeroBased = await requestNext(context, second);
    if (zeroBased.state === 'found') return [zeroBased];
  }
  const finding = await requestNext(context, request);
  if (finding.state !== 'other') return [finding];
  for (const query of listGuesses(response)) {
    const guess = await requestNext(context, { ...request, value: undefined, query });
    if (guess.state === 'found') return [guess];
  }
  return [finding];
}

/** Returns queries that lead to the second row in many services: an offset, or a text of the page as a cursor. */
function listGuesses({ body }: RawResponse): string[] {
  const texts: [string, string][] = findLinks(body)
    .filter(([name]) => name.startsWith('next_'))
    .flatMap(([, link]) => [...new URLSearchParams(link.replace(/^[^?]*/, ''))])
    .filter(([name]) => name !== 'per_page');
  const add = (json: unknown): void => {
    if (!isRecord(json)) return;
    for (const [name, value] of Object.entries(json))
      if (typeof value === 'string' && /next|cursor|after|token/i.test(name))
        texts.push([name.replace(/^next_?/i, '') || 'cursor', value], ['cursor', value], ['after', value]);
      else add(value);
  };
  add(body);
  const positions = ['offset', 'skip', 'start'].map((name) => [name, '1'] as [string, string]);
  return [...texts, ...positions].map((each) => String(new URLSearchParams([['per_page', '1'], each])));
}

/** Describes the array of rows and the fields around it. */
function describePage({ arrayPath }: HistoryPage, { body, data, headers }: RawResponse): string {
  const { data: list } = toRecord(body);
  const names = [
    ...(Array.isArray(list) ? [] : [...Object.keys(data), ...Object.keys(toRecord(data.pagination))]),
    ...Object.keys(listBeside(body)).map((name) => `${name} beside data`),
  ];
  const fields = names.join(', ') || 'none (a list)';
  return `rows in ${arrayPath}; fields: ${fields}${headers.has('link') ? '; Link' : ''}`;
}

/** The query of the second page, and the value of the setting; undefined if no value describes the page. */
interface NextPage {
  readonly value?: Profile['pagination'] | undefined;
  readonly query: string;
}

const [SECOND_PAGE, SECOND_FROM_ZERO] = ['per_page=1&page=2', 'per_page=1&page=1'];

/** Returns the query of the next page. Undefined if the page has none of the known shapes. */
export function findNextPage(
  { arrayPath }: HistoryPage,
  { body, data, headers }: RawResponse,
  envelope: object = {},
): NextPage | undefined {
  const [, link] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next/.exec(headers.get('link') ?? '') ?? [];
  // The template of the page can be that of the named shape.
  if (link !== undefined) return { value: undefined, query: link };
  const names = Object.keys(listBeside(body)).filter((name) => !Object.hasOwn(envelope, name));
  if (names.length > 0) return undefined;
  if (arrayPath === 'data') return { value: 'array', query: SECOND_PAGE };
  const { transactions: _, pagination, ...beside } = data;
  const fields = [...Object.keys(beside), ...Object.keys(toRecord(pagination))].toSorted().join(' ');
  if (arrayPath === 'data.data')
    return fields === laravelFields ? { value: 'laravel', query: SECOND_PAGE } : undefined;
  if (arrayPath !== 'data.transactions' || !isRecord(pagination)) return undefined;
  const { next_cursor: cursor } = pagination;
  if (fields === cursorFields && typeof cursor === 'string')
    return { value: 'cursor', query: `per_page=1&cursor=${encodeURIComponent(cursor)}` };
  return fields === numberFields ? { value: 'page', query: SECOND_PAGE } : undefined;
}

/** The fields of the named pages, sorted. */
const [numberFields, cursorFields, laravelFields] = [
  'current_page has_more per_page total total_pages',
  'has_more next_cursor per_page',
  'current_page data from last_page next_page_url per_page prev_page_url to total',
] as const;

/** Returns the query with which the SDK requests the next page, for a shape without a value. */
function findUnknownNextPage({ next }: HistoryPage): NextPage | undefined {
  if (next === undefined) return undefined;
  return { value: undefined, query: String(new URLSearchParams({ per_page: '1', ...next })) };
}

type RequestedPage = NextPage & {
  readonly page: RawResponse;
  readonly evidence: string;
  /** The path of the list of rows. */
  readonly path: string;
  /** The number of the first page. */
  readonly first?: 0 | undefined;
};

/**
 * Requests the next page. It must start with another row, and the first page must not have changed meanwhile.
 */
async function requestNext(
  context: ProbeContext,
  { value, query, page, evidence, path, first }: RequestedPage,
): Promise<Finding> {
  const next = await context.send(`/transactions?${query}`);
  const again = await readPage(context, 'per_page=1');
  const [row, nextRow, sameRow] = [page, next, again].map((one) => {
    const read = readHistory(one);
    return 'problem' in read ? undefined : JSON.stringify(read.raw[0]);
  });
  if (row === undefined || row !== sameRow)
    return unknown('pagination', row === undefined ? noRows : changedRows);
  const isNext = next.accepted && nextRow !== undefined && nextRow !== row;
  if (!isNext)
    return other(
      'pagination',
      `${query} does not lead to the next row: ${describeResponse(next)}; ${evidence}`,
    );
  if (value !== undefined) return found('pagination', value, evidence);
  return learnPages(context, { query, page, evidence, path, first, next });
}

/** Learns the template of a page from the first two pages and from a page with all rows. */
async function learnPages(
  context: ProbeContext,
  { query, page, evidence, path, first, next }: RequestedPage & { readonly next: RawResponse },
): Promise<Finding> {
  const whole = await readPage(context, 'per_page=100');
  const rows = demandRows(whole).length;
  const total = rows < MOST_ROWS ? rows : undefined;
  const samples = [
    { ...page, page: 1, per_page: 1, count: 1 },
    { ...next, page: 2, per_page: 1, count: 1 },
    { ...whole, page: 1, per_page: 100, count: rows },
  ].map((sample) => ({ ...sample, known: readResponse(sample) }));
  const names = [...new URLSearchParams(query).keys()];
  const parameter = names.find((name) => !/^page$|per|size|limit|status|type/.test(name)) ?? 'page';
  const learned = learnPage({
    samples,
    total,
    path: path.split('.'),
    parameter,
    first: first ?? (new URLSearchParams(query).get(parameter) === '1' ? 0 : 1),
    query: await probeLinks(context, page, parameter),
    envelope: context.envelope,
  });
  if (learned === undefined)
    return other(
      'pagination',
      `${query} leads to the next row, but no template describes the page; ${evidence}`,
    );
  if (JSON.stringify(learned.template) === linkedPage) return found('pagination', 'link', evidence);
  return found('pagination', learned.template, addUnexplained(evidence, learned.unexplained));
}

/** A query parameter that no service has. */
const OTHER = 'no_such_parameter';

/** Determines the query parameters of links from the links of pages with other ones, and without any. */
async function probeLinks(
  { send }: ProbeContext,
  page: RawResponse,
  parameter: string,
): Promise<PageTemplate['query']> {
  if (listLinkNames(page, parameter) === undefined) return 'request';
  const [names, plain] = [
    listLinkNames(await send(`/transactions?per_page=1&${OTHER}=1`), parameter),
    listLinkNames(await send('/transactions'), parameter),
  ];
  if (names === undefined || names.includes(OTHER)) return 'request';
  if (!names.includes('per_page')) return 'place';
  return plain?.includes('per_page') ? 'complete' : 'known';
}

/** Returns the query parameters of the first link of a page to another one. */
function listLinkNames({ body, headers }: RawResponse, parameter: string): string[] | undefined {
  const header = /<([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const queries = [header, ...findLinks(body).map(([, link]) => link)].map((link) => [
    ...new URLSearchParams(link.replace(/^[^?]*/, '')).keys(),
  ]);
  return queries.find((names) => names.includes(parameter));
}

/** The template of the pages `link`. */
const linkedPage = JSON.stringify({
  data: { transactions: ['{each rows}', '{row}'] },
  headers: { Link: '<{next_path}>; rel="next"' },
} satisfies PageTemplate);

async function probeBadPage(context: ProbeContext): Promise<Finding[]> {
  const whole = await readPage(context, 'per_page=100');
  const few = await context.send('/transactions?per_page=0');
  const many = await context.send('/transactions?per_page=101');
  const evidence = `per_page 0: ${describeResponse(few)}, 101: ${describeResponse(many)}`;
  if (isRefusal(few) && isRefusal(many)) return [found('badPage', 'reject', evidence)];
  if (!few.accepted || !many.accepted) return [other('badPage', evidence)];
  const all = demandRows(whole);
  if (all.length < 2) return [unknown('badPage', 'the history has fewer than two rows')];
  const [fewest, most] = [few, many].map((page) => demandRows(page).length);
  const counted = `${evidence}; ${fewest} and ${most} rows of ${all.length}`;
  const isWhole = most !== undefined && most >= all.length && most <= MOST_ROWS;
  if (isWhole && fewest === 1) return [found('badPage', 'clamp', counted)];
  const isShown = readPageSize(few, whole) === DEFAULT_ROWS && readPageSize(many, whole) === MOST_ROWS;
  if (isWhole && isShown) return [found('badPage', 'default', counted)];
  const isShort = all.length <= DEFAULT_ROWS && fewest === all.length;
  if (isWhole && isShort)
    return [
      unknown('badPage', `${counted}; more than ${DEFAULT_ROWS} rows show whether it is the default`, [
        'default',
      ]),
    ];
  const isDefault = isWhole && fewest === DEFAULT_ROWS;
  return [isDefault ? found('badPage', 'default', counted) : other('badPage', counted)];
}

/** Returns the size that a page shows in the field in which a page of 100 rows shows its own. */
function readPageSize(page: RawResponse, whole: RawResponse): number | undefined {
  const sizes = listNumbers(page.body);
  const [path] = [...listNumbers(whole.body)].find(([, size]) => size === MOST_ROWS) ?? [];
  return path === undefined ? undefined : sizes.get(path);
}

/** Returns the numbers of a response outside of lists, by their path. */
function listNumbers(json: unknown, path = ''): ReadonlyMap<string, number> {
  if (typeof json === 'number') return new Map([[path, json]]);
  if (!isRecord(json)) return new Map();
  return new Map(Object.entries(json).flatMap(([name, value]) => [...listNumbers(value, `${path}.${name}`)]));
}

/** The number of rows of a page by default (docs/contract.md#transactions). */
const DEFAULT_ROWS = 20;

async function probePastEnd(context: ProbeContext): Promise<Finding[]> {
  const response = await context.send('/transactions?page=9999');
  const evidence = `page 9999: ${describeResponse(response)}`;
  if (response.status === 404) return [found('pastEnd', 'not_found', evidence)];
  if (!response.accepted) return [other('pastEnd', evidence)];
  return demandRows(response).length === 0
    ? [found('pastEnd', 'empty', `${evidence} without rows`)]
    : [unknown('pastEnd', `${evidence} with rows: the list has no page numbers`)];
}
