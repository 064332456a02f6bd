import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addBalance } from './commands/balance.ts';
import { addMock } from './commands/mock.ts';
import { addPay } from './commands/pay.ts';
import { addPayment } from './commands/payment.ts';
import { addProbe } from './commands/probe.ts';
import { addQuote } from './commands/quote.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSmoke } from './commands/smoke.ts';
import { addTransactions } from './commands/transactions.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { DEFAULT_BASE_URL } from './config.ts';
import type { Environment } from './environment.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { LostOutputError } from './lost-output-error.ts';
import { createOutput, type Output } from './output.ts';
import type { Act, GlobalOptions, Input, Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Runs the command that the arguments name and returns how it ended; it never rejects. */
export async function run(environment: Environment): Promise<ExitCode> {
  const output = createOutput(environment, environment.argv.includes('--json'));
  let code: ExitCode = exitCodes.ok;
  let help = '';
  const program = createProgram(output, (text) => (help += text));
  const session: Session = { environment, output, globals: () => program.opts<GlobalOptions>() };
  const act: Act = (handler) =>
    async function () {
      code = await handler(session, toInput(this));
    };
  addCommands(program, act);
  try {
    await program
      .parseAsync([...environment.argv], { from: 'user' })
      .catch((error: unknown) => passHelp(error, help));
    if (help !== '') await output.text(help);
    return code;
  } catch (error) {
    return end(error, output);
  }
}

function createProgram(output: Output, writeOut: (text: string) => void): Command {
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
      writeOut,
      writeErr: (text) => output.note(...text.trimEnd().split('\n'), ''),
      // The end of the run tells every error, this kind as well.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', helpText);
}

const helpText = `
Exit codes: 0 fine, 1 the other side said no, 2 wrong usage, 3 nobody knows: look first, 4 not verified.

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
  addProbe(program, act);
  addSandbox(program, act);
}

function toInput<Args extends readonly unknown[], Options>(command: Command): Input<Args, Options> {
  return { args: command.processedArgs as readonly unknown[] as Args, options: command.opts() as Options };
}

/** Lets a run go on that was only asked for help or the version; the exit code of help is that of the process so far. */
function passHelp(error: unknown, help: string): void {
  if (!(error instanceof CommanderError) || (error.exitCode !== 0 && help === '')) throw error;
}

async function end(thrown: unknown, output: Output): Promise<ExitCode> {
  if (thrown instanceof LostOutputError && thrown.isHangUp) return exitCodes.ok;
  // Loaded only now: it knows the errors of every package.
  const { toFailure } = await import('./failure.ts');
  const { code, document, lines } = toFailure(thrown instanceof CommanderError ? toUsage(thrown) : thrown);
  output.note(...lines);
  // The lines and the code tell it also where the document is lost.
  if (output.json) await output.result(document, []).catch(() => {});
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
