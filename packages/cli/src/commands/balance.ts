import type { Command } from 'commander';
import { connect } from '../config.ts';
import { parseDuration } from '../parse.ts';
import { type CreateAction, exitCodes, type Handler } from '../session.ts';
import { createTable } from '../table.ts';

/** Defines `balance`: `GET /balance` (docs/contract.md#balance). */
export function defineBalance(command: Command, act: CreateAction): void {
  command
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', "\nExample:\n  $ service-cli balance --json | jq '.balances[].currency'")
    .action(act(showBalance));
}

interface Options {
  readonly timeout?: number;
}

const showBalance: Handler<readonly [], Options> = async (session, { options }) => {
  const client = await connect(session, options.timeout);
  const balance = await client.balance.retrieve({ signal: session.environment.signal });
  const table = createTable([{ field: 'currency' }, { field: 'balance', align: 'right' }]);
  await session.output.result(balance, table(balance.balances));
  return exitCodes.ok;
};
