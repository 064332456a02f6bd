import { parseRecord, toRecord } from '@service/internal';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId } from '../parse.ts';
import {
  type Field,
  findDefaultAccount,
  listArguments,
  type Operation,
  type Schema,
  takesFile,
  type Values,
} from './operations.ts';

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
export interface GivenInput {
  readonly args: readonly unknown[];
  readonly options: Values;
}

/** Returns the fields of an operation from arguments and options. A field that was not given is undefined. */
export function collectFields(operation: Operation, { args, options }: GivenInput): Values {
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

/** The maximum length of the allowed values of an argument in the help. */
const MAX_VALUES = 250;

function toArgument(field: Field): Argument {
  const name = toKebab(field.name);
  if (isObjectField(field))
    return new Argument('<name=value...>', field.description).argParser(parseEntry(field));
  const parse = field.place === 'path' ? parseId : parseField(field);
  return new Argument(`<${name}>`, describeField(field, MAX_VALUES)).argParser(parse);
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
  if (isObjectField(field))
    return new Option(`--${name} <name=value>`, `a ${name} and its value; repeatable`).argParser(
      parseEntry(field),
    );
  if (name === 'timeout')
    return new Option('--timeout <span>', 'maximum time, at most 4m (default: 3s)').argParser(parseWait);
  const { type = '' } = field.schema;
  const form =
    type === 'boolean' ? 'true|false' : /^(?:integer|number)$/.test(String(type)) ? 'number' : 'text';
  return new Option(`--${name} <${form}>`, describeField(field)).argParser(parseField(field));
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

/**
 * Creates a parser of a field. A field that can be text stays text, so amounts keep their digits.
 *
 * @throws {InvalidArgumentError} from the parser, when the text does not match the schema.
 */
function parseField(field: Field): (text: string) => unknown {
  return (text) => {
    const value = readValue(field.schema, text);
    if (value !== undefined) return value;
    const wanted = describeSchema(field.schema) ?? trimPeriod(field.description);
    throw new InvalidArgumentError(`Write ${wanted.charAt(0).toLowerCase()}${wanted.slice(1)}.`);
  };
}

/** The maximum length of a description in the help, so that each option takes one line. */
const MAX_LENGTH = 62;

/** Describes a field in the help: the start of its description, the allowed values and the default, as far as they fit. */
function describeField({ schema, description }: Field, maxValues = MAX_LENGTH): string {
  const [sentence = ''] = description.split('. ');
  const isRange = sentence.startsWith('A whole number');
  const text = isRange
    ? (describeSchema(schema) ?? '')
    : shorten(trimPeriod(sentence.replaceAll(/[`']/g, '')));
  const [, initial = ''] = / Default: (.*)\.$/.exec(description) ?? [];
  const listed = schema.enum ?? schema.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
  const values = listed.join(', ');
  if (values !== '' && values.length <= maxValues)
    return `${text} (${values})`.length <= maxValues ? `${text} (${values})` : values;
  const complete = `${text} (default: ${initial.replaceAll("'", '')})`;
  return initial === '' || complete.length > MAX_LENGTH ? text : complete;
}

/** Shortens a description to its first clauses. */
function shorten(text: string): string {
  const end = Math.max(
    ...[', ', ': ', ' such as', ' that ', ' whose '].map((part) => text.lastIndexOf(part)),
  );
  return text.length <= MAX_LENGTH || end <= 0 ? text : shorten(text.slice(0, end));
}

/** Describes the allowed values of a schema. Returns undefined if any text matches, or texts of a pattern. */
function describeSchema({ enum: listed, anyOf, type, items, minimum, maximum }: Schema): string | undefined {
  if (listed !== undefined)
    return listed.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' or ');
  if (anyOf !== undefined) {
    const parts = mergeRanges(anyOf).map(describeSchema);
    return parts.includes(undefined) ? undefined : parts.join(' or ');
  }
  if (type === 'array') return `a list of any of ${items?.enum?.join(', ')}`;
  const limits = `${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`;
  if (type === 'integer') return `a whole number${limits}`;
  if (type === 'number') return `a number${limits}`;
  return { boolean: 'true or false', object: 'a JSON object' }[String(type)];
}

/** Replaces several ranges of whole numbers by the one that contains them. The mock explains a number that it rejects. */
function mergeRanges(schemas: readonly Schema[]): readonly Schema[] {
  const ranges = schemas.filter(({ type }) => type === 'integer');
  if (ranges.length < 2) return schemas;
  const minimum = Math.min(...ranges.map((range) => range.minimum ?? -Infinity));
  const maximum = Math.max(...ranges.map((range) => range.maximum ?? Infinity));
  return [{ type: 'integer', minimum, maximum }, ...schemas.filter(({ type }) => type !== 'integer')];
}

function trimPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/**
 * Creates a parser of `name=value` that adds the value to the previous ones.
 *
 * @throws {InvalidArgumentError} from the parser, when the name or the value does not match the schema.
 */
function parseEntry({ schema }: Field): (text: string, before?: Values) => Values {
  return (text, before = {}) => {
    const [, name, field, value] = /^([^=.]+)(?:\.([^=]+))?=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new InvalidArgumentError('Write a name and its value, such as NAME=VALUE.');
    const inner = findInner(schema, name);
    if (field === undefined) return { ...before, [name]: readInner(inner, name, value) };
    const object = [inner, ...(inner.anyOf ?? [])].find(({ properties }) => properties !== undefined) ?? {};
    const read = readInner(findInner(object, field), `${name}.${field}`, value);
    return { ...before, [name]: { ...toRecord(before[name]), [field]: read } };
  };
}

/** Whether a field is an object, which is written as `name=value`. */
function isObjectField({ schema }: Field): boolean {
  return schema.type === 'object';
}

function findInner({ properties = {}, additionalProperties }: Schema, name: string): Schema {
  if (Object.hasOwn(properties, name)) return properties[name] ?? {};
  if (typeof additionalProperties === 'object') return additionalProperties;
  throw new InvalidArgumentError(`${name} is unknown; use one of ${Object.keys(properties).join(', ')}.`);
}

function readInner(schema: Schema, name: string, text: string): unknown {
  const value = readValue(schema, text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`${name} must be ${describeSchema(schema) ?? 'another value'}.`);
}

/** Parses text by a schema. Returns undefined if the text does not match. */
function readValue(schema: Schema, text: string): unknown {
  const { anyOf, type = [], items = {} } = schema;
  if (schema.enum !== undefined) return schema.enum.find((value) => String(value) === text);
  if (anyOf !== undefined)
    return anyOf.map((each) => readChoice(each, text)).find((value) => value !== undefined);
  // The control API explains a text that its document does not allow.
  if (type.includes('string')) return text;
  if (type === 'array') return readList(items, text);
  const found = readers[String(type)]?.(text);
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return typeof found === 'number' && (found < minimum || found > maximum) ? undefined : found;
}

/** Parses text by one of several schemas, which a pattern tells apart. */
function readChoice(schema: Schema, text: string): unknown {
  const { type = [], pattern = '' } = schema;
  return type.includes('string') && !new RegExp(pattern).test(text) ? undefined : readValue(schema, text);
}

function readList(items: Schema, text: string): unknown[] | undefined {
  const values = text === '' ? [] : text.split(',').map((each) => readValue(items, each));
  return values.includes(undefined) ? undefined : values;
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined),
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (/^(?:true|false)$/.test(text) ? text === 'true' : undefined),
  object: parseRecord,
};
