import { writeMicro } from '@service/internal';
import { maskKeys, type Output, quoteForShell, writeReport } from '../output.ts';
import { type ExitCode, exitCodes } from '../session.ts';
import { createTable, formatCount, type Line, type Terminal } from '../terminal.ts';
import { addAmounts, formatTotals } from './funds.ts';
import { countStates, type RunPayment, runStates } from './run-payment.ts';

/** Maximum number of rows that are printed as text. */
const MAX_ROWS = 100;

/** The fields of a payment in a report. None is personal data. */
function toRow(payment: RunPayment): Readonly<Record<string, unknown>> {
  const { line, reference, state, status, body, paymentId: payment_id, reason } = payment;
  const { conflicts, version, sentAt: sent_at } = payment;
  const { from_currency, to_currency, amount } = body;
  const start = { line, reference, state, status, from_currency, to_currency, amount: amount?.toString() };
  return { ...start, payment_id, reason, conflicts: conflicts?.join(' '), version, sent_at };
}

function toTotals(payments: Iterable<RunPayment>): object {
  return Object.fromEntries(
    [...addAmounts(payments)].map(([currency, micro]) => [currency, writeMicro(micro)]),
  );
}

function toSummary(payments: readonly RunPayment[]): object {
  const created = payments.filter(({ state }) => state === 'created');
  return {
    payments: payments.length,
    states: countStates(payments),
    totals: toTotals(payments),
    created: toTotals(created),
    conflicts: payments.filter(({ conflicts }) => conflicts !== undefined).length,
  };
}

/** Prints the report of payments: a table, or with `--json` one document per payment and a summary. */
export async function printReport(payments: readonly RunPayment[], output: Output): Promise<void> {
  const { result } = output;
  if (!output.json) return result(undefined, toReportLines(payments, output.terminal));
  for (const payment of payments) await result(toRow(payment), []);
  await result({ summary: toSummary(payments) }, []);
}

const tableColumns = [
  { field: 'line', align: 'right' },
  { field: 'reference' },
  { field: 'state' },
  { field: 'status' },
  { field: 'amount', align: 'right' },
  { field: 'reason' },
  { field: 'payment_id' },
  { field: 'conflicts' },
] as const;

function needsAttention({ state, conflicts, status }: RunPayment): boolean {
  return state !== 'created' || conflicts !== undefined || status === 'failed';
}

function toReportLines(payments: readonly RunPayment[], terminal: Terminal): Line[] {
  const isShort = payments.length <= MAX_ROWS;
  const listed = isShort ? payments : payments.filter(needsAttention);
  const rows = listed.slice(0, MAX_ROWS).map(toRow);
  const columns = tableColumns.filter(({ field }) => rows.some((row) => row[field] !== undefined));
  const table = rows.length === 0 ? [] : [...createTable(columns, terminal)(rows), ''];
  const rest = listed.length - rows.length;
  const more =
    rest > 0 ? [`${formatCount(rest, 'more payment')}; --json and --report have all of them.`, ''] : [];
  const states = runStates.flatMap((state) => {
    const some = payments.filter((payment) => payment.state === state);
    return some.length === 0 ? [] : [{ state, payments: some.length, total: formatTotals(addAmounts(some)) }];
  });
  const summary = createTable(
    [{ field: 'state' }, { field: 'payments', align: 'right' }, { field: 'total' }],
    terminal,
  );
  return [...table, ...more, ...summary(states)];
}

/**
 * Writes the report to a CSV file.
 *
 * @throws {UsageError} when the file cannot be written.
 */
export async function saveReport(path: string, payments: readonly RunPayment[]): Promise<void> {
  await writeReport('--report', path, maskKeys(toCsv(payments.map(toRow))));
}

/** Formats rows as CSV with a header. */
export function toCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = rows.map((row) => Object.values(row).map(toCell).join(','));
  return [Object.keys(rows[0] ?? {}).join(','), ...lines, ''].join('\r\n');
}

/** Quotes a cell. A spreadsheet would run a text that starts with one of these characters as a formula. */
function toCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the exit code of payments: the worst state of all. */
export function toExitCode(payments: readonly RunPayment[]): ExitCode {
  const counts = countStates(payments);
  const hasConflict = payments.some(({ conflicts }) => conflicts !== undefined);
  if (counts.unknown > 0 || hasConflict) return exitCodes.unknown;
  if (counts.sending + counts.planned + counts.new > 0) return exitCodes.unfinished;
  const hasFailed = payments.some(({ status }) => status === 'failed');
  return counts.rejected + counts.abandoned > 0 || hasFailed ? exitCodes.refused : exitCodes.ok;
}

/** Maximum number of lines that the next steps name. */
const MAX_NAMED = 20;

/** Returns why a person must look at a payment, and what to do. Undefined for all others. */
function explainNeed({
  reference,
  state,
  status,
  reason,
  paymentId,
  conflicts,
}: RunPayment): string | undefined {
  if (conflicts !== undefined)
    return `it may have been made twice. Check the payments ${[paymentId, ...conflicts].filter(Boolean).join(', ')}.`;
  const because = reason === undefined ? '' : ` (${reason})`;
  if (state === 'unknown')
    return `the service did not say whether it made the payment${because}. Check the account, then record --resolve ${quoteForShell(reference)}=pay_… or =never-made.`;
  if (state === 'rejected')
    return `the service rejected it${because}. Correct the line, and give it a new reference.`;
  return status === 'failed' ? `the payment ${paymentId} failed. The service returns the money.` : undefined;
}

/** Returns the next steps of a person. `statusCommand` prints the recorded payments. */
export function describeNextSteps(payments: readonly RunPayment[], statusCommand: string): string[] {
  const counts = countStates(payments);
  const unfinished = counts.sending + counts.planned + counts.new;
  const hasConflict = payments.some(({ conflicts }) => conflicts !== undefined);
  const needs = payments.flatMap((payment) => {
    const need = explainNeed(payment);
    const place = payment.line === undefined ? '' : `line ${payment.line}, `;
    return need === undefined ? [] : [`  ${place}${payment.reference}: ${need}`];
  });
  const more = needs.length > MAX_NAMED ? [`  and ${needs.length - MAX_NAMED} more; --report has all`] : [];
  return [
    ...(unfinished > 0 ? ['Run the same command again to continue. It pays nothing twice.'] : []),
    ...(counts.unknown > 0
      ? [
          'UNKNOWN PAYMENTS MAY EXIST. Run the same command again later. Or check the account, and record your decision with --resolve and --because TEXT. This command lists them:',
          `  ${statusCommand}`,
        ]
      : []),
    ...(hasConflict ? ['PAYMENTS MAY HAVE BEEN MADE TWICE. Check both ids of each conflict.'] : []),
    ...(needs.length > 0 ? [`${formatCount(needs.length, 'payment')} for a person to look at:`] : []),
    ...needs.slice(0, MAX_NAMED),
    ...more,
  ];
}
