import type { Command } from 'commander';
import { connect } from '../config.ts';
import { parseDuration } from '../parse.ts';
import { type CreateAction, exitCodes, type Handler } from '../session.ts';
import { toFields } from '../table.ts';

/** Defines `quote`: `POST /quotes` (docs/contract.md#quotes). */
export function defineQuote(command: Command, act: CreateAction): void {
  command
    .argument('<from>', 'currency to send, such as USD')
    .argument('<to>', 'currency to receive, such as EUR')
    .argument('<amount>', 'amount to send, such as 100.00')
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', '\nExample:\n  $ service-cli quote USD EUR 100.00')
    .action(act(quote));
}

interface Options {
  readonly timeout?: number;
}

const quote: Handler<readonly [string, string, string], Options> = async (session, { args, options }) => {
  const [from_currency, to_currency, amount] = args;
  const client = await connect(session, options.timeout);
  const { signal } = session.environment;
  const created = await client.quotes.create({ from_currency, to_currency, amount }, { signal });
  await session.output.result(created, toFields(created));
  return exitCodes.ok;
};
