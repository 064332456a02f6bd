import { Argument, type Command, Option } from 'commander';
import { UsageError } from './errors.ts';
import { ignoreHangUps, quoteForShell } from './output.ts';
import type { DefineCommand, Session } from './session.ts';

/** An argument or an option of a command. `Value` is the type of its parsed value. */
export interface Row<Value> extends RowExtra {
  readonly kind: 'argument' | 'option';
  /** The placeholder of the value, such as `<file>`. Undefined for an option without a value. */
  readonly form?: string | undefined;
  readonly description: string;
  readonly parse?: ((text: string, before: Value | undefined) => Value | undefined) | undefined;
}

interface RowExtra {
  readonly default?: unknown;
  /** The default in the help, if it differs from the value. */
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  /** The names of the options that cannot be used together with this one. */
  readonly conflicts?: readonly string[];
  readonly isRequired?: true;
  /** The description of the option `--no-…`. */
  readonly off?: string;
}

type Parse<Value> = (text: string, before: Value | undefined) => Value;

/** Describes a required argument. */
export function argument<Value = string>(description: string, parse?: Parse<Value>): Row<Value> {
  return { kind: 'argument', description, parse };
}

/** Describes an optional argument. */
export function optional(form: string, description: string, extra?: RowExtra): Row<string | undefined> {
  return { kind: 'argument', form, description, ...extra };
}

/** Describes an option without a value. */
export function flag(description: string, extra?: RowExtra): Row<true | undefined> {
  return { kind: 'option', description, ...extra };
}

/** Describes an option that only `--no-…` turns off. */
export function offSwitch(off: string, conflicts: readonly string[] = []): Row<boolean> {
  return { kind: 'option', description: '', off, conflicts };
}

/** Describes an option with a value. */
export function value<Value = string>(
  form: string,
  description: string,
  parse?: Parse<Value>,
  extra?: RowExtra,
): Row<Value | undefined> {
  return { kind: 'option', form, description, parse, ...extra };
}

/** Describes an option that has a value without being given. */
export function preset<Value extends string | number>(
  form: string,
  description: string,
  initial: Value,
  parse?: Parse<Value>,
): Row<Value> {
  return { kind: 'option', form, description, parse, default: initial };
}

/** Describes an option or argument with a list of values. */
export function choice<const Value extends string>(
  form: string,
  description: string,
  choices: readonly Value[],
  extra?: RowExtra,
): Row<Value | undefined> {
  return { kind: 'option', form, description, ...extra, choices };
}

type Rows = Readonly<Record<string, Row<never>>>;

/** The parsed arguments and options of a command, by name. */
export type ValuesOf<All> = {
  readonly [Name in keyof All]: All[Name] extends Row<infer Value> ? Value : never;
};

interface CommandOptions<All> {
  /** The arguments in their order, and the options. */
  readonly input?: All;
  /** Notes and examples after the options in the help. */
  readonly help?: string;
  /** Whether the exit code is a verdict, which a stdout that the reader has closed must neither end nor change. */
  readonly isVerdict?: true;
  /** Runs the command. Returns its exit code, if that is not 0; that of `dev` is the one of its command. */
  readonly run: (session: Session, input: ValuesOf<All>) => Promise<number | void>;
}

/** Creates the definition of a command from its arguments and options and its work. */
export function defineCommand<const All extends object>({
  input = {} as All,
  help,
  isVerdict,
  run,
}: CommandOptions<All>): DefineCommand {
  return (command, start) => {
    const rows = Object.entries(input as Rows);
    for (const [name, row] of rows) addRow(command, name, row);
    const names = rows.filter(([, { kind }]) => kind === 'argument').map(([name]) => name);
    if (help !== undefined) command.addHelpText('after', `\n\n${help}`);
    command.action(() =>
      start((session) => {
        const given = names.map((name, index) => [name, command.processedArgs[index] as unknown]);
        const output = isVerdict ? ignoreHangUps(session.output) : session.output;
        const values = { ...command.opts(), ...Object.fromEntries(given) } as ValuesOf<All>;
        return run({ ...session, output }, values);
      }),
    );
  };
}

/**
 * Checks the command after `--` that `dev` and `chaos` run.
 *
 * @param start The words before it in the example.
 * @throws {UsageError} when there is none, or the system has no process groups.
 */
export function requireCommand(
  words: readonly string[],
  { argv }: Session,
  start: string,
  example: string,
): void {
  if (words.length === 0 || !argv.includes('--')) {
    const shown = words.length === 0 ? example : words.map(quoteForShell).join(' ');
    throw new UsageError(
      `The command to run is missing. Write it after --, such as \`${start} -- ${shown}\`.`,
    );
  }
  if (process.platform === 'win32')
    throw new UsageError(`\`${start}\` needs Linux or macOS. On Windows, run it in WSL.`);
}

/** Describes the argument with the command after `--`. */
export function commandArgument(description: string): Row<string[]> {
  return { kind: 'argument', form: '[command...]', description };
}

/** Returns the option of a name: `--dry-run` for `dryRun`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function addRow(command: Command, name: string, row: Row<never>): void {
  const { kind, form, description, choices, off, isRequired = false } = row;
  const long = toFlag(name);
  const conflicts = [...(row.conflicts ?? [])];
  const created =
    kind === 'argument'
      ? new Argument(form ?? `<${long.slice(2)}>`, description)
      : new Option(form === undefined ? long : `${long} ${form}`, description);
  created.default(row.default, row.defaultText);
  if (row.parse) created.argParser(row.parse as (text: string, before: unknown) => unknown);
  if (choices) created.choices(choices);
  if (created instanceof Argument) command.addArgument(created);
  else if (description !== '')
    command.addOption(created.makeOptionMandatory(isRequired).conflicts(conflicts));
  if (off !== undefined) command.addOption(new Option(`--no-${long.slice(2)}`, off).conflicts(conflicts));
}

/** The place after arguments. */
export interface Position {
  /** The command that they name: the program if they name none. */
  readonly command: Command;
  /** The option whose value is next. Undefined for another word. */
  readonly option: Option | undefined;
  /** The number of arguments of the command before the position. */
  readonly count: number;
}

/** Returns the place after arguments. */
export function readWords(program: Command, words: readonly string[]): Position {
  let position: Position = { command: program, option: undefined, count: 0 };
  for (const word of words) {
    const { command, option, count } = position;
    const found = findOption(command, word);
    const next = command.commands.find((each) => each.name() === word);
    if (option !== undefined) position = { command, option: undefined, count };
    else if (word.startsWith('-'))
      position = { command, option: found?.required === true ? found : undefined, count };
    else if (next === undefined) position = { command, option, count: count + 1 };
    else position = { command: next, option, count: 0 };
  }
  return position;
}

/** Returns the option with a name, of a command or its parents. */
function findOption({ options, parent }: Command, word: string): Option | undefined {
  return options.find(({ long }) => long === word) ?? (parent ? findOption(parent, word) : undefined);
}
