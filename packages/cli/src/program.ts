import { readFileSync } from 'node:fs';
import { isAbortError } from '@service/sdk';
import { Command, CommanderError } from 'commander';
import { addBalance } from './commands/balance.ts';
import { addMock } from './commands/mock.ts';
import { addPay } from './commands/pay.ts';
import { addPayment } from './commands/payment.ts';
import { addQuote } from './commands/quote.ts';
import { addSmoke } from './commands/smoke.ts';
import { addTransactions } from './commands/transactions.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { DEFAULT_BASE_URL } from './config.ts';
import { type Environment, HANG_UP } from './environment.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { toFailure } from './failure.ts';
import { createOutput, type Output } from './output.ts';
import type { Act, GlobalOptions, Input, Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Runs the command that the arguments name and returns how it ended; it never rejects. */
export async function run(environment: Environment): Promise<ExitCode> {
  const output = createOutput(environment, environment.argv.includes('--json'));
  let code: ExitCode = exitCodes.ok;
  const program = createProgram(output);
  const session: Session = { environment, output, globals: () => program.opts<GlobalOptions>() };
  const act: Act = (handler) =>
    async function () {
      code = await handler(session, toInput(this));
    };
  addCommands(program, act);
  try {
    await program.parseAsync([...environment.argv], { from: 'user' });
    return code;
  } catch (error) {
    return end(error, session);
  }
}

function createProgram(output: Output): Command {
  return new Command('service-cli')
    .description('Pay, watch, verify and smoke-test the payments API from a shell.')
    .version(readVersion())
    .option('--json', 'write one JSON document, or one a line for lists, to stdout')
    .option('--key-file <file>', "read the API key from a file, '-' for stdin (default: SERVICE_API_KEY)")
    .option('--key <key>', 'take the API key from here, where others can see it')
    .option('--base-url <url>', `call this address (default: SERVICE_BASE_URL, else ${DEFAULT_BASE_URL})`)
    .option('--allow-insecure-http', 'send a test key over plain http to another machine')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: output.text,
      writeErr: (text) => output.note(...text.trimEnd().split('\n'), ''),
      // The end of the run tells every error, this kind as well.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', helpText);
}

const helpText = `
Exit codes: 0 fine, 1 the API said no, 2 wrong usage, 3 network or outcome unknown, 4 not verified.

Example:
  $ service-cli mock                       # in one terminal: a sandbox with its keys
  $ export SERVICE_API_KEY=service_test_…  # in another one
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait`;

function addCommands(program: Command, act: Act): void {
  addMock(program, act);
  addQuote(program, act);
  addPay(program, act);
  addPayment(program, act);
  addBalance(program, act);
  addTransactions(program, act);
  addWebhooks(program, act);
  addSmoke(program, act);
}

function toInput<Args extends readonly unknown[], Options>(command: Command): Input<Args, Options> {
  return { args: command.processedArgs as readonly unknown[] as Args, options: command.opts() as Options };
}

function end(error: unknown, { environment, output }: Session): ExitCode {
  const { signal } = environment;
  if (signal.reason === HANG_UP && isAbortError(error)) return exitCodes.ok;
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  const { code, document, lines } = toFailure(error instanceof CommanderError ? toUsage(error) : error);
  if (output.json) output.result(document, []);
  output.note(...lines);
  return code;
}

function toUsage({ code, message }: CommanderError): UsageError {
  if (code === 'commander.help') return new UsageError('A command is needed; --help lists them.');
  return new UsageError(message.replace(/^error: /, '').replace(/\n/g, ' '));
}

function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
