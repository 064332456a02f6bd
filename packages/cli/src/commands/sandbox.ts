import { isRecord, parseJson, toRecord } from '@service/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { argument, defineCommand, flag, type Row, toFlag, value as valueOption } from '../command.ts';
import { findBaseUrl } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import { parseDuration, parseId } from '../parse.ts';
import {
  type AccountLookup,
  createAccountLookup,
  createUnreadableError,
  openControl,
  readUsableKey,
} from '../sandbox/control.ts';
import { canFollow, followList } from '../sandbox/follow.ts';
import {
  type Field,
  findDefaultAccount,
  listArguments,
  type Operation,
  operations,
  type ResponseList,
  type Schema,
  takesFile,
  type Values,
} from '../sandbox/operations.ts';
import { checkDestination } from '../secrets.ts';
import type { CreateAction, Session } from '../session.ts';
import { createTable, formatCell, type Line, type Terminal, toFields } from '../terminal.ts';

/** Defines `sandbox`: one command per operation of the control API of a mock. */
export function sandboxCommand(root: Command, act: CreateAction): void {
  root.addHelpText('after', helpText);
  for (const operation of operations) {
    if (operation.command === undefined) continue;
    const [group = '', name] = operation.command.split(' ');
    const parent =
      name === undefined
        ? root
        : (root.commands.find((each) => each.name() === group) ??
          root.command(group).description(operation.groupDescription));
    const example = ['service-cli sandbox', operation.command, formatExample(operation)];
    const define = defineCommand({
      input: toRows(operation),
      help: `Example:\n  $ ${example.filter(Boolean).join(' ')}`,
      run: (session, input) => runOperation(session, operation, input),
    });
    define(parent.command(name ?? group).description(`${operation.summary}.`), act);
  }
}

const helpText = `
They call the mock at the base URL, with the token in SERVICE_SANDBOX_TOKEN, such as
  $ service-cli sandbox clock advance 3s`;

/**
 * Calls one operation of the control API and prints its response.
 *
 * @throws {UsageError} when an option, a file or the key is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
async function runOperation(session: Session, operation: Operation, options: Values): Promise<void> {
  const { output } = session;
  const path = takesFile(operation) ? String(options.file) : undefined;
  checkStdin([session.globals().keyFile, options.secretFile, path]);
  // All input is validated before the first request.
  const file = path === undefined ? undefined : await readText(path, session);
  if (file !== undefined && parseJson(file) === undefined)
    throw new UsageError(`${JSON.stringify(path)} must be JSON.`);
  const fields = file === undefined ? await collectFields(session, operation, options) : {};
  // The files are snapshots and seeds, which have signing secrets.
  if (file !== undefined || 'secret' in fields) checkDestination('A signing secret', findBaseUrl(session));
  const findAccount = await createOperationLookup(session, operation, options);
  if (options.follow === true) return followList(session, operation.id, fields, findAccount);
  const control = await openControl(session);
  const account = await findAccount(control);
  const input = file === undefined ? { ...account, ...fields } : Buffer.from(file);
  const body = await control.call(operation.id, input);
  const { list } = operation;
  if (list !== undefined && !Array.isArray(toRecord(body)[list.name]))
    throw createUnreadableError(operation.id);
  const print = operation.reveals ? output.reveal : output.result;
  await print(body ?? {}, toResponseLines(body, operation, output.terminal));
}

/** Returns the given fields of an operation, except the account, and reads the files of secrets. */
async function collectFields(session: Session, { fields }: Operation, options: Values): Promise<Values> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { name } = field;
    const given = options[nameOption(field)];
    if (name === 'key') values.key = await readUsableKey(session);
    else if (name === 'secret' && typeof given === 'string') values.secret = await readSecret(given, session);
    else if (name !== 'account' && given !== undefined) values[name] = given;
  }
  return values;
}

/** Creates the lookup of the account fields of an operation. The mode of the key applies only to operations of one account. */
async function createOperationLookup(
  session: Session,
  operation: Operation,
  options: Values,
): Promise<AccountLookup> {
  const selected = findDefaultAccount(operation);
  const isOpen = selected === undefined || (selected === 'owner' && options.account === undefined);
  if (isOpen) return async () => ({});
  const find = await createAccountLookup(session, options, selected === 'all');
  const takes = (name: string): boolean =>
    operation.fields.some((field) => field.name === name) && (selected === 'own' || name !== 'mode');
  return async (control) =>
    Object.fromEntries(Object.entries(await find(control)).filter(([name]) => takes(name)));
}

/** The columns of lists whose items are not flat, by the name of the schema of the item. A column can be `name=path`. */
const columnsByItem: Readonly<Record<string, string>> = {
  CollectedEvent: 'id payment_id event body',
  Delivery: 'id payment_id status state attempts=attempts.length fault',
  Fault: 'id target kind operation event account mode times after probability fired',
  RequestView: 'at id method path operation status=response.status account mode fault=fault.kind',
};

/** Formats a response of the control API: a list as a table, a single value by itself, all else as fields. */
function toResponseLines(body: unknown, operation: Operation, terminal: Terminal): Line[] {
  if (body === undefined) return ['Done.'];
  if (operation.isDocument && !takesFile(operation)) return [JSON.stringify(body)];
  return operation.list === undefined
    ? toValueLines(body, terminal)
    : toListLines(body, operation.list, terminal);
}

function toValueLines(body: unknown, terminal: Terminal): Line[] {
  if (typeof body !== 'object' || body === null) return [formatCell(body)];
  const [value, ...others] = Object.values(body) as unknown[];
  return others.length === 0 ? toValueLines(value, terminal) : toFields(body, terminal);
}

/** Formats the list of a response, followed by its other fields. */
function toListLines(body: unknown, { name, item = '', fields }: ResponseList, terminal: Terminal): Line[] {
  const { [name]: rows, ...others } = body as Record<string, unknown>;
  const columns = (columnsByItem[item]?.split(' ') ?? fields).map((column) => column.split('='));
  const table = createTable(
    columns.map(([field = '']) => ({ field })),
    terminal,
  );
  const cells = (rows as readonly unknown[]).map((row) =>
    Object.fromEntries(columns.map(([title = '', path = title]) => [title, readPath(row, path)])),
  );
  return [...table(cells), ...(Object.keys(others).length > 0 ? ['', ...toFields(others, terminal)] : [])];
}

function readPath(row: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, part) => (isRecord(found) || Array.isArray(found) ? (found as Values)[part] : undefined),
      row,
    );
}

/** Maximum `--timeout` in milliseconds. `fetch` of Node aborts a request without a response after 5 min. */
const MAX_WAIT = 240_000;

/** The options of objects, which take one `name=value` each, and that of a secret. */
const optionNames: Readonly<Record<string, string>> = {
  balances: 'balance',
  profile: 'setting',
  secret: 'secretFile',
};

function nameOption({ name }: Field): string {
  return optionNames[name] ?? name;
}

/** An argument or an option whose type follows from a schema. */
type UntypedRow = Pick<Row<unknown>, 'kind' | 'description'>;

type Rows = Readonly<Record<string, UntypedRow>>;

/** Returns the arguments and options for the fields of an operation. */
function toRows(operation: Operation): Rows {
  if (takesFile(operation)) return { file: argument("JSON file to send, '-' for stdin") };
  const args = listArguments(operation);
  const options = operation.fields.filter((field) => !args.includes(field));
  return Object.assign(
    Object.fromEntries(args.map((field) => [field.name, toArgument(field)])),
    ...options.map((field) => toOptions(field, operation)),
    canFollow(operation.id) && { follow: flag(FOLLOW, { conflicts: ['limit', 'offset'] }) },
  ) as Rows;
}

const FOLLOW = 'then print new and changed ones until Ctrl+C; with --json one per line';

/** Returns the arguments and options of the example in the help. */
function formatExample(operation: Operation): string {
  if (takesFile(operation)) return 'file.json';
  if (operation.isDocument) return `> ${operation.command}.json`;
  const args = listArguments(operation);
  const options = operation.fields.filter(
    (field) => !['account', 'key'].includes(field.name) && !args.includes(field),
  );
  return [
    ...args.flatMap(formatValues),
    ...options.flatMap((field) => formatValues(field).map((text) => `${toFlag(nameOption(field))} ${text}`)),
  ].join(' ');
}

/** Returns the texts of the example of a field. */
function formatValues({ name, example }: Field): string[] {
  if (example === undefined) return [];
  if (name === 'timeout') return [`${Number(example) / 1000}s`];
  if (typeof example !== 'object' || example === null) return [JSON.stringify(example).replaceAll('"', '')];
  return Object.entries(example).map(([key, text]) => `${key}=${String(text)}`);
}

/** The maximum length of the allowed values of an argument in the help. */
const MAX_VALUES = 250;

function toArgument(field: Field): UntypedRow {
  if (field.schema.type === 'object')
    return Object.assign(argument(field.description, parseEntry(field)), { form: '<name=value...>' });
  const parse = field.place === 'path' ? parseId : parseField(field);
  return argument(describeField(field, MAX_VALUES), parse);
}

/** Returns the options for a field: several for the account, none for the key. */
function toOptions(field: Field, operation: Operation): Rows {
  const { name, schema, isRequired } = field;
  const option = nameOption(field);
  if (name === 'key') return {};
  if (name === 'timeout')
    return { timeout: valueOption('<span>', 'maximum time, at most 4m (default: 3s)', parseWait) };
  if (name === 'secret')
    return {
      [option]: valueOption('<file>', "file with the signing secret, '-' for stdin (default: a new secret)"),
    };
  const initial = findDefaultAccount(operation);
  const owner = initial === 'owner' ? 'that of the payment' : 'the account of the API key';
  if (name === 'account')
    return {
      account: valueOption('<id>', `id of the account (default: ${owner})`, parseId),
      ...(initial === 'all' && {
        allAccounts: flag('all accounts, not only the account of the API key', { conflicts: ['account'] }),
      }),
    };
  const type = String(schema.type);
  const form = type === 'boolean' ? 'true|false' : /^(?:integer|number)$/.test(type) ? 'number' : 'text';
  const extra = isRequired ? { isRequired } : {};
  return {
    [option]:
      field.schema.type === 'object'
        ? valueOption('<name=value>', `a ${option} and its value; repeatable`, parseEntry(field), extra)
        : valueOption(`<${form}>`, describeField(field), parseField(field), extra),
  };
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
  // A pattern tells several schemas of text apart.
  if (anyOf !== undefined)
    return anyOf
      .filter((each) => !each.type?.includes('string') || new RegExp(each.pattern ?? '').test(text))
      .map((each) => readValue(each, text))
      .find((value) => value !== undefined);
  // The control API explains a text that its document does not allow.
  if (type.includes('string')) return text;
  if (type === 'array') {
    const values = text === '' ? [] : text.split(',').map((each) => readValue(items, each));
    return values.includes(undefined) ? undefined : values;
  }
  const found = parseJson(text);
  const isOfType = {
    boolean: typeof found === 'boolean',
    integer: Number.isSafeInteger(found),
    number: typeof found === 'number',
    object: isRecord(found),
  }[String(type)];
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isOutside = typeof found === 'number' && (found < minimum || found > maximum);
  return isOfType && !isOutside ? found : undefined;
}
