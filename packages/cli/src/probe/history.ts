import type { Fields } from '../json.ts';
import type { ProbeContext, Experiment } from './context.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { toMicro } from './micro.ts';
import { probePages } from './pages.ts';
import { demandRows, noRows, readHistory, readPage } from './rows.ts';
import { describeResponse, isRefusal, formatValue } from './raw-client.ts';

/** The experiments about the transaction list: rows, pages and filters. */
export const history: readonly Experiment[] = [
  { settings: ['transactionShape'], run: probeRows },
  { settings: ['pagination'], run: probePages },
  { settings: ['badPage'], run: probeBadPage },
  { settings: ['unknownFilter'], run: probeUnknownFilter },
];

async function probeRows(context: ProbeContext): Promise<Finding[]> {
  const page = readHistory(await readPage(context, 'per_page=100'), context);
  if ('problem' in page) return [other('transactionShape', page.problem)];
  const row = page.raw.find(({ type }) => type === 'payment') ?? page.raw[0];
  return [row === undefined ? unknown('transactionShape', noRows) : evaluateRow(row)];
}

const core = ['id', 'type', 'status', 'currency', 'amount', 'created_at'] as const;
const more = ['fee', 'balance_after', 'payment_id', 'reference'] as const;

/**
 * Compares the fields of a row with the values of the setting. Full rows may omit fields without a value, and
 * their amount is negative for a payment.
 */
function evaluateRow(row: Fields): Finding {
  const names = Object.keys(row);
  const evidence = `fields: ${names.join(', ')}; "amount": ${formatValue(row.amount)}`;
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

async function probeBadPage(context: ProbeContext): Promise<Finding[]> {
  const whole = await readPage(context, 'per_page=100');
  const few = await context.send('/transactions?per_page=0');
  const many = await context.send('/transactions?per_page=101');
  const evidence = `per_page 0: ${describeResponse(few)}, 101: ${describeResponse(many)}`;
  if (isRefusal(few) && isRefusal(many)) return [found('badPage', 'reject', evidence)];
  if (!few.accepted || !many.accepted) return [other('badPage', evidence)];
  const all = demandRows(whole, context);
  if (all.length < 2) return [unknown('badPage', 'the history has fewer than two rows')];
  const [fewest, most] = [few, many].map((page) => demandRows(page, context).length);
  const counted = `${evidence}; ${fewest} and ${most} rows of ${all.length}`;
  const isClamped = fewest === 1 && most !== undefined && most >= all.length && most <= MOST_ROWS;
  return [isClamped ? found('badPage', 'clamp', counted) : other('badPage', counted)];
}

/** Maximum number of rows of a page (docs/contract.md#transactions). */
const MOST_ROWS = 100;

async function probeUnknownFilter(context: ProbeContext): Promise<Finding[]> {
  const unfiltered = await readPage(context, 'per_page=1');
  const response = await context.send('/transactions?status=no_such_status');
  const evidence = `status=no_such_status: ${describeResponse(response)}`;
  if (isRefusal(response)) return [found('unknownFilter', 'reject', evidence)];
  if (!response.accepted) return [other('unknownFilter', evidence)];
  if (demandRows(response, context).length > 0)
    return [found('unknownFilter', 'ignore', `${evidence} with rows`)];
  return [
    demandRows(unfiltered, context).length > 0
      ? found('unknownFilter', 'empty', `${evidence} without rows`)
      : unknown('unknownFilter', noRows),
  ];
}
