// The rows and the pages of the transaction list.
import type { ProfileChoice } from '@service/mock';
import {
  firstPages,
  isRecord,
  type JsonObject,
  type PageTemplate,
  toMicro,
  toRecord,
} from '@service/internal';
import type { RawResponse } from '../client.ts';
import { type Finding, found, learned, other, unknown } from '../finding.ts';
import { type HistoryPage, readHistory } from '../history.ts';
import { findLinks, learnPage } from '../templates/pages.ts';
import { learnRows } from '../templates/rows.ts';
import { addStatuses } from '../templates/states.ts';
import { formsOf, listBeside, readResponse } from '../templates/values.ts';
import type { Call, MadePayment, Traffic } from '../traffic.ts';
import { statusesAt } from './statuses.ts';
import { type Envelope, listShown } from './shapes.ts';

/** A page of the history. */
interface Page {
  readonly call: Call;
  readonly reading: HistoryPage;
  readonly rows: readonly JsonObject[];
}

/** Learns the rows and the pages of the history. */
export function learnHistory(traffic: Traffic, envelope: Envelope): Finding[] {
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

const ends: ReadonlySet<string> = new Set(['completed', 'failed']);

function learnRowShape(traffic: Traffic, pages: readonly Page[]): Finding {
  const { payments, reads } = traffic;
  const listed = new Map<string, JsonObject>();
  // Each row as it was read last.
  for (const row of pages.flatMap((page) => page.rows)) {
    const key = JSON.stringify(row.id ?? row);
    listed.delete(key);
    listed.set(key, row);
  }
  const rows = [...listed.values()];
  const sample = rows.find(({ type }) => type === 'payment') ?? rows[0];
  if (sample === undefined) return unknown('transactionShape', 'the history has no rows');
  const finding = evaluateRow(sample);
  if (finding.state === 'found') return finding;
  const readAt = pages.at(-1)?.call.start ?? 0;
  const all = payments.flatMap((payment) => {
    if (payment.create.sent.purpose === '') return [];
    const status = statusesAt(traffic, payment.id, readAt).at(-1) ?? '';
    const isOnlyAmount =
      payments.filter(({ create }) => create.sent.amount === payment.create.sent.amount).length === 1;
    const known = addStatuses(payment.known, listShown(payment, reads));
    return ends.has(status) ? [{ payment, status, known, isOnlyAmount }] : [];
  });
  // The fee row of a payment without a quote could count as that of the payment.
  const quoted = all.filter(({ known }) => 'fee' in known);
  const ended = quoted.length < 3 ? all : quoted;
  // Rows of payments that have not ended are not complete.
  const open = payments.filter(({ id }) => ended.every(({ payment }) => payment.id !== id));
  const settled = rows.filter((row) => !open.some((payment) => namesPayment(row, payment)));
  const usable = dropOtherPayments(settled, payments);
  const [first] = ended;
  const result = first && learnRows(usable, ended, formsOf(first.payment.create.response.data));
  if (result === undefined) return finding;
  const kinds = result.templates.map(({ of }) => of).join(', ');
  const evidence = `${finding.evidence}; ${usable.length} rows, templates for ${kinds}`;
  return learned('transactionShape', result.templates, evidence, result.unexplained);
}

function namesPayment(row: JsonObject, { id, known: { purpose } }: MadePayment): boolean {
  const json = JSON.stringify(row);
  return json.includes(id) || (purpose?.kind === 'text' && !!purpose.text && json.includes(purpose.text));
}

/** Returns the type of a row, whatever the name of the field. */
function typeOf(row: JsonObject): string {
  const { type, kind, transaction_type, entry_type, category } = row;
  const named = [type, kind, transaction_type, entry_type, category];
  return named.find((value) => typeof value === 'string') ?? '';
}

/** Leaves out rows of payments from before, whose values are not known. */
function dropOtherPayments(rows: readonly JsonObject[], payments: readonly MadePayment[]): JsonObject[] {
  const own = rows.filter((row) => payments.some((payment) => namesPayment(row, payment)));
  const types = new Set(own.map(typeOf));
  return rows.filter((row) => own.includes(row) || !types.has(typeOf(row)) || own.length === 0);
}

const core = ['id', 'type', 'status', 'currency', 'amount', 'created_at'];
const more = ['fee', 'balance_after', 'payment_id', 'reference'];

/**
 * Compares the fields of a row with the values of the setting. Full rows may omit fields without a value, and their amount
 * is negative for a payment.
 */
function evaluateRow(row: JsonObject): Finding {
  const names = Object.keys(row);
  const evidence = `fields: ${names.join(', ')}`;
  const isPayment = row.type === 'payment';
  const isFull = 'balance_after' in row && ('payment_id' in row || !isPayment);
  const isKnown =
    names.every((name) => [...core, ...more].includes(name)) && core.every((name) => name in row);
  const isSigned = (toMicro(row.amount) ?? 0n) < 0n;
  return isKnown && (names.length === core.length || isFull) && isSigned === (isPayment && isFull)
    ? found('transactionShape', isFull ? 'full' : 'minimal', evidence)
    : other('transactionShape', evidence);
}

/** The number of rows of a page without `per_page`, and the most rows of a page (docs/contract.md#transactions). */
const [DEFAULT_ROWS, MOST_ROWS] = [20, 100];

/** Learns the pages from a first page and the requests for the pages after it. */
function learnPages(pages: readonly Page[], { template: envelope }: Envelope): Finding {
  const chains = pages.flatMap((page) =>
    firstPages.map((number) => ({ number, chain: followPages(page, pages, number) })),
  );
  const [longest] = chains.toSorted((one, two) => two.chain.length - one.chain.length);
  const { number = 1, chain = [] } = longest ?? {};
  const [first, last] = [chain[0], chain.at(-1)];
  if (first === undefined || last === undefined || chain.length === 1)
    return pages.some(({ rows }) => rows.length > 1)
      ? other(
          'pagination',
          `no request led to the page after the first one; ${describePage(pages[0] as Page)}`,
        )
      : unknown('pagination', 'the history has fewer than two rows, so there is no next page');
  const { arrayPath, next = {} } = first.reading;
  const evidence = `${describePage(first)}; ${chain.length} pages were read in turn`;
  const value = nameShape(first.reading, first.call.response, envelope);
  if (value !== undefined && number === 1) return found('pagination', value, evidence);
  const sizeOf = ({ call: { query } }: Page): number => Number(query.get('per_page') ?? DEFAULT_ROWS);
  const whole = pages.findLast((page) => sizeOf(page) === MOST_ROWS && page.rows.length < MOST_ROWS);
  const isEnd = last.reading.next === undefined || last.rows.length < sizeOf(last);
  const total = isEnd ? chain.reduce((sum, { rows }) => sum + rows.length, 0) : whole?.rows.length;
  const samples = [
    ...chain.map((page, index) => ({ page, index })),
    ...(whole ? [{ page: whole, index: 0 }] : []),
  ];
  const parameter =
    listPositions(next)[0] ?? listPositions(Object.fromEntries(chain[1]?.call.query ?? []))[0] ?? 'page';
  const result = learnPage({
    samples: samples.map(({ page: { call, rows }, page }, index) => ({
      text: call.response.text,
      headers: call.response.headers,
      page: (samples[index]?.index ?? 0) + 1,
      per_page: sizeOf(page),
      count: rows.length,
      known: readResponse(call.response),
    })),
    total,
    path: arrayPath.split('.'),
    parameter,
    first: number,
    query: readLinkQuery(pages, parameter),
    envelope,
  });
  if (result === undefined) return other('pagination', `no template describes the pages; ${evidence}`);
  if (JSON.stringify(result.template) === linkedPage) return found('pagination', 'link', evidence);
  return learned('pagination', result.template, evidence, result.unexplained);
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

/** The fields of the named pages, sorted. */
const namedPages = {
  page: 'current_page has_more per_page total total_pages',
  cursor: 'has_more next_cursor per_page',
  laravel: 'current_page data from last_page next_page_url per_page prev_page_url to total',
} as const;

/** Returns the named shape of a page. Undefined without one. */
function nameShape(
  { arrayPath }: HistoryPage,
  { body, data, headers }: RawResponse,
  envelope: object,
): ProfileChoice['pagination'] | undefined {
  // The template of the page can be that of the named shape.
  if (/rel="?next/.test(headers.get('link') ?? '')) return undefined;
  if (Object.keys(listBeside(body)).some((name) => !Object.hasOwn(envelope, name))) return undefined;
  if (arrayPath === 'data') return 'array';
  const { transactions: _, pagination, ...beside } = data;
  const fields = [...Object.keys(beside), ...Object.keys(toRecord(pagination))].toSorted().join(' ');
  if (arrayPath === 'data.data') return fields === namedPages.laravel ? 'laravel' : undefined;
  if (arrayPath !== 'data.transactions' || !isRecord(pagination)) return undefined;
  return fields === namedPages.cursor ? 'cursor' : fields === namedPages.page ? 'page' : undefined;
}

/** The template of the pages `link`. */
const linkedPage = JSON.stringify({
  data: { transactions: ['{each rows}', '{row}'] },
  headers: { Link: '<{next_path}>; rel="next"' },
} satisfies PageTemplate);

/** A query parameter that no service has. */
export const OTHER_PARAMETER = 'no_such_parameter';

/** Determines the query parameters of links from the links of pages with other ones, and without any. */
function readLinkQuery(pages: readonly Page[], parameter: string): PageTemplate['query'] {
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
    last = pages.slice(pages.indexOf(last) + 1).find((page) => {
      const own = Object.fromEntries(page.call.query);
      const isNext =
        positions.length > 0
          ? positions.every(([name = '', value]) => own[name] === value)
          : own.page === String(length + number) || listPositions(own).length > 0;
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
