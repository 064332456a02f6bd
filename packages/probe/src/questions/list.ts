// The transaction list: its rows, its pages, and its query.
import { namedPages, namedRows, type PageExample, toRecord } from '@service/internal';
import { type Call, type PageCall, readPage, readPages } from '../call.ts';
import { isRefusal } from '../response.ts';
import {
  type Facts,
  type Forms,
  type LearnedExample,
  learnExample,
  listCommonFacts,
  listDifferences,
  listUnlike,
  type Sample,
  textFact,
} from '../example.ts';
import { followPayments } from '../follow.ts';
import { choice, type Proof, type Question, type Reading, repeated, type Step } from '../question.ts';
import type { Run } from '../run.ts';
import { listOrders } from '../rows.ts';
import { perSeen, type Seen } from '../seen.ts';
import { readAbsent } from './responses.ts';
import { readTimestampForm } from '../time.ts';
import { type Moment, momentNames, readMoments } from './moments.ts';

/** The forms that amounts and times have in other responses. */
export const readForms = (seen: Seen): Forms => {
  const quote = seen.calls.find(
    ({ operation, response }) => operation === 'createQuote' && response.accepted,
  );
  const [payment] = seen.payments;
  return {
    numbers: typeof quote?.response.data.send_amount === 'string' ? 'string' : 'number',
    timestamps: readTimestampForm(payment?.create.response.data.created_at),
    absent: readAbsent(seen),
  };
};

/** Learns the rows of moments with equally many rows. */
const learnRows = (moments: readonly Moment[], seen: Seen): LearnedExample[] =>
  (moments[0]?.rows ?? []).map((_, index) =>
    learnExample(
      moments.flatMap(({ rows: own }) => own[index] ?? []),
      readForms(seen),
      true,
    ),
  );

/** Returns the name of rows that explain all that were seen. */
function nameRows(seen: Seen): string | undefined {
  const forms = readForms(seen);
  const { moments } = readMoments(seen);
  const match = Object.entries(namedRows).find(([, examples]) =>
    moments.every(({ name, rows: own }) => {
      const expected: readonly unknown[] = examples[name] ?? [];
      return (
        expected.length === own.length &&
        own.every((row, index) => listDifferences(expected[index], row, forms).length === 0)
      );
    }),
  );
  return match?.[0];
}

/** The rows that each moment leaves. Each field is explained by two payments, or left out. */
const rows: Question = {
  setting: 'rows',
  ask: followPayments,
  second: 'a second payment that completes, and one that fails',
  read: (seen): Reading => {
    const { moments, strays } = readMoments(seen);
    const missing = [...new Set(strays)].slice(0, 2);
    const value: Record<string, readonly unknown[]> = {};
    for (const name of momentNames) {
      const own = moments.filter((one) => one.name === name);
      const usual = own.filter((one) => one.rows.length === own[0]?.rows.length);
      const others = own.filter((one) => !usual.includes(one)).slice(0, 2);
      missing.push(...others.map((one) => `${name} leaves ${one.rows.length} rows for ${one.of}`));
      const learned = learnRows(usual, seen);
      if (learned.length === 0) continue;
      if (usual.length < 2) missing.push(`a second ${name}`);
      missing.push(...learned.flatMap((one) => one.unexplained.map((path) => `${path} of ${name}`)));
      value[name] = learned.map(({ example }) => example);
    }
    if (Object.keys(value).every((name) => name === 'deposit'))
      return { unknown: 'no row belongs to a payment whose create and end were read' };
    if (!moments.some(({ name }) => name === 'refund')) missing.push('a payment that is refunded');
    const evidence = `rows of ${moments.length} moments: ${Object.keys(value).join(', ')}`;
    return { value: nameRows(seen) ?? value, evidence, missing };
  },
  proves: (seen, value): Proof => {
    const { moments } = readMoments(seen);
    if (typeof value === 'string') return { agree: [`the rows of ${moments.length} moments`], against: [] };
    // Examples are learned from all rows: the half that was not used is explained by those of the other half.
    const repeatedMoments = momentNames
      .map((name) => moments.filter((one) => one.name === name))
      .filter((own) => own.length > 1);
    const against = repeatedMoments.flatMap((own) => {
      const half = Math.max(2, Math.ceil(own.length / 2));
      const learned = learnRows(own.slice(0, half), seen);
      return own
        .slice(half)
        .flatMap(({ name, rows: shown, of }) =>
          shown.flatMap((row, index) =>
            listUnlike(learned[index], [row], readForms(seen)).map((path) => `${path} of ${name} for ${of}`),
          ),
        );
    });
    const isProven = repeatedMoments.length > 0 && against.length === 0;
    return { agree: isProven ? [`${repeatedMoments.length} moments of several payments`] : [], against };
  },
};

/** Lists with a third and half of all rows per page, from their first page to their last one. */
export const pages: Step = {
  subject: 'the pages of the list',
  send: async (run) => {
    const whole = readPage(await run.send('/transactions?per_page=100'))?.rows.length ?? 0;
    await list(run, '', 'listQuery.usual');
    for (const size of new Set([Math.max(1, Math.ceil(whole / 4)), Math.max(1, Math.ceil(whole / 3) + 1)]))
      await walk(run, size);
    await list(run, '?per_page=1&page=1', 'pagination.first');
    await list(run, '?per_page=1', 'pagination.first');
    for (const query of ['per_page=0', 'per_page=-1', 'page=0', 'per_page=101', 'per_page=many'])
      await list(run, `?${query}`, 'listQuery.page');
    const last = Math.max(1, Math.ceil(whole / 5));
    for (const page of [last + 1, last + 40, 9_999])
      await list(run, `?per_page=5&page=${page}`, 'listQuery.pastEnd');
    const [row] = readPage(await list(run, '?per_page=100', 'listQuery.whole'))?.rows ?? [];
    for (const name of ['status', 'type']) {
      await list(run, `?per_page=5&${name}=no_such_${name}`, 'listQuery.filter');
      if (typeof row?.[name] === 'string')
        await list(run, `?per_page=100&${name}=${encodeURIComponent(row[name])}`, 'listQuery.order');
    }
  },
};

const list = ({ send }: Run, query: string, label: string): Promise<Call> =>
  send(`/transactions${query}`, { label });

/** The most pages of a walk. */
const MOST_PAGES = 12;

/** Reads the pages of a size, each by the query of the one before. */
async function walk(run: Run, size: number): Promise<void> {
  let query: Readonly<Record<string, string>> = {};
  for (let count = 0; count < MOST_PAGES; count += 1) {
    const search = String(new URLSearchParams({ per_page: String(size), ...query }));
    const page = readPage(await list(run, `?${search}`, 'pagination'));
    if (page === undefined || page.rows.length < size || page.next === undefined) return;
    query = Object.fromEntries(Object.entries(page.next).map(([name, value]) => [name, String(value)]));
  }
}

/** The pages of each walk, in their order. */
const listWalks = perSeen((seen: Seen): PageCall[][] => {
  const walks: PageCall[][] = [];
  for (const one of readPages(seen.of('pagination'))) {
    const size = one.call.query.get('per_page');
    const last = walks.find(([first]) => first?.call.query.get('per_page') === size);
    // A service that does not know the query repeats a page.
    if (last && JSON.stringify(last.at(-1)?.page.rows) === JSON.stringify(one.page.rows)) continue;
    if (last) last.push(one);
    else walks.push([one]);
  }
  return walks.filter((walked) => walked.length > 1);
});

/** The only pages of lists without rows. */
const listEmpty = (seen: Seen): PageCall[][] =>
  readPages([...seen.of('pagination.empty'), ...seen.of('listQuery.filter')])
    .filter(({ page }) => page.rows.length === 0)
    .map((one) => [one]);

/** How a query asks for the next page. */
type Way = Required<Pick<PageExample, 'by' | 'parameter' | 'first'>>;

/** Reads how the pages of a walk refer to each other. */
function readWay([first, second]: readonly PageCall[], seen: Seen): Way | undefined {
  if (first === undefined || second === undefined) return undefined;
  const names = [...second.call.query.keys()].filter(
    (name) => name !== 'per_page' && !first.call.query.has(name),
  );
  const parameter = names.find((name) => name !== 'page') ?? names[0];
  if (parameter === undefined) return undefined;
  const number = Number(second.call.query.get(parameter));
  if (/^(?:offset|skip|start)$/.test(parameter) && number === first.page.rows.length)
    return { by: 'offset', parameter, first: 1 };
  if (!/^page(?:_?(?:number|no|index))?$/i.test(parameter) || !Number.isInteger(number))
    return { by: 'cursor', parameter, first: 1 };
  const [one, plain] = seen.of('pagination.first').map((call) => JSON.stringify(readPage(call)?.rows));
  return { by: 'page', parameter, first: number === 1 || one !== plain ? 0 : 1 };
}

/** The rows of all pages, which a sample has in place of its rows. */
const ROWS = '\u0000rows';

const count = (value: number | null): Facts[string] => ({ kind: 'count', count: value });

/** Returns the pages of a walk with the values that they can show. */
function toSamples(walked: readonly PageCall[], way: Way): Sample[] {
  const sizes = walked.map(({ page }) => page.rows.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const perPage = Number(walked[0]?.call.query.get('per_page'));
  return walked.map(({ call, page: { rows: own, path } }, index): Sample => {
    const offset = sizes.slice(0, index).reduce((sum, size) => sum + size, 0);
    const [next, previous] = [walked[index + 1], walked[index - 1]];
    const link = (number: number): Facts[string] => {
      const query = walked[number]?.call.query;
      const page = way.by === 'page' && { [way.parameter]: String(number + way.first) };
      return { kind: 'link', query: query ? { ...Object.fromEntries(query), ...page } : null };
    };
    return {
      json: replaceAt(call.response.body, path, ROWS),
      facts: {
        rows: textFact(ROWS),
        page: count(index + way.first),
        per_page: count(perPage),
        total: count(total),
        total_pages: count(Math.ceil(total / perPage)),
        last_page: count(walked.length),
        count: count(own.length),
        next_page: count(next && way.by === 'page' ? index + 1 + way.first : null),
        previous_page: count(previous && way.by === 'page' ? index - 1 + way.first : null),
        offset: count(offset),
        from: count(own.length > 0 ? offset + 1 : null),
        to: count(own.length > 0 ? offset + own.length : null),
        // A page without its next one is the first of several.
        has_more: { kind: 'flag', flag: next !== undefined || (walked.length === 1 && own.length > 0) },
        ...(way.by === 'cursor' && { next_cursor: textFact(next?.call.query.get(way.parameter)) }),
        next: link(index + 1),
        previous: link(index - 1),
        first: link(0),
        last: link(walked.length - 1),
        ...listCommonFacts(call),
      },
    };
  });
}

function replaceAt(json: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const record = toRecord(json);
  return { ...record, [name]: replaceAt(record[name], rest, value) };
}

/** How the pages of a list refer to each other, as the first walk shows it, or a page whose next one is not found. */
const learnPages = perSeen((seen: Seen) => {
  const page = readPages(seen.of('pagination')).find((one) => one.page.rows.length > 0);
  const [walked = page && [page]] = listWalks(seen);
  if (walked === undefined) return undefined;
  const way = readWay(walked, seen);
  const { by, parameter, first } = way ?? { by: 'page', parameter: 'page', first: 1 };
  const { example, unexplained } = learnExample(toSamples(walked, { by, parameter, first }), readForms(seen));
  const value = {
    body: example as PageExample['body'],
    ...(by !== 'page' && { by }),
    ...(parameter !== by && { parameter }),
    ...(first !== 1 && { first }),
  };
  return { value, unexplained: way ? unexplained : ['the query of the next page', ...unexplained] };
});

/** Returns what the pages of a walk show in another way than a value writes it. */
function listPageDifferences(
  { by = 'page', parameter = by, first = 1, body, link }: PageExample,
  walked: readonly PageCall[],
  seen: Seen,
  unexplained: readonly string[] = [],
): string[] {
  const expected = { by, parameter, first };
  const way = walked.length === 1 ? expected : readWay(walked, seen);
  if (way === undefined || JSON.stringify(way) !== JSON.stringify(expected))
    return ['the query of the next page'];
  const paths = listUnlike({ example: body, unexplained }, toSamples(walked, way), readForms(seen));
  // Only a named form describes links in a header.
  const isLinked = walked.some(({ call }) => call.response.headers.has('link'));
  const isOther = walked.length > 1 && isLinked !== (link !== undefined);
  return [...new Set(paths), ...(isOther ? ['the Link header'] : [])];
}

/** The body of a page, and how it refers to the next one. */
const pagination: Question = {
  setting: 'pagination',
  ask: pages,
  second: 'the pages of another size',
  read: (seen) => {
    const all = [...listWalks(seen), ...listEmpty(seen)];
    const { value, unexplained = [] } = learnPages(seen) ?? {};
    if (value === undefined)
      return { unknown: 'nothing shows it: read all pages of a list with more rows than a page' };
    const text = JSON.stringify(value);
    if (!text.includes('"{rows}"')) return { other: 'the rows have different places in the pages' };
    const evidence = `${listWalks(seen).length} sizes of pages`;
    const named = Object.entries(namedPages).find(([, one]) =>
      all.every((each) => listPageDifferences(one, each, seen).length === 0),
    );
    // The number of pages can be at least 1.
    const isEmptyMissing = /"\{(?:total_pages|last_page)\}"/.test(text) && listEmpty(seen).length === 0;
    const missing = isEmptyMissing ? ['a page of a list without rows'] : [];
    if (named === undefined) missing.push(...unexplained.map((path) => `${path} of a page`));
    return { value: named?.[0] ?? value, evidence, missing };
  },
  proves: (seen, value) => {
    const [, ...others] = listWalks(seen);
    const against =
      typeof value === 'string'
        ? []
        : [...listWalks(seen), ...listEmpty(seen)].flatMap((walked) =>
            listPageDifferences(value as PageExample, walked, seen, learnPages(seen)?.unexplained).map(
              (path) => `${path} of ${walked.length} pages`,
            ),
          );
    const agree =
      against.length === 0 ? others.map((walked) => `${walked.length} pages of another size`) : [];
    return { agree, against: [...new Set(against)] };
  },
};

const countOf = (calls: readonly Call[]): number | undefined => calls[0] && readPage(calls[0])?.rows.length;

/** Whether pages are requested by their number. */
const isNumbered = (seen: Seen): boolean =>
  (readWay(listWalks(seen)[0] ?? [], seen)?.parameter ?? 'page') === 'page';

/** The answer to a page or a size that does not exist. */
const askedPage = choice(
  'listQuery.page',
  pages,
  'lists with per_page 0 and 101, and page 0',
  (response, call, seen) => {
    const size = call.query.get('per_page');
    // Another parameter has the place of the page, or a page that does not exist is as one after the last one.
    if (size === null && (!isNumbered(seen) || response.status === 404)) return undefined;
    if (isRefusal(response)) return 'reject';
    const [first] = seen.of('listQuery.page');
    if (first && isRefusal(first.response)) return 'other';
    const shown = readPage(call)?.rows.length;
    const [whole, usual] = [countOf(seen.of('listQuery.whole')), countOf(seen.of('listQuery.usual'))];
    if (shown === undefined || whole === undefined || usual === undefined) return 'other';
    if (whole < 2 || (size !== '0' && size !== '-1')) return undefined;
    return shown === 1 ? 'clamp' : shown === usual ? 'default' : 'other';
  },
);

/** A page after the last one, at different distances, if pages have numbers. */
const pastEnd = choice('listQuery.pastEnd', pages, 'pages after the last one', (response, call) => {
  if (response.status === 404) return 'not_found';
  return readPage(call)?.rows.length === 0 ? 'empty' : 'other';
});

const rowsOf = (call: Call): string[] => readPage(call)?.rows.map((row) => JSON.stringify(row)) ?? [];

/** The order of the whole list, and of lists of a status or a type. */
function listOrdersOfLists(seen: Seen): ('newest' | 'oldest')[] {
  const orders = listOrders(seen);
  const [order] = orders;
  const whole = seen.of('listQuery.whole').flatMap(rowsOf);
  const ofFilters = seen.of('listQuery.order').map((call) => {
    const shown = rowsOf(call);
    const own = whole.filter((row) => shown.includes(row)).toReversed();
    return own.length > 1 && shown.join() === own.join() ? (order === 'oldest' ? 'newest' : 'oldest') : order;
  });
  return [...orders, ...ofFilters.filter((one) => one !== undefined)];
}

export const listQuestions: readonly Question[] = [
  rows,
  pagination,
  askedPage,
  { ...pastEnd, read: (seen) => (isNumbered(seen) ? pastEnd.read(seen) : 'pointless') },
  choice(
    'listQuery.filter',
    pages,
    'lists with an unknown status and an unknown type',
    (response, call, seen) => {
      if (isRefusal(response)) return 'reject';
      const shown = readPage(call)?.rows.length;
      if (shown === undefined) return 'other';
      return shown > 0 ? 'ignore' : (countOf(seen.of('listQuery.whole')) ?? 0) > 0 ? 'empty' : undefined;
    },
  ),
  repeated<'newest' | 'oldest'>({
    setting: 'listQuery.order',
    ask: followPayments,
    request: 'the list before and after two payments',
    list: listOrdersOfLists,
    keyOf: (_, index) => index,
    show: (value) => ({ text: `new rows come ${value === 'newest' ? 'first' : 'last'}`, value }),
  }),
];
