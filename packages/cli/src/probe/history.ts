import type { Fields } from '../json.ts';
import type { Bench, Experiment } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { toMicro } from './micro.ts';
import { lookAtPages } from './pages.ts';
import { demandRows, noRows, readHistory, readPage } from './rows.ts';
import { describe, isRefusal, writeValue } from './wire.ts';

/** Looks at the transaction history: its rows, its pages and its filters (spec §4). */
export const history: readonly Experiment[] = [
  { settings: ['transactionShape'], look: lookAtRows },
  { settings: ['pagination'], look: lookAtPages },
  { settings: ['badPage'], look: lookAtBadPage },
  { settings: ['unknownFilter'], look: lookAtUnknownFilter },
];

async function lookAtRows(bench: Bench): Promise<Finding[]> {
  const page = readHistory(await readPage(bench, 'per_page=100'), bench);
  if ('problem' in page) return [other('transactionShape', page.problem)];
  const row = page.raw.find(({ type }) => type === 'payment') ?? page.raw[0];
  return [row === undefined ? unknown('transactionShape', noRows) : judgeRow(row)];
}

const core = ['id', 'type', 'status', 'currency', 'amount', 'created_at'] as const;
const more = ['fee', 'balance_after', 'payment_id', 'reference'] as const;

/** Judges a row by all its fields. Full rows may leave out what has no value; the amount of a payment is negative in them. */
function judgeRow(row: Fields): Finding {
  const names = Object.keys(row);
  const evidence = `fields: ${names.join(', ')}; "amount": ${writeValue(row.amount)}`;
  const isKnown = names.every((name) => [...core, ...more].some((one) => one === name));
  const isMinimal = names.length === core.length;
  const isPayment = row.type === 'payment';
  const isFull = 'balance_after' in row && ('payment_id' in row || !isPayment);
  const isSigned = (toMicro(row.amount) ?? 0n) < 0n;
  const isRow = isKnown && core.every((name) => name in row) && (isMinimal || isFull);
  return isRow && isSigned === (isPayment && isFull)
    ? found('transactionShape', isFull ? 'full' : 'minimal', evidence)
    : other('transactionShape', evidence);
}

async function lookAtBadPage(bench: Bench): Promise<Finding[]> {
  const whole = await readPage(bench, 'per_page=100');
  const few = await bench.ask('/transactions?per_page=0');
  const many = await bench.ask('/transactions?per_page=101');
  const evidence = `per_page 0: ${describe(few)}, 101: ${describe(many)}`;
  if (isRefusal(few) && isRefusal(many)) return [found('badPage', 'reject', evidence)];
  if (!few.accepted || !many.accepted) return [other('badPage', evidence)];
  const all = demandRows(whole, bench);
  if (all.length < 2) return [unknown('badPage', 'the history has too few rows to tell')];
  const [least, most] = [few, many].map((page) => demandRows(page, bench).length);
  const counted = `${evidence}; ${least} and ${most} rows of ${all.length}`;
  const isClamped = least === 1 && most !== undefined && most >= all.length && most <= MOST_ROWS;
  return [isClamped ? found('badPage', 'clamp', counted) : other('badPage', counted)];
}

/** Holds the most rows that a page may have (spec §8). */
const MOST_ROWS = 100;

async function lookAtUnknownFilter(bench: Bench): Promise<Finding[]> {
  const unfiltered = await readPage(bench, 'per_page=1');
  const sighting = await bench.ask('/transactions?status=no_such_status');
  const evidence = `status=no_such_status: ${describe(sighting)}`;
  if (isRefusal(sighting)) return [found('unknownFilter', 'reject', evidence)];
  if (!sighting.accepted) return [other('unknownFilter', evidence)];
  if (demandRows(sighting, bench).length > 0)
    return [found('unknownFilter', 'ignore', `${evidence} with rows`)];
  return [
    demandRows(unfiltered, bench).length > 0
      ? found('unknownFilter', 'empty', `${evidence} without rows`)
      : unknown('unknownFilter', noRows),
  ];
}
