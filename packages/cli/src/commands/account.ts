import { defineCommand, flag, value } from '../command.ts';
import { connect } from '../config.ts';
import { parseWhole, timeoutOption } from '../parse.ts';
import type { DefineCommand } from '../session.ts';
import { type Column, createTable } from '../terminal.ts';

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
    all: flag('print all pages'),
    timeout: timeoutOption('each request'),
  },
  help: 'Example:\n  $ service-cli transactions --type refund --all --json | jq .payment_id',
  async run(session, { status, type, all = false, perPage = all ? 100 : undefined, timeout }) {
    const { signal, output } = session;
    const client = await connect(session, timeout);
    const query = { status, type, per_page: perPage };
    const formatRows = createTable(columns, output.terminal);
    const pages = client.transactions.list(query, { signal }).pages();
    for await (const { transactions, pagination } of pages) {
      if (output.json) for (const row of transactions) await output.result(row, []);
      else await output.result(undefined, formatRows(transactions));
      if (all) continue;
      if (pagination.has_more) output.note('There are more pages. Use --all.');
      break;
    }
  },
});

/** The documented fields. The amounts have the currency. */
const columns: readonly Column[] = [
  { field: 'created_at' },
  { field: 'amount', align: 'right' },
  { field: 'type' },
  { field: 'status' },
  { field: 'payment_id' },
  { field: 'reference' },
  { field: 'balance_after', align: 'right' },
  { field: 'id' },
];
