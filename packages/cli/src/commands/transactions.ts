import type { TransactionQuery } from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration, parseWhole } from '../parse.ts';
import type { CreateAction, Handler } from '../session.ts';
import { createTransactionTable } from '../transaction-table.ts';

/** Adds `transactions`: `GET /transactions` (docs/contract.md#transactions). */
export function addTransactions(program: Command, act: CreateAction): void {
  program
    .command('transactions')
    .description('List transactions, newest first; with --json one document per line.')
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
  const pages = client.transactions.list(toQuery(options), { signal: environment.signal }).pages();
  const formatRows = output.json ? undefined : createTransactionTable();
  for await (const { transactions, pagination } of pages) {
    if (formatRows === undefined) for (const row of transactions) await output.result(row, []);
    else await output.result(undefined, formatRows(transactions));
    if (options.all !== true) {
      if (pagination.has_more) output.note('There are more pages. Use --page or --all.');
      break;
    }
  }
  return exitCodes.ok;
};

function toQuery({ status, type, page, perPage, all }: Options): TransactionQuery {
  return { status, type, page, per_page: perPage ?? (all === true ? 100 : undefined) };
}
