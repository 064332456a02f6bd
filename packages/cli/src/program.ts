import fs from 'node:fs';
import { runClock } from '@service/internal';
import { Command, CommanderError, type Option } from 'commander';
import { readWords } from './command.ts';
import { commands } from './commands.ts';
import { findKey } from './config.ts';
import { UsageError } from './errors.ts';
import { docs } from './generated/docs.ts';
import { findHabit } from './habits.ts';
import { createOutput, LostOutputError, type Output, quoteForShell } from './output.ts';
import {
  type Environment,
  type ExitCode,
  exitCodes,
  type GlobalOptions,
  type Session,
  type StartWork,
} from './session.ts';
import { paint } from './terminal.ts';

/** Runs the command in the arguments and returns its exit code. Never rejects. */
export async function run(environment: Environment): Promise<number> {
  const { argv } = environment;
  const end = argv.indexOf('--');
  // The arguments after `--` can belong to the command of `dev`.
  const own = end < 0 ? argv : argv.slice(0, end);
  const output = createOutput(environment, own.includes('--json'), !own.includes('--no-color'));
  let code: number = exitCodes.ok;
  let help = '';
  const program = createProgram(output, (text) => (help += text), own.includes('--all'));
  let key: Promise<string | undefined> | undefined;
  const session: Session = {
    ...environment,
    clock: environment.clock ?? runClock,
    output,
    globals: () => program.opts<GlobalOptions>(),
    findKey: () => (key ??= findKey(session)),
  };
  const start: StartWork = async (work) => {
    code = (await work(session)) ?? exitCodes.ok;
  };
  try {
    await addCommands(program, own, start);
    if (own[0] === COMPLETE) {
      const { complete } = await import('./commands/completion.ts');
      await output.text(complete(program, argv.slice(1)));
      return exitCodes.ok;
    }
    checkValues(program, argv.slice(0, own.length + 1));
    await program
      .parseAsync([...(argv.length === 0 ? ['--help'] : argv)], { from: 'user' })
      .catch((error: unknown) => {
        // Commander throws after it has printed help or the version.
        if (!(error instanceof CommanderError) || (error.exitCode !== 0 && help === '')) throw error;
      });
    if (help !== '') await output.text(help);
    return code;
  } catch (error) {
    return reportError(error, program, own, output);
  }
}

/** The first argument of a completion script. The words to complete follow. */
const COMPLETE = '__complete';

/**
 * Refuses an argument or a value that is empty, and an option in the place of a value: an unset variable of a shell leaves
 * nothing there. An empty signature is one to verify.
 *
 * @throws {UsageError} with the form in which a text is a value that begins like an option.
 */
function checkValues(program: Command, argv: readonly string[]): void {
  const words = argv.flatMap((word) => (/^--[^=]+=$/.test(word) ? [word.slice(0, -1), ''] : [word]));
  for (const [index, word] of words.entries()) {
    const { command, option, count } = readWords(program, words.slice(0, index));
    const argument = command.registeredArguments[count] ?? command.registeredArguments.at(-1);
    const name = option?.long ?? argument?.name() ?? 'an argument';
    const isMissing = option !== undefined && /^(?:--|-[hV]$)/.test(word);
    if (!isMissing && (word !== '' || name === '--signature')) continue;
    const problem = isMissing ? `missing: ${word} follows it` : 'empty';
    const form = isMissing ? ` If ${word} is the value, write ${name}=${quoteForShell(word)}.` : '';
    const message = `The value of ${name} is ${problem}. Is a variable of the shell not set?${form}`;
    throw new UsageError(message, undefined, option?.long);
  }
}

/** Creates the program with the options of every command, without commands. */
export function createProgram(output: Output, writeOut: (text: string) => void, hasAll = false): Command {
  const { version } = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return new Command('service-cli')
    .version(version, '-v, --version')
    .optionsGroup('Global options:')
    .option('--json', 'print JSON to stdout: one document, or one per line for lists')
    .option('--key-file <file>', "read the API key from a file, '-' for stdin (default: SERVICE_API_KEY)")
    .option('--base-url <url>', 'base URL (default: SERVICE_BASE_URL, else that of `service-cli mock`)')
    .option('--allow-insecure-http', 'allow a test key over plain http to another machine')
    .option('--no-color', 'print no color, as with NO_COLOR')
    .configureOutput({
      getOutHelpWidth: () => output.terminal.width ?? 100,
      getErrHelpWidth: () => output.terminal.width ?? 100,
      getOutHasColors: () => output.terminal.hasColor,
      getErrHasColors: () => false,
      writeOut,
      writeErr: (text) => output.note(...text.trimEnd().split('\n'), ''),
      // `reportError` prints every error, including those of commander.
      outputError: () => {},
    })
    .exitOverride()
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      visibleCommands: (command) => [...command.commands],
      visibleOptions: (command) => listOptions(command).slice(0, hasAll ? undefined : MAX_OPTIONS),
      styleTitle: (title) => paint(title, 'strong'),
      formatItemList: (heading, items, help) =>
        items.length === 0 ? [] : [help.styleTitle(heading), ...items],
    })
    .addHelpText('after', `\n${EXIT_CODES}\nDocumentation: ${docs.guide}`)
    .addHelpText('afterAll', ({ command }) => formatHelpEnd(command, hasAll));
}

const EXIT_CODES =
  'Exit codes: 0 success, 1 rejected, 2 usage error, 3 outcome unknown: check before retrying,\n  4 not verified, 75 not finished';

/** The options that every help page names in one line. */
const GLOBAL_LINE = 'Global options: --json --key-file --base-url --allow-insecure-http --no-color';

/** The maximum number of options in a help page without `--all`. */
const MAX_OPTIONS = 12;

function listOptions(command: Command): Option[] {
  return command.options.filter(({ long }) => long !== '--version');
}

/** Returns the end of each help page: the number of options that it leaves out, and the options of every command. */
function formatHelpEnd(command: Command, hasAll: boolean): string {
  const more = hasAll ? 0 : listOptions(command).length - MAX_OPTIONS;
  const [name] = command.createHelp().commandUsage(command).split(' [');
  const moreLine = more > 0 ? `\nand ${more} more options: ${name} --help --all` : '';
  return command.parent === null ? '' : `${moreLine}\n${GLOBAL_LINE}`;
}

/** Adds every command. Loads the definition only if the arguments name the command; the help lists the others. */
export async function addCommands(
  program: Command,
  argv: readonly string[],
  start: StartWork,
): Promise<void> {
  const groups = new Map<string, Command>();
  for (const { name, description, heading, load } of commands) {
    const words = name.split(' ');
    const parent = groups.get(words.slice(0, -1).join(' ')) ?? program;
    const command = parent.command(words.at(-1) ?? '').description(description);
    if (heading !== undefined) command.helpGroup(`${heading}:`);
    if (load === undefined) groups.set(name, command);
    else if (words.every((word) => argv.includes(word))) (await load())(command, start);
  }
}

async function reportError(
  thrown: unknown,
  program: Command,
  argv: readonly string[],
  output: Output,
): Promise<ExitCode> {
  if (thrown instanceof LostOutputError && thrown.isHangUp) return exitCodes.ok;
  // Loaded lazily: the first imports the errors of every package.
  const { toFailure } = await import('./failure.ts');
  const { command } = readWords(program, argv);
  const error = thrown instanceof CommanderError ? toUsage(thrown, command, argv) : thrown;
  const { code, document, lines } = toFailure(error, program.opts<GlobalOptions>());
  output.note(...lines);
  // The exit code and stderr report the error even if the document is lost.
  if (output.json) await output.result(document, []).catch(() => {});
  return code;
}

function toUsage({ code, message }: CommanderError, command: Command, argv: readonly string[]): UsageError {
  const isMissing = code === 'commander.help';
  const text = isMissing ? 'a command is missing' : message.replace(/^error: /, '').replace(/\n/g, ' ');
  const habit = /help|unknown|missing/.test(code) ? findHabit(argv) : undefined;
  if (habit !== undefined)
    return new UsageError(`${text.replace(/ \(Did you mean .*\)$/, '')}. Use \`service-cli ${habit}\`.`);
  if (isMissing) return new UsageError('A command is missing. --help lists all commands.');
  if (code === 'commander.unknownOption' && !text.includes('Did you mean'))
    return new UsageError(
      `${text}. The options of a command follow its name: ${command.createHelp().commandUsage(command)}. --help lists them.`,
    );
  const isIncomplete = /^commander\.(?:missing|excess)/.test(code);
  const [, named] = /^(?:required )?option '(--[\w-]+)/.exec(text) ?? [];
  return new UsageError(
    isIncomplete ? `${text}\nusage: ${command.createHelp().commandUsage(command)}` : text,
    undefined,
    named,
  );
}
