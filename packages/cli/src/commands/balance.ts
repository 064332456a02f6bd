import type { Command } from 'commander';
import { connect } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse.ts';
import type { Act, Handler } from '../session.ts';
import { createTable } from '../table.ts';

/** Adds `balance`: `GET /balance` (spec §4). */
export function addBalance(program: Command, act: Act): void {
  program
    .command('balance')
    .description('Show the available balance of every wallet.')
    .option('--timeout <span>', 'limit the request (default: 30s)', parseDuration)
    .addHelpText('after', "\nExample:\n  $ service-cli balance --json | jq '.balances[].currency'")
    .action(act(showBalance));
}

type Options = { readonly timeout?: number };

const showBalance: Handler<readonly [], Options> = async (session, { options }) => {
  const client = await connect(session, options.timeout);
  const balance = await client.balance.retrieve({ signal: session.environment.signal });
  const table = createTable([{ field: 'currency' }, { field: 'balance', align: 'right' }]);
  await session.output.result(balance, table(balance.balances));
  return exitCodes.ok;
};
