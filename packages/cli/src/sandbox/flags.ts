import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId } from '../parse.ts';
import { type Field, findDefaultAccount, listArguments, type Operation, takesFile } from './operations.ts';
import { describeField, isRecord, parseEntry, parseField, type Values } from './values.ts';

/** Maximum `--timeout` in milliseconds. `fetch` of Node aborts a request without a response after 5 min. */
const MAX_WAIT = 240_000;

/** The options of objects, which take one `name=value` each. */
const entryNames: Readonly<Record<string, string>> = { balances: 'balance', profile: 'setting' };

/** Adds each field of an operation to its command, as an argument or an option. */
export function addFields(command: Command, operation: Operation): Command {
  if (takesFile(operation)) return command.argument('<file>', "JSON file to send, '-' for stdin");
  const args = listArguments(operation);
  for (const field of args) command.addArgument(toArgument(field));
  for (const field of operation.fields) if (!args.includes(field)) addOption(command, operation, field);
  return command;
}

/** The parsed arguments and options of a command. */
export interface Given {
  readonly args: readonly unknown[];
  readonly options: Values;
}

/** Returns the fields of an operation from arguments and options. A field that was not given is undefined. */
export function collectFields(operation: Operation, { args, options }: Given): Values {
  const positional = listArguments(operation);
  const entries = operation.fields.map((field) => {
    const index = positional.indexOf(field);
    return [field.name, index < 0 ? options[entryNames[field.name] ?? field.name] : args[index]] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the arguments and options of the example in the help. */
export function formatExample(operation: Operation): string {
  if (takesFile(operation)) return 'file.json';
  if (operation.isDocument) return `> ${operation.command}.json`;
  const args = listArguments(operation);
  const shown = operation.fields.filter(
    ({ example, name }) => example !== undefined && name !== 'account' && name !== 'key',
  );
  return [
    ...args.flatMap(({ example }) => formatValues(example)),
    ...shown
      .filter((field) => !args.includes(field))
      .flatMap(({ name, example }) => {
        const option = `--${entryNames[name] ?? toKebab(name)}`;
        return name === 'timeout'
          ? `${option} ${Number(example) / 1000}s`
          : formatValues(example).map((value) => `${option} ${value}`);
      }),
  ].join(' ');
}

function formatValues(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).map(([name, each]) => `${name}=${String(each)}`);
}

function toArgument(field: Field): Argument {
  const name = toKebab(field.name);
  if (isRecord(field)) return new Argument('<name=value...>', field.description).argParser(parseEntry(field));
  const parse = field.place === 'path' ? parseId : parseField(field);
  return new Argument(`<${name}>`, describeField(field)).argParser(parse);
}

function addOption(command: Command, operation: Operation, field: Field): void {
  if (field.name === 'key') return;
  if (field.name === 'account') addAccount(command, operation);
  else if (field.name === 'secret')
    command.option(
      '--secret-file <file>',
      "file with the signing secret, '-' for stdin (default: a new secret)",
    );
  else command.addOption(toOption(field).makeOptionMandatory(field.isRequired));
}

function addAccount(command: Command, operation: Operation): void {
  command.option('--account <id>', 'id of the account (default: the account of the API key)', parseId);
  if (findDefaultAccount(operation) !== 'all') return;
  command.addOption(
    new Option('--all-accounts', 'all accounts, not only the account of the API key').conflicts('account'),
  );
}

function toOption(field: Field): Option {
  const name = entryNames[field.name] ?? toKebab(field.name);
  if (isRecord(field))
    return new Option(`--${name} <name=value>`, `a ${name} and its value; repeatable`).argParser(
      parseEntry(field),
    );
  if (name === 'timeout')
    return new Option('--timeout <span>', 'maximum time, at most 4m (default: 3s)').argParser(parseWait);
  return new Option(`--${name} <${name}>`, describeField(field)).argParser(parseField(field));
}

/**
 * Parses the maximum time to wait.
 *
 * @throws {InvalidArgumentError} when the duration is invalid or longer than 4 minutes.
 */
function parseWait(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds <= MAX_WAIT) return milliseconds;
  throw new InvalidArgumentError('The maximum is 4m.');
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
