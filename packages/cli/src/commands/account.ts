import { defineCommand, flag, value } from '../command.ts';
import { connect } from '../config.ts';
import { parseWhole, timeoutOption } from '../parse.ts';
import type { DefineCommand } from '../session.ts';
import { type Column, createTable, formatCell, type Table, type Terminal } from '../terminal.ts';

/** Defines `balance`: `GET /balance` (docs/contract.md#balance). */
export const balanceCommand: DefineCommand = defineCommand({
  input: { timeout: timeoutOption() },
  help: "Example:\n  $ service-cli balance --json | jq '.balances[].currency'",
  async run(session, { timeout }) {
    const { signal, output } = session;
    const client = await connect(session, timeout);
    const balance = await client.balance.retrieve({ signal });
    // The balance has its currency.
    const table = createTable([{ field: 'balance', align: 'right' }], output.terminal);
    await output.result(balance, table(balance.balances));
  },
});

/** Defines `transactions`: `GET /transactions` (docs/contract.md#transactions). */
export const transactionsCommand: DefineCommand = defineCommand({
  input: {
    status: value('<status>', 'only this status, such as completed'),
    type: value('<type>', 'only this type: deposit, payment, refund or adjustment'),
    perPage: value(
      '<count>',
      'transactions per page, 1 to 100 (default: 20, with --all 100)',
      parseWhole(1, 100),
    ),
    page: value('<number>', 'page to print (default: 1)', parseWhole(1, Number.MAX_SAFE_INTEGER)),
    all: flag('print all pages', { conflicts: ['page'] }),
    timeout: timeoutOption('each request'),
  },
  help: 'Example:\n  $ service-cli transactions --type refund --all --json | jq .payment_id',
  async run(session, { status, type, page, all = false, perPage = all ? 100 : undefined, timeout }) {
    const { signal, output } = session;
    const client = await connect(session, timeout);
    const query = { status, type, page, per_page: perPage };
    const formatRows = createTransactionTable(output.terminal);
    let count = 0;
    let total = 0;
    const printPages = async (): Promise<void> => {
      const list = client.transactions.list(query, { signal });
      // A payment tells the client whether whole numbers are cents.
      const first = (await list).transactions;
      const isWhole = first.every(({ amount }) => amount === undefined || Number.isInteger(amount));
      const id = isWhole && first.find(({ payment_id }) => payment_id)?.payment_id;
      const options = { signal, maxRetries: 0 };
      const payment = id ? await client.payments.retrieve(id, options).catch(() => undefined) : undefined;
      const cents = payment && Math.round(payment.send_amount * 100);
      const isInCents = first.some((row) => row.payment_id === id && Math.abs(row.amount) === cents);
      const pages = isInCents ? client.transactions.list(query, { signal }) : list;
      for await (const { transactions, pagination } of pages.pages()) {
        if (output.json) for (const row of transactions) await output.result(row, []);
        else await output.result(undefined, formatRows(transactions));
        count += transactions.length;
        if (all) total = pagination.total ?? 0;
        if (!all && pagination.has_more) output.note('There are more pages. Use --page or --all.');
        if (!all) break;
      }
    };
    const toText = (): string =>
      total > 0 ? 'Reading transactions' : `Reading transactions: ${count} so far`;
    await output.wait(() => ({ text: toText(), done: count, total }), printPages);
  },
});

/** The documented fields, in the order of the columns. */
const documented: readonly string[] =
  'created_at amount type status currency payment_id reference balance_after id'.split(' ');

function toColumn(field: string): Column {
  return field === 'amount' || field === 'balance_after' ? { field, align: 'right' } : { field };
}

type TransactionRow = Readonly<Record<string, unknown>>;

const MAX_OTHER_COLUMNS = 3;

/**
 * Creates a table of transactions. It has the documented columns with values, then up to three other fields. A later page
 * with values for more columns starts with a new heading.
 */
function createTransactionTable(terminal: Terminal): Table {
  const fields = new Set<string>();
  let table = createTable(documented.map(toColumn), terminal);
  return (rows) => {
    const size = fields.size;
    for (const field of listFields(rows as readonly TransactionRow[])) fields.add(field);
    const others = [...fields].filter((field) => !documented.includes(field));
    const columns = [...documented.filter((field) => fields.has(field)), ...others];
    if (fields.size > size) table = createTable(columns.map(toColumn), terminal);
    return table(rows);
  };
}

/** Returns the documented fields with values, and other fields with values that the row does not already show. */
function listFields(rows: readonly TransactionRow[]): string[] {
  const has = (field: string): boolean => rows.some((row) => !isEmpty(row[field]));
  const isCopy = rows.every(({ reference, payment_id }) => (reference ?? payment_id) === payment_id);
  const isHidden = (field: string): boolean =>
    // The amounts have the currency.
    (field === 'reference' && isCopy) || (field === 'currency' && has('amount'));
  const names = documented.filter((field) => has(field) && !isHidden(field));
  const isNew = (field: string): boolean =>
    field !== 'fee' &&
    !documented.includes(field) &&
    rows.some((row) => !isEmpty(row[field]) && typeof row[field] !== 'object' && !isShown(row[field], row));
  const others = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(isNew);
  return [...names, ...others.slice(0, MAX_OTHER_COLUMNS)];
}

function isEmpty(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '';
}

/** Whether a documented column already has this value, such as `amount` that of `send_amount`. */
function isShown(cell: unknown, row: TransactionRow): boolean {
  return documented.some((field) => {
    const known = row[field];
    return formatCell(known) === formatCell(cell) || (typeof known === 'number' && known === Number(cell));
  });
}
