import { Command, CommanderError, Help } from 'commander';
import { commands } from './commands.ts';
import { DEFAULT_BASE_URL, findKey } from './config.ts';
import { UsageError } from './errors.ts';
import { docs } from './generated/docs.ts';
import { readPackageFile } from './input.ts';
import { createOutput, LostOutputError, type Output } from './output.ts';
import { paint } from './terminal.ts';
import {
  type CreateAction,
  type Environment,
  type ExitCode,
  exitCodes,
  type GlobalOptions,
  type Input,
  type Session,
} from './session.ts';

/** Runs the command in the arguments and returns its exit code. Never rejects. */
export async function run(environment: Environment): Promise<number> {
  const { argv } = environment;
  const options = readOwnOptions(argv);
  const json = options.includes('--json');
  const output = createOutput(environment, { json, color: !options.includes('--no-color') });
  let code: number = exitCodes.ok;
  let help = '';
  const program = createProgram(output, (text) => (help += text));
  let key: Promise<string | undefined> | undefined;
  const session: Session = {
    environment,
    output,
    globals: () => program.opts<GlobalOptions>(),
    findKey: () => (key ??= findKey(session)),
  };
  const act: CreateAction = (handler) =>
    async function () {
      code = await handler(session, toInput(this));
    };
  try {
    await addCommands(program, options, act);
    if (argv[0] === COMPLETE) {
      const { complete } = await import('./commands/completion.ts');
      await output.text(complete(program, argv.slice(1)));
      return exitCodes.ok;
    }
    await program
      .parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' })
      .catch((error: unknown) => ignoreHelpRequest(error, help));
    if (help !== '') await output.text(help);
    return code;
  } catch (error) {
    return reportError(error, { program, argv: options, output });
  }
}

/** The first argument of a completion script. The words to complete follow. */
const COMPLETE = '__complete';

/** Returns the arguments before `--`. Those after it can belong to the command of `dev`. */
function readOwnOptions(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** Creates the program with the options of every command, without commands. */
export function createProgram(output: Output, writeOut: (text: string) => void): Command {
  return new Command('service-cli')
    .description('Command line of the payments API: payments, webhooks, a mock, and tests of a service.')
    .version(readVersion())
    .option('--json', 'print JSON to stdout: one document, or one per line for lists')
    .option('--key-file <file>', "read the API key from a file, '-' for stdin (default: SERVICE_API_KEY)")
    .option('--key <key>', 'the API key; visible in the process list, so prefer the other ways')
    .option(
      '--base-url <url>',
      `base URL of the service (default: SERVICE_BASE_URL, else ${DEFAULT_BASE_URL})`,
    )
    .option(
      '--config-profile <name>',
      'profile of the configuration file of the user (default: SERVICE_CONFIG_PROFILE, else default)',
    )
    .option('--allow-insecure-http', 'allow a test key over plain http to another machine')
    .option('--no-color', 'print no color, as with the variable NO_COLOR')
    .configureOutput({
      getOutHelpWidth: () => output.terminal.width ?? 80,
      getErrHelpWidth: () => output.terminal.width ?? 80,
      getOutHasColors: () => output.terminal.hasColor,
      getErrHasColors: () => false,
      writeOut,
      writeErr: (text) => output.note(...text.trimEnd().split('\n'), ''),
      // `reportError` prints every error, including those of commander.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', helpText);
}

const helpText = `
Exit codes: 0 success, 1 rejected, 2 usage error, 3 outcome unknown: check before retrying, 4 not verified, 5 requests cut, 75 not finished.

Example:
  $ service-cli mock                       # first terminal: runs a mock and prints its keys
  $ export SERVICE_API_KEY=service_test_…  # second terminal
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait

Documentation: ${docs.guide}`;

/** Adds every command. Loads the definition only if the arguments name the command; the help lists the others. */
export async function addCommands(
  program: Command,
  argv: readonly string[],
  act: CreateAction,
): Promise<void> {
  const groups = new Map<string, Command>();
  const terms = new Map<Command, string>();
  const subcommandTerm = (command: Command): string =>
    terms.get(command) ?? new Help().subcommandTerm(command);
  program.configureHelp({
    showGlobalOptions: true,
    subcommandTerm,
    styleTitle: (title) => paint(title, 'strong'),
  });
  for (const { name, usage, description, load } of commands) {
    const words = name.split(' ');
    const parent = groups.get(words.slice(0, -1).join(' ')) ?? program;
    const command = parent.command(words.at(-1) ?? '').description(description);
    if (load === undefined) groups.set(name, command);
    else if (words.every((word) => argv.includes(word))) (await load())(command, act);
    else if (usage !== undefined) terms.set(command, `${words.at(-1)} ${usage}`);
  }
}

function toInput<Args extends readonly unknown[], Options>(command: Command): Input<Args, Options> {
  return { args: command.processedArgs as readonly unknown[] as Args, options: command.opts() as Options };
}

/** Ignores the error that commander throws after it has printed help or the version. */
function ignoreHelpRequest(error: unknown, help: string): void {
  if (!(error instanceof CommanderError) || (error.exitCode !== 0 && help === '')) throw error;
}

interface FailedRun {
  readonly program: Command;
  readonly argv: readonly string[];
  readonly output: Output;
}

async function reportError(thrown: unknown, { program, argv, output }: FailedRun): Promise<ExitCode> {
  if (thrown instanceof LostOutputError && thrown.isHangUp) return exitCodes.ok;
  // Loaded lazily: the first imports the errors of every package.
  const { toFailure } = await import('./failure.ts');
  const { findCommand } = await import('./commands/completion.ts');
  const command = findCommand(program, argv);
  const error = thrown instanceof CommanderError ? toUsage(thrown, command) : thrown;
  const { code, document, lines } = toFailure(error, findGuide(command), program.opts<GlobalOptions>());
  output.note(...lines);
  // The exit code and stderr report the error even if the document is lost.
  if (output.json) await output.result(document, []).catch(() => {});
  return code;
}

function toUsage({ code, message }: CommanderError, command: Command): UsageError {
  if (code === 'commander.help') return new UsageError('A command is missing. --help lists all commands.');
  const text = message.replace(/^error: /, '').replace(/\n/g, ' ');
  const isIncomplete = /^commander\.(?:missing|excess)/.test(code);
  return new UsageError(
    isIncomplete ? `${text}\nusage: ${command.createHelp().commandUsage(command)}` : text,
  );
}

/** Returns the address of the documentation of a command. */
function findGuide(command: Command): string {
  let top = command;
  while (top.parent?.parent) top = top.parent;
  return docs[commands.find(({ name }) => name === top.name())?.guide ?? 'guide'];
}

function readVersion(): string {
  return (JSON.parse(readPackageFile('package.json')) as { version: string }).version;
}
