import { createPayer, memoryStore } from '@service/sdk/payer';
import {
  checkStatement,
  type Statement,
  type StatementPayment,
  type StatementRecord,
} from '@service/sdk/statement';
import { argument, defineCommand, value } from '../command.ts';
import { openClient, readSettings } from '../config.ts';
import { ReconciliationFailedError, UsageError } from '../errors.ts';
import { checkStdin, readText } from '../input.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { parseDuration, parseTime, timeoutOption } from '../parse.ts';
import { checkFile } from '../pay-file/check-file.ts';
import { checkColumns } from '../pay-file/records.ts';
import { toCsv } from '../pay-file/report.ts';
import { type DefineCommand, exitCodes } from '../session.ts';
import { createTable } from '../terminal.ts';

/** Defines `payment check`, which compares the records of a file with the account. It only reads. */
export const paymentCheckCommand: DefineCommand = defineCommand({
  input: {
    file: argument("file of `pay-file`, also with a column payment_id; '-' for stdin"),
    since: value('<time>', 'start of the period, such as 2026-01-31T00:00:00Z', parseTime, {
      isRequired: true,
    }),
    until: value('<time>', 'end of the period (default: now)', parseTime),
    report: value('<file>', 'write the result of each record and payment as CSV'),
    readLag: value('<span>', 'time by which reads lag behind creates (default: 60s)', parseDuration),
    timeout: timeoutOption('each request'),
  },
  isVerdict: true,
  help: `Exit codes: 0 all agree, 1 a record is missing, a payment is extra, differs or failed,
2 usage error, 3 the account gives no answer for a record.

Example:
  $ service-cli payment check payments.csv --since 2026-01-31T00:00:00Z`,
  async run(session, { file: path, since, until, report, readLag, timeout }) {
    const { clock, output, signal } = session;
    checkStdin([path, session.globals().keyFile]);
    if (report !== undefined && !report.toLowerCase().endsWith('.csv'))
      throw new UsageError('--report must be the name of a file that ends in .csv.');
    await checkFolder('--report', report);
    const period = { since: since as Date, until: until ?? new Date(clock.now()), signal };
    if (period.until <= period.since) throw new UsageError('--until must be later than --since.');
    const client = await openClient({ ...(await readSettings(session, timeout)), readLag });
    const text = await readText(path, session);
    const { prepare } = createPayer(client, { store: memoryStore() });
    const checked = await checkFile(text, { prepare, allowSimilar: true, signal, columns: checkColumns });
    const payments = [...checked.payments.values()];
    const lines = new Map<StatementRecord, number | undefined>(
      payments.map(({ body, reference, paymentId, line }) => [
        { ...body, reference, payment_id: paymentId },
        line,
      ]),
    );
    const statement = await output
      .wait(
        () => ({ text: 'Reading the account' }),
        () => checkStatement(client, [...lines.keys()], period),
      )
      .catch((error: unknown) => {
        throw new ReconciliationFailedError(error, 'The account could not be read. Nothing was compared.');
      });
    const rows = toRows(statement, lines);
    if (report !== undefined) await writeReport('--report', report, maskKeys(toCsv(rows)));
    const counts = Object.fromEntries(
      results.map((result) => [result, rows.filter((row) => row.result === result).length]),
    ) as Record<Result, number>;
    if (output.json) for (const row of rows) await output.result(row, []);
    const { unseen } = statement;
    const others = rows.filter(({ result }) => result !== 'agrees');
    const table = others.length > 0 ? [...createTable(columns, output.terminal)(others), ''] : [];
    const summary = results.map((result) => `${result} ${counts[result]}`).join(', ');
    await output.result({ summary: { ...counts, unseen } }, [...table, summary]);
    output.note(...unseen.map(({ message }) => `Not seen: ${message}`));
    if (counts.missing + counts.extra + counts.differs + counts.failed > 0) return exitCodes.refused;
    return counts.undecided + unseen.length > 0 ? exitCodes.unknown : exitCodes.ok;
  },
});

/** The results of records and payments, in the order of the report. `failed`: the fields agree, but the payment failed. */
const results = ['agrees', 'failed', 'differs', 'missing', 'extra', 'undecided'] as const;
type Result = (typeof results)[number];

const columns = [
  { field: 'line', align: 'right' },
  { field: 'reference' },
  { field: 'result' },
  { field: 'status' },
  { field: 'amount', align: 'right' },
  { field: 'details' },
  { field: 'payment_id' },
] as const;

/** A line of the report. No column is personal data. */
interface Row {
  readonly result: Result;
  readonly [column: string]: unknown;
}

/** Returns a row for each record, and for each payment in no record. */
function toRows(
  { agreeing, differing, missing, extra, undecided }: Statement,
  lines: ReadonlyMap<StatementRecord, number | undefined>,
): readonly Row[] {
  const toRow = (
    result: Result,
    record: StatementRecord | undefined,
    payments: readonly StatementPayment[] = [],
    details: readonly string[] = [],
  ): Row => {
    const [found] = payments;
    const refunds = found?.refunds.map(({ amount, currency }) => `refunded ${amount} ${currency}`) ?? [];
    const { from_currency, to_currency } = record ?? found?.payment ?? {};
    return {
      line: record && lines.get(record),
      reference: record?.reference,
      result,
      status: payments.map(({ payment }) => payment.status).join(' '),
      amount: record?.amount ?? found?.payment.send_amount,
      from_currency,
      to_currency,
      details: [...details, ...refunds].join(' '),
      payment_id: payments.map(({ payment }) => payment.id).join(' '),
    };
  };
  const rows = [
    ...agreeing.map((one) => {
      const result = one.payment.status === 'failed' ? 'failed' : 'agrees';
      return toRow(result, one.record, [one], one.unconfirmed);
    }),
    ...differing.map((one) => toRow('differs', one.record, [one], one.fields)),
    ...missing.map((record) => toRow('missing', record)),
    ...undecided.flatMap(({ reason, records, payments }) =>
      records.map((record) => toRow('undecided', record, payments, [reason])),
    ),
  ].toSorted((one, other) => Number(one.line) - Number(other.line));
  return [...rows, ...extra.map((one) => toRow('extra', undefined, [one]))];
}
