import type { Client, Transaction, TransactionQuery } from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../config.ts';
import { parseDuration, parseWhole } from '../parse.ts';
import type { Progress } from '../progress.ts';
import { type CreateAction, exitCodes, type Handler } from '../session.ts';
import { type Column, createTable, formatCell, type Table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** Defines `balance`: `GET /balance` (docs/contract.md#balance). */
export function defineBalance(command: Command, act: CreateAction): void {
  command
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', "\nExample:\n  $ service-cli balance --json | jq '.balances[].currency'")
    .action(act(showBalance));
}

interface BalanceOptions {
  readonly timeout?: number;
}

const showBalance: Handler<readonly [], BalanceOptions> = async (session, { options }) => {
  const client = await connect(session, options.timeout);
  const balance = await client.balance.retrieve({ signal: session.environment.signal });
  // The balance has its currency.
  const table = createTable([{ field: 'balance', align: 'right' }], session.output.terminal);
  await session.output.result(balance, table(balance.balances));
  return exitCodes.ok;
};

/** Defines `transactions`: `GET /transactions` (docs/contract.md#transactions). */
export function defineTransactions(command: Command, act: CreateAction): void {
  command
    .option('--status <status>', 'only this status, such as completed')
    .option('--type <type>', 'only this type: deposit, payment, refund or adjustment')
    .option(
      '--per-page <count>',
      'transactions per page, 1 to 100 (default: 20, with --all 100)',
      parseWhole(1, 100),
    )
    .option('--page <number>', 'page to print (default: 1)', parseWhole(1, Number.MAX_SAFE_INTEGER))
    .addOption(new Option('--all', 'print all pages').conflicts('page'))
    .option('--timeout <span>', 'maximum time of each request (default: 30s)', parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli transactions --type refund --all --json | jq .payment_id',
    )
    .action(act(listTransactions));
}

interface Options {
  readonly status?: string;
  readonly type?: string;
  readonly perPage?: number;
  readonly page?: number;
  readonly all?: true;
  readonly timeout?: number;
}

const listTransactions: Handler<readonly [], Options> = async (session, { options }) => {
  const { environment, output } = session;
  const client = await connect(session, options.timeout);
  const { signal } = environment;
  const formatRows = output.json ? undefined : createTransactionTable(output.terminal);
  let count = 0;
  let total = 0;
  const printPages = async (): Promise<void> => {
    const list = client.transactions.list(toQuery(options), { signal });
    const isInCents = await learnCents(client, (await list).transactions, signal);
    const pages = isInCents ? client.transactions.list(toQuery(options), { signal }) : list;
    for await (const { transactions, pagination } of pages.pages()) {
      if (formatRows === undefined) for (const row of transactions) await output.result(row, []);
      else await output.result(undefined, formatRows(transactions));
      count += transactions.length;
      if (options.all === true) total = pagination.total ?? 0;
      if (options.all !== true) {
        if (pagination.has_more) output.note('There are more pages. Use --page or --all.');
        break;
      }
    }
  };
  const progress = (): Progress => ({
    text: total > 0 ? 'Reading transactions' : `Reading transactions: ${count} so far`,
    done: count,
    total,
  });
  await output.wait(progress, printPages);
  return exitCodes.ok;
};

/**
 * Retrieves the payment of a row if all amounts are whole numbers, so that the client can convert cents. Returns whether they are
 * cents.
 */
async function learnCents(
  client: Client,
  rows: readonly Transaction[],
  signal: AbortSignal,
): Promise<boolean> {
  const id = rows.find(({ payment_id }) => payment_id)?.payment_id;
  if (!id || !rows.every(({ amount }) => amount === undefined || Number.isInteger(amount))) return false;
  const payment = await client.payments.retrieve(id, { signal, maxRetries: 0 }).catch(() => undefined);
  return rows.some(
    (row) =>
      row.payment_id === payment?.id &&
      Math.abs(row.amount) === Math.round((payment?.send_amount ?? 0) * 100),
  );
}

function toQuery({ status, type, page, perPage, all }: Options): TransactionQuery {
  return { status, type, page, per_page: perPage ?? (all === true ? 100 : undefined) };
}

const documented: readonly Column[] = [
  { field: 'created_at' },
  { field: 'type' },
  { field: 'status' },
  { field: 'amount', align: 'right' },
  { field: 'currency' },
  { field: 'payment_id' },
  { field: 'reference' },
  { field: 'balance_after', align: 'right' },
  { field: 'id' },
];
/** Documented fields without a column. */
const hidden: ReadonlySet<string> = new Set(['fee']);
const MAX_OTHER_COLUMNS = 3;

/**
 * Creates a table of transactions. It has the documented columns with values, then up to three other fields. A later page
 * with values for more columns starts with a new heading.
 */
function createTransactionTable(terminal: Terminal): Table {
  let columns: readonly Column[] = [];
  let table = createTable(documented, terminal);
  return (rows) => {
    const added = listColumns(rows as readonly Transaction[]).filter(
      ({ field }) => !columns.some((column) => column.field === field),
    );
    if (added.length > 0) {
      columns = [...columns, ...added].toSorted((one, other) => rank(one) - rank(other));
      table = createTable(columns, terminal);
    }
    return table(rows);
  };
}

/** Returns the position of a column: documented columns first, in their order. */
function rank({ field }: Column): number {
  const index = documented.findIndex((column) => column.field === field);
  return index === -1 ? documented.length : index;
}

function listColumns(rows: readonly Transaction[]): Column[] {
  const entries = rows.flatMap((row) => Object.entries(row).map(([field, value]) => ({ row, field, value })));
  const filled = entries.filter(({ value }) => value !== null && value !== undefined && value !== '');
  const fields = new Set(filled.map(({ field }) => field));
  const others = filled.filter(
    ({ row, field, value }) =>
      !hidden.has(field) &&
      documented.every((column) => column.field !== field) &&
      typeof value !== 'object' &&
      !isShown(value, row),
  );
  // In the order of the fields in a row, also if the first rows have no value for some of them.
  const names = [...new Set(entries.map(({ field }) => field))]
    .filter((field) => others.some((other) => other.field === field))
    .slice(0, MAX_OTHER_COLUMNS);
  const known = documented.filter(
    ({ field }) =>
      fields.has(field) &&
      !(field === 'reference' && isCopy(rows)) &&
      // The amounts have the currency.
      !(field === 'currency' && fields.has('amount')),
  );
  return [...known, ...names.map((field) => ({ field }))];
}

/** Whether `reference` has only the payment ids. */
function isCopy(rows: readonly Transaction[]): boolean {
  return rows.every(({ reference, payment_id }) => (reference ?? payment_id) === payment_id);
}

/** Whether a documented column already has this value, such as `amount` that of `send_amount`. */
function isShown(value: unknown, row: Transaction): boolean {
  return documented.some(({ field }) => {
    const known = (row as Readonly<Record<string, unknown>>)[field];
    return formatCell(known) === formatCell(value) || (typeof known === 'number' && known === Number(value));
  });
}
