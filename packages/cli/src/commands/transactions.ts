import type { TransactionQuery } from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration, parseWhole } from '../parse.ts';
import type { Act, Handler } from '../session.ts';
import { createTransactionTable } from '../transaction-table.ts';

/** Adds `transactions`: `GET /transactions` (spec §4). */
export function addTransactions(program: Command, act: Act): void {
  program
    .command('transactions')
    .description('List what moved the wallets, newest first; with --json one transaction a line.')
    .option('--status <status>', 'keep one status, such as completed')
    .option('--type <type>', 'keep one type: deposit, payment, refund, adjustment')
    .option(
      '--per-page <count>',
      'rows of a page, 1 to 100 (default: 20, with --all 100)',
      parseWhole(1, 100),
    )
    .option('--page <number>', 'page to begin at (default: 1)', parseWhole(1, Number.MAX_SAFE_INTEGER))
    .addOption(new Option('--all', 'go on to the last page').conflicts('page'))
    .option('--timeout <span>', 'limit each request (default: 30s)', parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli transactions --type refund --all --json | jq .payment_id',
    )
    .action(act(listTransactions));
}

type Options = {
  readonly status?: string;
  readonly type?: string;
  readonly perPage?: number;
  readonly page?: number;
  readonly all?: true;
  readonly timeout?: number;
};

const listTransactions: Handler<readonly [], Options> = async (session, { options }) => {
  const { environment, output } = session;
  const client = await connect(session, options.timeout);
  const pages = client.transactions.list(toQuery(options), { signal: environment.signal }).pages();
  const show = output.json ? undefined : createTransactionTable();
  for await (const { transactions, pagination } of pages) {
    if (show === undefined) for (const row of transactions) await output.result(row, []);
    else await output.result(undefined, show(transactions));
    if (options.all !== true) {
      if (pagination.has_more) output.note('There are more: see --page and --all.');
      break;
    }
  }
  return exitCodes.ok;
};

function toQuery({ status, type, page, perPage, all }: Options): TransactionQuery {
  return { status, type, page, per_page: perPage ?? (all === true ? 100 : undefined) };
}
