import { type Bench, demand, type Experiment } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { describe, type Fields, isRefusal, type Sighting, toRecord } from './wire.ts';

/** Looks at the transaction history: its rows, its pages and its filters (spec §4). */
export const history: readonly Experiment[] = [
  { settings: ['transactionShape'], look: lookAtRows },
  { settings: ['pagination'], look: lookAtPages },
  { settings: ['badPage'], look: lookAtBadPage },
  { settings: ['unknownFilter'], look: lookAtUnknownFilter },
];

const none = 'the history has no rows';

/** Collects the rows of a page, whatever its shape; undefined when there is no list of them. */
function readRows({ body, data }: Sighting): readonly Fields[] | undefined {
  const list = [toRecord(body).data, data.transactions, data.data].find(Array.isArray);
  return list?.map(toRecord);
}

async function readPage({ ask }: Bench, query: string): Promise<Sighting> {
  const sighting = await ask(`/transactions?${query}`);
  demand(sighting, `GET /transactions?${query}`);
  return sighting;
}

async function lookAtRows(bench: Bench): Promise<Finding[]> {
  const rows = readRows(await readPage(bench, 'per_page=100'));
  if (rows === undefined) return [other('transactionShape', 'the page holds no list of rows')];
  const row = rows.find(({ type }) => type === 'payment') ?? rows[0];
  if (row === undefined) return [unknown('transactionShape', none)];
  const evidence = `fields: ${Object.keys(row).join(', ')}`;
  const isFull = ['balance_after', 'payment_id', 'reference'].some((name) => name in row);
  return [found('transactionShape', isFull ? 'full' : 'minimal', evidence)];
}

async function lookAtPages(bench: Bench): Promise<Finding[]> {
  const page = await readPage(bench, 'per_page=1');
  const { body, data, headers } = page;
  const pagination = toRecord(data.pagination);
  const fields = [...Object.keys(data), ...Object.keys(pagination)].filter((name) => !/^\d+$/.test(name));
  const evidence = `fields: ${fields.join(', ') || 'none, a list'}${headers.has('link') ? '; Link' : ''}`;
  if (/rel="?next/.test(headers.get('link') ?? '')) return [found('pagination', 'link', evidence)];
  if (Array.isArray(toRecord(body).data)) return [found('pagination', 'array', evidence)];
  if ('next_cursor' in pagination) return [found('pagination', 'cursor', evidence)];
  if ('last_page' in data || 'next_page_url' in data) return [found('pagination', 'laravel', evidence)];
  if ('current_page' in pagination || 'has_more' in pagination)
    return [found('pagination', 'page', evidence)];
  const isShort = (readRows(page)?.length ?? 0) < 1;
  return [isShort ? unknown('pagination', none) : await lookForMore(bench, evidence)];
}

/** Tells a history of one row, which needs no next page, from one whose next page cannot be seen. */
async function lookForMore(bench: Bench, evidence: string): Promise<Finding> {
  const rows = readRows(await readPage(bench, 'per_page=100'));
  return (rows?.length ?? 0) > 1
    ? other('pagination', `nothing leads to the next page; ${evidence}`)
    : unknown('pagination', 'the history has one row, so there is no next page');
}

async function lookAtBadPage({ ask }: Bench): Promise<Finding[]> {
  const few = await ask('/transactions?per_page=0');
  const many = await ask('/transactions?per_page=101');
  const evidence = `per_page 0: ${describe(few)}, 101: ${describe(many)}`;
  if (isRefusal(few) && isRefusal(many)) return [found('badPage', 'reject', evidence)];
  const isClamped = few.accepted && many.accepted;
  return [isClamped ? found('badPage', 'clamp', evidence) : other('badPage', evidence)];
}

async function lookAtUnknownFilter(bench: Bench): Promise<Finding[]> {
  const sighting = await bench.ask('/transactions?status=no_such_status');
  const evidence = `status=no_such_status: ${describe(sighting)}`;
  if (isRefusal(sighting)) return [found('unknownFilter', 'reject', evidence)];
  const rows = sighting.accepted ? readRows(sighting) : undefined;
  if (rows === undefined) return [other('unknownFilter', evidence)];
  if (rows.length > 0) return [found('unknownFilter', 'ignore', `${evidence} with rows`)];
  const all = readRows(await readPage(bench, 'per_page=1')) ?? [];
  return [
    all.length > 0
      ? found('unknownFilter', 'empty', `${evidence} without rows`)
      : unknown('unknownFilter', none),
  ];
}
