import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId } from '../parse.ts';
import type { Field, Operation } from './operations.ts';
import type { CommandRow } from './rows.ts';
import { isRecord, parseEntry, parseField, type Values } from './values.ts';

/** Maximum `--timeout` in milliseconds. `fetch` of Node aborts a request without a response after 5 min. */
const MAX_WAIT = 240_000;

/** Adds each field of an operation to its command, as an argument or an option. */
export function addFields(command: Command, row: CommandRow, { fields }: Operation): Command {
  if (row.isFile) return command.argument('<file>', "JSON file to send, '-' for stdin");
  for (const name of row.args ?? []) {
    const field = fields.find((each) => each.name === name);
    if (field !== undefined) command.addArgument(toArgument(field));
  }
  for (const field of fields) if (!row.args?.includes(field.name)) addOption(command, row, field);
  return command;
}

/** The parsed arguments and options of a command. */
export interface Given {
  readonly args: readonly unknown[];
  readonly options: Values;
}

/** Returns the fields of an operation from arguments and options. A field that was not given is undefined. */
export function collectFields(row: CommandRow, { fields }: Operation, { args, options }: Given): Values {
  const entries = fields.map(({ name }) => {
    const index = row.args?.indexOf(name) ?? -1;
    return [name, index < 0 ? options[row.names?.[name] ?? name] : args[index]] as const;
  });
  return Object.fromEntries(entries);
}

function toArgument(field: Field): Argument {
  const name = toKebab(field.name);
  if (isRecord(field)) return new Argument('<name=value...>', field.name).argParser(parseEntry(field));
  const parse = field.place === 'path' ? parseId : parseField(field);
  return new Argument(`<${name}>`, field.description).argParser(parse);
}

function addOption(command: Command, row: CommandRow, field: Field): void {
  if (field.name === 'key') return;
  if (field.name === 'account') addAccount(command, row);
  else if (field.name === 'secret')
    command.option(
      '--secret-file <file>',
      "file with the signing secret, '-' for stdin (default: a new secret)",
    );
  else command.addOption(toOption(row, field).makeOptionMandatory(field.isRequired));
}

function addAccount(command: Command, { account }: CommandRow): void {
  command.option('--account <id>', 'id of the account (default: the account of the API key)', parseId);
  if (account !== 'any') return;
  command.addOption(
    new Option('--all-accounts', 'all accounts, not only the account of the API key').conflicts('account'),
  );
}

function toOption({ names }: CommandRow, field: Field): Option {
  const name = names?.[field.name] ?? toKebab(field.name);
  if (isRecord(field))
    return new Option(`--${name} <name=value>`, `a ${name} and its value; repeatable`).argParser(
      parseEntry(field),
    );
  if (name === 'timeout')
    return new Option('--timeout <span>', 'maximum time, at most 4m (default: 3s)').argParser(parseWait);
  return new Option(`--${name} <${name}>`, field.description).argParser(parseField(field));
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
