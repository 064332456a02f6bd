// The rows and the pages of the transaction list.
import {
  firstPages,
  type JsonObject,
  listPlaceholders,
  namedRows,
  type ObjectTemplate,
  pageNames,
  type PageTemplate,
  toMicro,
  toRecord,
} from '@service/internal';
import type { RawResponse } from '../client.ts';
import { type Part, found, learned, other, unknown } from '../finding.ts';
import { type HistoryPage, readHistory } from '../history.ts';
import { learnHeaders } from '../templates/headers.ts';
import { type Path, writePath } from '../templates/json.ts';
import { isSameJson, type Known, type KnownValues } from '../templates/known.ts';
import { type LearnedTemplate, learnTemplate } from '../templates/learn.ts';
import { findLinks, linksOf, nameLink } from '../templates/links.ts';
import { findRowId, findRunning, learnRows, longestOf, namesPayment } from '../templates/rows.ts';
import { addStatuses, listBeside, readResponse, responseKey, rowKey } from '../templates/values.ts';
import { type Call, FAR_PAGE, type Traffic } from '../traffic.ts';
import { isEnded, listShown, statusesAt } from './statuses.ts';
import type { Envelope } from './shapes.ts';

/** A page of the history. */
interface Page {
  readonly call: Call;
  readonly reading: HistoryPage;
  readonly rows: readonly JsonObject[];
}

/** Learns the rows and the pages of the history. */
export function learnHistory(traffic: Traffic, envelope: Envelope): Part[] {
  const readings = traffic.pages.map((call) => ({ call, reading: readHistory(call.response) }));
  const pages = readings.flatMap(({ call, reading }): Page[] =>
    'problem' in reading ? [] : [{ call, reading, rows: reading.raw }],
  );
  const [problem] = readings.flatMap(({ reading }) => ('problem' in reading ? [reading.problem] : []));
  if (pages.length === 0) {
    const state = problem === undefined ? unknown : other;
    return (['transactionShape', 'pagination'] as const).map((name) =>
      state(name, problem ?? 'no list was read'),
    );
  }
  return [learnRowShape(traffic, pages), learnPages(pages, envelope)];
}

function learnRowShape({ payments, forms }: Traffic, pages: readonly Page[]): Part {
  const listed = new Map<string, JsonObject>();
  const idName = findRowId(longestOf(pages));
  // Each row as it was read last.
  for (const row of pages.flatMap((page) => page.rows)) {
    const key = JSON.stringify(row[idName] ?? row);
    listed.delete(key);
    listed.set(key, row);
  }
  const rows = [...listed.values()];
  const sample = rows.find(({ type }) => type === 'payment') ?? rows[0];
  if (sample === undefined) return unknown('transactionShape', 'the history has no rows');
  const evidence = `fields: ${Object.keys(sample).join(', ')}; ${rows.length} rows`;
  if (hasFieldsOf('full', sample)) return found('transactionShape', 'full', evidence);
  if (sample.type === 'payment' && rows.every((row) => hasFieldsOf('minimal', row)))
    return found('transactionShape', 'minimal', evidence);
  const readAt = pages.at(-1)?.call.start ?? 0;
  const all = payments.flatMap((payment) => {
    if (payment.create.sent.purpose === '') return [];
    const status = statusesAt(payment, readAt).at(-1) ?? '';
    const known = addStatuses(payment.known, listShown(payment));
    return isEnded(status) ? [{ payment, status, known }] : [];
  });
  // The fee row of a payment without a quote could count as that of the payment.
  const quoted = all.filter(({ known }) => 'fee' in known);
  const ended = quoted.length < 3 ? all : quoted;
  // Rows of payments that have not ended are not complete.
  const open = payments.filter(({ id }) => ended.every(({ payment }) => payment.id !== id));
  const settled = rows.filter((row) => !open.some(({ known }) => namesPayment(row, known)));
  const running = findRunning(rows);
  const result = learnRows(settled, ended, { ...forms, key: rowKey, running, idName });
  if (result === undefined) return other('transactionShape', evidence);
  return learned('transactionShape', result.templates, evidence, result.unexplained);
}

/** The fields that a documented row may omit without a value. */
const optional: ReadonlySet<string> = new Set(['fee', 'payment_id', 'reference']);

/** Returns whether a row has the fields of a named one, and the sign of its amount. */
function hasFieldsOf(name: keyof typeof namedRows, row: JsonObject): boolean {
  const fields = Object.keys(namedRows[name][0]?.row ?? {});
  const isPaid = name === 'full' && row.type === 'payment';
  const isOptional = (field: string): boolean =>
    name === 'full' && optional.has(field) && !(isPaid && field === 'payment_id');
  return (
    Object.keys(row).every((field) => fields.includes(field)) &&
    fields.every((field) => field in row || isOptional(field)) &&
    (toMicro(row.amount) ?? 0n) < 0n === isPaid
  );
}

/** The number of rows of a page without `per_page`, and the most rows of a page (docs/contract.md#transactions). */
const [DEFAULT_ROWS, MOST_ROWS] = [20, 100];

/** Learns the pages from a first page and the requests for the pages after it. */
function learnPages(pages: readonly Page[], { template: envelope }: Envelope): Part {
  const chains = pages.flatMap((page) =>
    firstPages.map((number) => ({ number, chain: followPages(page, pages, number) })),
  );
  const [longest] = chains.toSorted((one, two) => two.chain.length - one.chain.length);
  const { number = 1, chain = [] } = longest ?? {};
  const [first, last] = [chain[0], chain.at(-1)];
  const whole = pages.findLast((page) => sizeOf(page) === MOST_ROWS && page.rows.length < MOST_ROWS);
  const isAlone = chain.length < 2;
  if (first === undefined || last === undefined || (isAlone && (!whole || isDocumentedPage(first))))
    return pages.some(({ rows }) => rows.length > 1)
      ? other('pagination', `${NO_NEXT}; ${describePage(pages[0] as Page)}`)
      : unknown('pagination', 'the history has fewer than two rows, so there is no next page');
  const { arrayPath, next = {} } = first.reading;
  const evidence = `${describePage(first)}; ${chain.length} pages were read in turn`;
  if (number === 1 && isDocumentedPage(first)) return found('pagination', 'page', evidence);
  const isEnd = !isAlone && (last.reading.next === undefined || last.rows.length < sizeOf(last));
  const total = isEnd ? chain.reduce((sum, { rows }) => sum + rows.length, 0) : whole?.rows.length;
  // A service that ignores numbers of pages selects them by a parameter that no request had.
  const isIgnored =
    isAlone &&
    pages.some(({ call: { query }, rows }) => Number(query.get('page')) >= FAR_PAGE && rows.length > 0);
  const parameter =
    listPositions(next)[0] ??
    listPositions(Object.fromEntries(chain[1]?.call.query ?? []))[0] ??
    (isIgnored ? 'cursor' : 'page');
  const by = readPosition(parameter);
  const second = chain[1]?.call.query.get(parameter);
  const isNumbered = by === 'page' && parameter !== 'page' && /^[12]$/.test(second ?? '');
  const start = by !== 'page' ? 1 : !isNumbered ? number : second === '1' ? 0 : 1;
  // Pages of other sizes show where the list ends.
  const starts = isAlone
    ? pages.filter(({ call: { query } }) => /^(?:per_page=\d+)?$/.test(String(query)))
    : [];
  const samples = [...chain, ...starts, ...(whole ? [whole] : [])].map((page, index) => {
    const place = index < chain.length ? index : 0;
    // A page with fewer rows than its size ends the list as it was then.
    const isLast = place === 0 && page.rows.length < sizeOf(page);
    return { page, values: pageValues(page, { place, total: isLast ? page.rows.length : total, start }) };
  });
  const path = arrayPath.split('.');
  const past = pages.flatMap((page) => {
    const place = Number(page.call.query.get('page')) - start;
    const isPast = by === 'page' && page.rows.length === 0 && place > 0;
    return isPast ? [{ page, values: pageValues(page, { place, total, start }) }] : [];
  });
  const usual = learnPageTemplate(samples, path);
  const all = learnPageTemplate([...samples, ...past], path);
  const isExplained = all.unexplained.length <= usual.unexplained.length;
  const { template, unexplained } = isExplained
    ? all
    : { ...usual, unexplained: [...usual.unexplained, 'pages after the last one'] };
  const body = toRecord(writePath(template, path, ['{each rows}', '{row}'])) as ObjectTemplate;
  const { success: _, mode: __, data, ...others } = body;
  if (data === undefined) return other('pagination', `no template describes the pages; ${evidence}`);
  const beside = Object.entries(others).filter(([name, each]) => !isSameJson(each, envelope[name]));
  const headers = learnPageHeaders(samples);
  const query = readLinkQuery(pages, parameter);
  const value: PageTemplate = {
    data,
    ...(beside.length > 0 && { beside: Object.fromEntries(beside) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(by !== 'page' && { by }),
    ...(parameter !== by && { parameter }),
    ...(start !== 1 && { first: start }),
    ...(query !== 'request' && { query }),
  };
  return learned('pagination', value, evidence, [...unexplained, ...(isAlone ? [NO_NEXT] : [])]);
}

const NO_NEXT = 'no request led to the page after the first one';

const sizeOf = ({ call: { query } }: Page): number => Number(query.get('per_page') ?? DEFAULT_ROWS);

/** A page, and the values that it can show. */
interface PageSample {
  readonly page: Page;
  readonly values: KnownValues;
}

/** Learns the template of pages, with a mark in place of their rows. */
function learnPageTemplate(samples: readonly PageSample[], path: Path): LearnedTemplate {
  const jsons = samples.map(({ page }) => writePath(page.call.response.body, path, ROWS));
  const known = samples.map(({ page, values }, index) => ({
    json: jsons[index],
    known: { ...values, ...linksOf(jsons, jsons[index]), ...readResponse(page.call.response) },
  }));
  return learnTemplate(known, { numbers: 'number', key: responseKey });
}

/** Describes the array of rows and the fields around it. */
function describePage({ reading: { arrayPath }, call: { response } }: Page): string {
  const { body, data, headers } = response;
  const list = Array.isArray(toRecord(body).data)
    ? []
    : [...Object.keys(data), ...Object.keys(toRecord(data.pagination))];
  const beside = Object.keys(listBeside(body)).map((name) => `${name} beside data`);
  const fields = [...list, ...beside].join(', ') || 'none (a list)';
  return `rows in ${arrayPath}; fields: ${fields}${headers.has('link') ? '; Link' : ''}`;
}

/** Returns whether a page has the documented fields. */
function isDocumentedPage({ reading: { arrayPath }, call: { response } }: Page): boolean {
  const { transactions: _, pagination, ...others } = response.data;
  const fields = Object.keys(toRecord(pagination)).toSorted().join(' ');
  return (
    arrayPath === 'data.transactions' &&
    Object.keys(others).length === 0 &&
    fields === 'current_page has_more per_page total total_pages' &&
    !response.headers.has('link')
  );
}

/** A query parameter that no service has. */
export const OTHER_PARAMETER = 'no_such_parameter';

/** Determines the query parameters of links from the links of pages with other ones, and without any. */
function readLinkQuery(pages: readonly Page[], parameter: string): NonNullable<PageTemplate['query']> {
  const namesOf = (query: string): string[] | undefined => {
    const page = pages.findLast(({ call }) => String(call.query) === query);
    return page && listLinkNames(page.call.response, parameter);
  };
  const [names, plain] = [namesOf(`per_page=1&${OTHER_PARAMETER}=1`), namesOf('')];
  if (names === undefined || names.includes(OTHER_PARAMETER)) return 'request';
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

/** Returns the names of the parameters that select a page, other than its number. */
function listPositions(query: object): string[] {
  return Object.keys(query).filter((name) => !/^page$|per|size|limit|status|type|no_such/.test(name));
}

/**
 * Returns a first page, which is requested without a number or with this one, and the pages after it. Each starts with
 * another row. Without a number, page 1 is the second page only if it has none of the rows of the first one.
 */
function followPages(start: Page, pages: readonly Page[], number: 0 | 1): Page[] {
  const { query } = start.call;
  const asked = query.get('page') ?? String(number);
  const isFirst = listPositions(Object.fromEntries(query)).length === 0 && asked === String(number);
  const chain = isFirst ? [start] : [];
  for (let last = chain[0]; last !== undefined;) {
    const { rows }: Page = last;
    const { query: asks } = start.call;
    const filters = ['per_page', 'status', 'type'].map((name) => [name, asks.get(name)] as const);
    const seen = new Set((number === 0 ? rows : rows.slice(0, 1)).map((row) => JSON.stringify(row)));
    const positions = listPositions(last.reading.next ?? {}).map((name) => [
      name,
      String((last?.reading.next ?? {})[name as never]),
    ]);
    const length = chain.length;
    const isNamed = listPositions(Object.fromEntries(last.call.query)).length > 0;
    last = pages.slice(pages.indexOf(last) + 1).find((page) => {
      const own = Object.fromEntries(page.call.query);
      const isNext =
        positions.length > 0
          ? positions.every(([name = '', value]) => own[name] === value)
          : (!isNamed && own.page === String(length + number)) || listPositions(own).length > 0;
      return (
        isNext &&
        page.rows.length > 0 &&
        !(number === 0 ? page.rows : page.rows.slice(0, 1)).some((row) => seen.has(JSON.stringify(row))) &&
        filters.every(([name, value]) => page.call.query.get(name) === value)
      );
    });
    if (last !== undefined) chain.push(last);
  }
  return chain;
}

/** Returns the meaning of a query parameter of pages. */
function readPosition(parameter: string): NonNullable<PageTemplate['by']> {
  if (/cursor|after|token/.test(parameter)) return 'cursor';
  return /offset|start|skip/.test(parameter) ? 'offset' : 'page';
}

/** Learns the links of pages, and the other headers with values of a page. */
function learnPageHeaders(samples: readonly PageSample[]): Readonly<Record<string, string>> {
  const responses = samples.map(({ page, values }) => ({ response: page.call.response, known: values }));
  const all = responses.map(({ response: { headers } }) => [
    ...(headers.get('link') ?? '').matchAll(/<([^>]*)>([^,<]*rel="?(\w+)[^,<]*)/g),
  ]);
  const [most = []] = all.toSorted((one, two) => two.length - one.length);
  const link = most.flatMap(([, target = '', rest = '', relation = '']) => {
    const name = nameLink(relation, target);
    if (name === undefined) return [];
    // Many services leave out the link of a page to itself.
    const isOther =
      /^(?:first|last)_/.test(name) && !all.every((links) => links.some((each) => each[3] === relation));
    return [`<{${isOther ? 'other_' : ''}${name}}>${rest.trim()}`];
  });
  const written = learnHeaders(responses, {});
  // Others are headers of every response.
  const own = Object.entries(written).filter((entry): entry is [string, string] => {
    const parts = listPlaceholders(entry[1] ?? '');
    return parts.length > 0 && parts.every(({ name }) => pageNames.includes(name));
  });
  return { ...(link.length > 0 && { Link: link.join(', ') }), ...Object.fromEntries(own) };
}

/** The mark in place of the rows. */
const ROWS = 'rows of the page';

function pageValues(
  { call: { query }, rows: { length: count } }: Page,
  {
    place,
    total,
    start,
  }: { readonly place: number; readonly total: number | undefined; readonly start: number },
): KnownValues {
  const [page, per_page] = [place + 1, Number(query.get('per_page') ?? DEFAULT_ROWS)];
  const has_more = total === undefined || page * per_page < total;
  const pages = total === undefined ? undefined : Math.ceil(total / per_page);
  const counts: Readonly<Record<string, number | null | undefined>> = {
    page: page - 1 + start,
    per_page,
    total,
    total_pages: pages,
    last_page: pages === undefined ? undefined : pages - 1 + start,
    count,
    offset: (page - 1) * per_page,
    next_page: has_more ? page + start : null,
    previous_page: page > 1 ? page - 2 + start : null,
    next_offset: has_more ? page * per_page : null,
    from: count === 0 ? null : (page - 1) * per_page + 1,
    to: count === 0 ? null : (page - 1) * per_page + count,
  };
  const known = Object.entries(counts).flatMap(([name, value]): [string, Known][] =>
    value === undefined ? [] : [[name, { kind: 'count', count: value }]],
  );
  return {
    ...Object.fromEntries(known),
    has_more: { kind: 'json', json: has_more },
    has_previous: { kind: 'json', json: page > 1 },
  };
}
