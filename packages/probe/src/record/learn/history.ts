import { firstPages, type JsonObject, type RowTemplate } from '@service/internal';
import { ends, evaluateRow } from '../../experiments/history.ts';
import { type HistoryPage, readHistory } from '../../experiments/history-reader.ts';
import { findNextPage } from '../../experiments/pages.ts';
import { formsOf } from '../../templates/values.ts';
import { type Finding, found, other } from '../../finding.ts';
import { addUnexplained } from '../../templates/learn.ts';
import { learnPage } from '../../templates/pages.ts';
import { adapt, learnRows } from '../../templates/rows.ts';
import { type RecordedStatus, statusAt } from './statuses.ts';
import type { Call, RecordedPayment, Traffic } from './traffic.ts';

/** A page of the history with its rows as received. */
interface Page {
  readonly call: Call;
  readonly reading: HistoryPage;
  readonly rows: readonly JsonObject[];
}

/** Learns the rows and the pages of the history. */
export function learnHistory(traffic: Traffic, statuses: readonly RecordedStatus[]): Finding[] {
  const pages = traffic.pages.flatMap(readPage);
  return [...learnRowShape(traffic, { pages, statuses }), ...learnPages(pages)];
}

function readPage(call: Call): Page[] {
  const reading = readHistory(call.response);
  if ('problem' in reading) return [];
  return [{ call, reading, rows: reading.raw }];
}

interface History {
  readonly pages: readonly Page[];
  readonly statuses: readonly RecordedStatus[];
}

function learnRowShape({ payments }: Traffic, { pages, statuses }: History): Finding[] {
  const rows = listRows(pages);
  const sample = rows.find(({ type }) => type === 'payment') ?? rows[0];
  const readAt = pages.at(-1)?.call.start ?? 0;
  if (sample === undefined) return [];
  const finding = evaluateRow(sample);
  if (finding.state === 'found') return [finding];
  const ended = payments.flatMap((payment) => {
    const status = statusAt(statuses, payment.id, readAt);
    return ends.includes(status) ? [{ payment, status }] : [];
  });
  const own = payments.filter(({ id }) => ended.every(({ payment }) => payment.id !== id));
  const settled = rows.filter((row) => !own.some((payment) => namesPayment(row, payment)));
  const usable = dropOtherPayments(settled, payments);
  const [first] = ended;
  const forms = formsOf(first?.payment.create.response.data);
  const learned =
    first &&
    learnRows(
      usable,
      ended.map(({ payment: { known }, status }) => ({ known, status })),
      forms,
    );
  if (learned === undefined) return [];
  const templates = addKinds(learned.templates, usable);
  const kinds = templates.map(({ of }) => of).join(', ');
  const evidence = `${finding.evidence}; ${usable.length} rows, templates for ${kinds}`;
  return [found('transactionShape', templates, addUnexplained(evidence, learned.unexplained))];
}

/** Returns all rows, each as it was read last. */
function listRows(pages: readonly Page[]): JsonObject[] {
  const rows = new Map<string, JsonObject>();
  for (const row of pages.flatMap((page) => page.rows)) rows.set(JSON.stringify(row.id ?? row), row);
  return [...rows.values()];
}

function namesPayment(row: JsonObject, { id, known: { purpose } }: RecordedPayment): boolean {
  const json = JSON.stringify(row);
  return json.includes(id) || (purpose?.kind === 'text' && !!purpose.text && json.includes(purpose.text));
}

/** Returns the type of a row, whatever the name of the field. */
function typeOf(row: JsonObject): string {
  const { type, kind, transaction_type, entry_type, category } = row;
  const named = [type, kind, transaction_type, entry_type, category];
  return named.find((value) => typeof value === 'string') ?? '';
}

/** Leaves out rows of payments from before the recording, whose values are not known. */
function dropOtherPayments(rows: readonly JsonObject[], payments: readonly RecordedPayment[]): JsonObject[] {
  const own = rows.filter((row) => payments.some((payment) => namesPayment(row, payment)));
  const types = new Set(own.map(typeOf));
  return rows.filter((row) => own.includes(row) || !types.has(typeOf(row)));
}

/** The kinds of rows that payments do not cause, by their type. */
const kinds = [
  ['deposit', /deposit|top_?up|fund|credit/i],
  ['adjustment', /adjust|correct/i],
] as const;

/** Adds templates for the rows of movements other than payments. They have the values of the payment's template. */
function addKinds(templates: readonly RowTemplate[], rows: readonly JsonObject[]): RowTemplate[] {
  const payment = templates.find(({ of }) => of === 'payment');
  const added = kinds.flatMap(([of, pattern]): RowTemplate[] => {
    const own = rows.filter((row) => pattern.test(typeOf(row)) && !/refund|return/i.test(typeOf(row)));
    const isKnown = templates.some((template) => template.of === of);
    return payment === undefined || isKnown || own.length === 0 ? [] : [{ of, row: adapt(payment.row, own) }];
  });
  return [
    ...templates.filter(({ of }) => of !== 'any'),
    ...added,
    ...templates.filter(({ of }) => of === 'any'),
  ];
}

/** The number of rows of a page without `per_page` (docs/contract.md#transactions). */
const DEFAULT_ROWS = 20;

/** Learns the pages from a first page and the requests of the application for the pages after it. */
function learnPages(pages: readonly Page[]): Finding[] {
  const chains = pages.flatMap((page) =>
    firstPages.map((number) => ({ number, chain: followPages(page, pages, number) })),
  );
  const [longest] = chains.toSorted((one, two) => two.chain.length - one.chain.length);
  const { number = 1, chain = [] } = longest ?? {};
  const [first] = chain;
  if (first === undefined || chain.length === 1) return [];
  const { response, query } = first.call;
  const { arrayPath, next = {} } = first.reading;
  const evidence = `rows in ${arrayPath}; ${chain.length} pages were read in turn`;
  const { value } = findNextPage(first.reading, response) ?? {};
  if (value !== undefined && number === 1) return [found('pagination', value, evidence)];
  const per_page = Number(query.get('per_page') ?? DEFAULT_ROWS);
  const last = chain.at(-1);
  // Without the last page, the number of all rows is not known.
  if (last === undefined || (last.reading.next !== undefined && last.rows.length >= per_page)) return [];
  const learned = learnPage({
    samples: chain.map(({ call, rows }, index) => ({
      text: call.response.text,
      headers: call.response.headers,
      page: index + 1,
      per_page,
      count: rows.length,
    })),
    total: chain.reduce((sum, { rows }) => sum + rows.length, 0),
    path: arrayPath.split('.'),
    parameter: listPositions(next)[0] ?? 'page',
    first: number,
  });
  if (learned === undefined) return [other('pagination', `no template describes the pages; ${evidence}`)];
  return [found('pagination', learned.template, addUnexplained(evidence, learned.unexplained))];
}

/** Returns the names of the parameters that select a page, other than its number. */
function listPositions(query: object): string[] {
  return Object.keys(query).filter((name) => !/^page$|per|size|limit|status|type/.test(name));
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
    const wanted = { ...readFilters(start.call), ...readPosition(last, chain.length + number) };
    const { rows }: Page = last;
    const seen = new Set((number === 0 ? rows : rows.slice(0, 1)).map((row) => JSON.stringify(row)));
    last = pages
      .slice(pages.indexOf(last) + 1)
      .find(
        (page) =>
          page.rows.length > 0 &&
          !(number === 0 ? page.rows : page.rows.slice(0, 1)).some((row) => seen.has(JSON.stringify(row))) &&
          Object.entries(wanted).every(([name, value]) => page.call.query.get(name) === value),
      );
    if (last !== undefined) chain.push(last);
  }
  return chain;
}

function readFilters({ query }: Call): Record<string, string | null> {
  return Object.fromEntries(['per_page', 'status', 'type'].map((name) => [name, query.get(name)]));
}

/** Returns the parameters of the page after another one. */
function readPosition({ reading: { next = {} } }: Page, page: number): Record<string, string> {
  const positions = listPositions(next).map((name) => [name, String(next[name])] as const);
  return positions.length > 0 ? Object.fromEntries(positions) : { page: String(page) };
}
