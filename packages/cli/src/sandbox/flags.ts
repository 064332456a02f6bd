import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId } from '../parse.ts';
import type { Field, Operation } from './operations.ts';
import type { CommandRow } from './rows.ts';
import { isRecord, parseEntry, parseField, type Values } from './values.ts';

const LONGEST_WAIT = 240_000;

/** Adds to a command what its operation takes: each field as an argument or an option. */
export function addFields(command: Command, row: CommandRow, { fields }: Operation): Command {
  if (row.isFile) return command.argument('<file>', "file with the JSON to send, '-' for stdin");
  for (const name of row.args ?? []) {
    const field = fields.find((each) => each.name === name);
    if (field !== undefined) command.addArgument(toArgument(field));
  }
  for (const field of fields) if (!row.args?.includes(field.name)) addOption(command, row, field);
  return command;
}

/** Holds what commander has made of the arguments and options. */
export type Given = { readonly args: readonly unknown[]; readonly options: Values };

/** Collects the fields that were given as arguments and options; undefined where one was not. */
export function collectFields(row: CommandRow, { fields }: Operation, { args, options }: Given): Values {
  const entries = fields.map(({ name }) => {
    const place = row.args?.indexOf(name) ?? -1;
    return [name, place < 0 ? options[row.names?.[name] ?? name] : args[place]] as const;
  });
  return Object.fromEntries(entries);
}

function toArgument(field: Field): Argument {
  const name = toKebab(field.name);
  if (isRecord(field)) return new Argument('<name=value...>', field.name).argParser(parseEntry(field));
  const parse = field.place === 'path' ? parseId : parseField(field);
  return new Argument(`<${name}>`, field.words).argParser(parse);
}

function addOption(command: Command, row: CommandRow, field: Field): void {
  if (field.name === 'key') return;
  if (field.name === 'account') addAccount(command, row);
  else if (field.name === 'secret')
    command.option(
      '--secret-file <file>',
      "sign events with the secret in this file, '-' for stdin (default: a new one)",
    );
  else command.addOption(toOption(row, field).makeOptionMandatory(field.isRequired));
}

function addAccount(command: Command, { account }: CommandRow): void {
  command.option('--account <id>', 'the id of an account (default: that of the API key)', parseId);
  if (account !== 'any') return;
  command.addOption(
    new Option('--all-accounts', 'mean all accounts, and not that of the API key').conflicts('account'),
  );
}

function toOption({ names }: CommandRow, field: Field): Option {
  const name = names?.[field.name] ?? toKebab(field.name);
  if (isRecord(field))
    return new Option(`--${name} <name=value>`, `a ${name} and its value; may be repeated`).argParser(
      parseEntry(field),
    );
  if (name === 'timeout')
    return new Option('--timeout <span>', 'limit the waiting, at most to 4m (default: 3s)').argParser(
      parseWait,
    );
  return new Option(`--${name} <${name}>`, field.words).argParser(parseField(field));
}

/** Parses how long to wait; the connection itself would not last much longer. Throws InvalidArgumentError. */
function parseWait(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds <= LONGEST_WAIT) return milliseconds;
  throw new InvalidArgumentError('Wait at most 4m.');
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
