import { type JsonObject, toMicro } from '@service/internal';
import { type Experiment, type ProbeContext, readId } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { describeResponse, formatValue, isRefusal } from '../raw-client.ts';
import { addUnexplained } from '../templates/learn.ts';
import { learnRows } from '../templates/rows.ts';
import { addStatuses } from '../templates/states.ts';
import { demandRows, noRows, readHistory, readPage } from './history-reader.ts';
import { pages } from './pages.ts';
import { watchPayment } from './watch.ts';

/** The experiments about the transaction list: rows, pages and filters. */
export const history: readonly Experiment[] = [
  { settings: ['transactionShape'], run: probeRows },
  ...pages,
  { settings: ['unknownFilter'], run: probeUnknownFilter },
];

async function probeRows(context: ProbeContext): Promise<Finding[]> {
  const page = readHistory(await readPage(context, 'per_page=100'));
  if ('problem' in page) return [other('transactionShape', page.problem)];
  const row = page.raw.find(({ type }) => type === 'payment') ?? page.raw[0];
  if (row === undefined) return [unknown('transactionShape', noRows)];
  const finding = evaluateRow(row);
  return [finding.state === 'found' ? finding : await learnRowTemplates(context, finding)];
}

/** The statuses with which the rows of a payment are complete. */
export const ends: readonly string[] = ['completed', 'failed'];

/** Learns the templates of rows from the rows of the payments of the probe. */
async function learnRowTemplates(context: ProbeContext, finding: Finding): Promise<Finding> {
  const payments = await Promise.all(
    context.made.map(async ({ known, isOnlyAmount }) => {
      const { id } = known;
      // A wallet that is debited late has no row before.
      const watched = readId(id?.kind === 'text' ? id.text : null);
      const { statuses } = await watchPayment(context, watched, { until: ends });
      const shown = context.shown.filter((one) => one.id === watched);
      return { known: addStatuses(known, shown), status: statuses.at(-1) ?? '', isOnlyAmount };
    }),
  );
  const [first] = context.made;
  const page = readHistory(await readPage(context, 'per_page=100'));
  const rows = 'problem' in page ? [] : page.raw;
  const learned = first && learnRows(rows, payments, first.forms);
  if (learned === undefined) return finding;
  const { templates, unexplained } = learned;
  return found('transactionShape', templates, addUnexplained(finding.evidence, unexplained));
}

const core = ['id', 'type', 'status', 'currency', 'amount', 'created_at'] as const;
const more = ['fee', 'balance_after', 'payment_id', 'reference'] as const;

/**
 * Compares the fields of a row with the values of the setting. Full rows may omit fields without a value, and
 * their amount is negative for a payment.
 */
export function evaluateRow(row: JsonObject): Finding {
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

async function probeUnknownFilter(context: ProbeContext): Promise<Finding[]> {
  const unfiltered = await readPage(context, 'per_page=1');
  const response = await context.send('/transactions?status=no_such_status');
  const evidence = `status=no_such_status: ${describeResponse(response)}`;
  if (isRefusal(response)) return [found('unknownFilter', 'reject', evidence)];
  if (!response.accepted) return [other('unknownFilter', evidence)];
  if (demandRows(response).length > 0) return [found('unknownFilter', 'ignore', `${evidence} with rows`)];
  return [
    demandRows(unfiltered).length > 0
      ? found('unknownFilter', 'empty', `${evidence} without rows`)
      : unknown('unknownFilter', noRows),
  ];
}
