import { findNearest, isRecord, parseJson, toRecord } from '@service/internal';
import { defineCommand, flag, type Row, value, type ValuesOf } from '../command.ts';
import { UsageError } from '../errors.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import {
  type Control,
  createUnreadableError,
  findAccount,
  openControl,
  readUsableKey,
} from '../sandbox/control.ts';
import { type ControlDocument, type Operation, takesFile, type Values } from '../sandbox/document.ts';
import { readFields } from '../sandbox/fields.ts';
import { canFollow, followList } from '../sandbox/follow.ts';
import type { DefineCommand, Session } from '../session.ts';
import {
  createTable,
  formatCell,
  type Line,
  type Table,
  type Terminal,
  toFields,
  toRow,
} from '../terminal.ts';

const words: Row<string[]> = {
  kind: 'argument',
  form: '[words...]',
  description: 'operation and its fields, such as clock advance duration=4s; none lists all operations',
};

const input = {
  words,
  follow: flag('print the list, then new and changed rows until Ctrl+C'),
  allAccounts: flag('all accounts, not only the account of the API key'),
  secretFile: value('<file>', "file with the signing secret of an endpoint, '-' for stdin"),
  timeout: value('<span>', 'maximum time of requests wait (default: 3s)'),
  help: flag('print the fields of the operation'),
};

type Options = Omit<ValuesOf<typeof input>, 'words'>;

const define = defineCommand({
  input,
  help: `The mock at the base URL describes its operations, with the token in SERVICE_SANDBOX_TOKEN. A field is NAME=VALUE, or
a value for the next required field. A duration has a unit. NAME=@FILE reads JSON, and NAME.INNER=VALUE sets a field of an object.

Example:
  $ service-cli sandbox
  $ service-cli sandbox clock advance duration=4s
  $ service-cli sandbox faults inject kind=status status=503 operation=createPayment
  $ service-cli sandbox requests wait operation=createPayment --timeout 10s
  $ service-cli sandbox requests list --follow`,
  run: async (session, { words: given, ...options }) => runSandbox(session, given, options),
});

/** Defines `sandbox`, which runs an operation of the control API of a mock. The document of the mock has names and fields. */
export const sandboxCommand: DefineCommand = (command, start) => {
  command.helpOption(false);
  define(command, async (work) => {
    if (command.opts().help === true && command.args.length === 0) command.outputHelp();
    else await start(work);
  });
};

/**
 * Runs an operation and prints its response, or lists operations.
 *
 * @throws {UsageError} when a word, an option, a file or the key is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
async function runSandbox(session: Session, given: readonly string[], options: Options): Promise<void> {
  const { output } = session;
  const control = await openControl(session);
  const commands = control.operations
    .filter(({ command }) => command !== undefined)
    .toSorted((a, b) => (String(a.command) < String(b.command) ? -1 : 1));
  const found = commands.find(({ command = '' }) =>
    command.split(' ').every((word, index) => given[index] === word),
  );
  if (found === undefined) {
    const listed = commands.filter(({ command = '' }) => `${command} `.startsWith(given.join(' ')));
    if (listed.length === 0) throw new UsageError(describeUnknown(given, commands));
    const document = listed.map(({ command, summary }) => ({ command, summary }));
    return output.result(
      document,
      toPairs(
        listed.map(({ command = '', summary }) => [command, summary]),
        output.terminal,
      ),
    );
  }
  if (options.help === true) return printFields(session, found);
  const rest = given.slice(found.command?.split(' ').length);
  if (options.timeout !== undefined) rest.push(`timeout=${options.timeout}`);
  return runOperation(session, control, found, rest, options);
}

function describeUnknown(given: readonly string[], operations: readonly Operation[]): string {
  const names = operations.flatMap(({ command = '' }) => [command, command.split(' ', 1).join('')]);
  const nearest = findNearest(given.slice(0, 2).join(' '), names) ?? findNearest(given[0] ?? '', names);
  const hint = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
  return `There is no operation ${JSON.stringify(given.slice(0, 2).join(' '))}.${hint} \`service-cli sandbox\` lists all operations.`;
}

async function printFields({ output }: Session, { command, summary, fields }: Operation): Promise<void> {
  const rows = fields.map(({ name, isRequired, description }): [string, string] => [
    `  ${name}=${isRequired ? '…' : ''}`,
    `${isRequired ? '(required) ' : ''}${description}`,
  ]);
  await output.result({ command, summary, fields }, [
    `${command}: ${summary}.`,
    ...toPairs(rows, output.terminal),
  ]);
}

function toPairs(rows: readonly (readonly [name: string, text: string])[], terminal: Terminal): Line[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.flatMap(([name, text]) => toRow([[{ text: name, style: 'strong' }, width]], text, terminal));
}

/** Runs an operation with the words after its name, and prints its response. */
async function runOperation(
  session: Session,
  control: Control,
  operation: Operation,
  given: readonly string[],
  options: Options,
): Promise<void> {
  const { output } = session;
  const { id, command, reveals } = operation;
  const { follow = false, allAccounts = false, secretFile } = options;
  checkOptions(operation, options);
  checkStdin([
    session.globals().keyFile,
    secretFile,
    ...given.map((word) => word.replace(/^(?:\w+=)?@/, '')),
  ]);
  const list = findList(operation, control);
  let sent: Values | Uint8Array;
  if (takesFile(operation)) sent = await readDocument(session, command, given);
  else {
    const named = await readFields(operation, given, {
      ...control,
      readText: (path) => readText(path, session),
    });
    const fields = {
      ...(operation.fields.some(({ name }) => name === 'key') && { key: await readUsableKey(session) }),
      ...named,
      ...(secretFile !== undefined && { secret: await readSecret(secretFile, session, '--secret-file') }),
    };
    const findFields = await createLookup(session, operation, fields, allAccounts);
    if (follow && list !== undefined) {
      if ('limit' in fields || 'offset' in fields)
        throw new UsageError('--follow prints all rows. Leave out limit and offset.');
      const toLines = createListTable(list, output.terminal);
      const print = async (rows: readonly object[]): Promise<void> => {
        if (output.json) for (const row of rows) await output.result(row, []);
        else if (rows.length > 0) await output.result(undefined, toLines(rows));
      };
      return followList(session, control, { id, name: list.name, findFields, print });
    }
    sent = await findFields(control);
  }
  const body = await control.call(id, sent);
  if (list !== undefined && !Array.isArray(toRecord(body)[list.name])) throw createUnreadableError(id);
  const print = reveals ? output.reveal : output.result;
  await print(body ?? {}, toResponseLines(body, operation, list, output.terminal));
}

/** @throws {UsageError} when the operation has no use for an option. */
function checkOptions(operation: Operation, { follow, allAccounts, secretFile }: Options): void {
  const takes = (name: string): boolean => operation.fields.some((field) => field.name === name);
  const useless = [
    follow && !canFollow(operation.id) && '--follow',
    allAccounts && findDefaultAccount(operation) !== 'all' && '--all-accounts',
    secretFile !== undefined && !takes('secret') && '--secret-file',
  ].find(Boolean);
  if (useless) throw new UsageError(`${operation.command} has no ${useless}.`);
}

/** Reads the file that is the body of an operation. */
async function readDocument(session: Session, command = '', given: readonly string[]): Promise<Uint8Array> {
  const [path, ...others] = given;
  if (path === undefined || others.length > 0)
    throw new UsageError(`${command} needs the path of one JSON file, or - for stdin.`);
  const text = await readText(path.replace(/^@/, ''), session);
  if (!isRecord(parseJson(text))) throw new UsageError(`${JSON.stringify(path)} must be a JSON object.`);
  return Buffer.from(text);
}

/** Returns the account without the field: that of the API key, or all. Undefined for other operations. */
function findDefaultAccount({ fields }: Operation): 'own' | 'all' | undefined {
  const field = fields.find(({ name }) => name === 'account');
  return field && (field.schema['x-default'] ?? 'own');
}

/**
 * Creates the lookup of the fields of a request: those given, and the account of the API key, where a mock needs one.
 *
 * @throws {UsageError} when there is neither an account nor a usable key.
 */
async function createLookup(
  session: Session,
  operation: Operation,
  fields: Values,
  hasAll: boolean,
): Promise<(control: Control) => Promise<Values>> {
  const initial = findDefaultAccount(operation);
  if (hasAll && fields.account !== undefined)
    throw new UsageError('--all-accounts cannot be used with account=ID.');
  if (initial === undefined || hasAll || fields.account !== undefined) return async () => fields;
  const alternative = initial === 'all' ? ', account=ID or --all-accounts' : ' or account=ID';
  const key = await readUsableKey(session, `, or pass${alternative}`);
  const hasMode = initial === 'own' && operation.fields.some(({ name }) => name === 'mode');
  return async (control) => {
    const { account, mode } = await findAccount(control, key);
    return { account, ...(hasMode && { mode }), ...fields };
  };
}

/** The list in a response: the name of its field, and its columns, each a name or `name=path`. */
interface ResponseList {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The columns of lists whose items are not flat, by the name of the schema of the item. */
const columnsByItem: Readonly<Record<string, string>> = {
  CollectedEvent: 'id payment_id event body',
  Delivery: 'id event state attempts=attempts.length payment_id fault',
  Fault: 'id target kind operation event account mode times after probability fired',
  RequestView: 'at method path status=response.status fault=fault.kind account mode id',
};

function findList({ response }: Operation, { resolve }: ControlDocument): ResponseList | undefined {
  // A single item, which a named schema describes, is no list.
  const properties = Object.entries(response?.properties ?? {});
  const [name, list] = properties.find(([, { type }]) => type === 'array') ?? [];
  if (name === undefined || list === undefined) return undefined;
  const item = resolve(list.items);
  const columns = columnsByItem[item.name ?? '']?.split(' ') ?? Object.keys(item.properties ?? {});
  return { name, columns };
}

/** Formats a response of the control API: a list as a table, a single value by itself, all else as fields. */
function toResponseLines(
  body: unknown,
  operation: Operation,
  list: ResponseList | undefined,
  terminal: Terminal,
): Line[] {
  if (body === undefined) return ['Done.'];
  if (operation.isDocument && !takesFile(operation)) return [JSON.stringify(body)];
  if (list === undefined) return toValueLines(body, terminal);
  const { [list.name]: rows, ...others } = body as Values;
  return [
    ...createListTable(list, terminal)(rows as readonly object[]),
    ...(Object.keys(others).length > 0 ? ['', ...toFields(others, terminal)] : []),
  ];
}

function toValueLines(body: unknown, terminal: Terminal): Line[] {
  if (typeof body !== 'object' || body === null) return [formatCell(body)];
  const [first, ...others] = Object.values(body) as unknown[];
  return others.length === 0 ? toValueLines(first, terminal) : toFields(body, terminal);
}

function readPath(row: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, part) => (found as Values | null | undefined)?.[part], row);
}

function createListTable({ columns }: ResponseList, terminal: Terminal): Table {
  const pairs = columns.map((column) => column.split('='));
  const table = createTable(
    pairs.map(([field = '']) => ({ field })),
    terminal,
  );
  return (rows) =>
    table(
      rows.map((row) =>
        Object.fromEntries(pairs.map(([title = '', path = title]) => [title, readPath(row, path)])),
      ),
    );
}
