import { isRecord, parseJson, toRecord } from '@service/internal';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import {
  type AccountLookup,
  createAccountLookup,
  createUnreadableError,
  openControl,
  readUsableKey,
} from '../sandbox/control.ts';
import { addFields, collectFields, formatExample, type GivenInput } from '../sandbox/flags.ts';
import { canFollow, followList } from '../sandbox/follow.ts';
import {
  findDefaultAccount,
  type Operation,
  operations,
  type ResponseList,
  takesFile,
  type Values,
} from '../sandbox/operations.ts';
import { type CreateAction, type ExitCode, exitCodes, type Session } from '../session.ts';
import { createTable, formatCell, toFields } from '../table.ts';
import type { Line, Terminal } from '../terminal.ts';

/** Defines `sandbox`: one command per operation of the control API of a mock. */
export function sandboxCommand(root: Command, act: CreateAction): void {
  root.addHelpText('after', helpText);
  const groups = new Map<string, Command>();
  for (const operation of operations) {
    if (operation.command === undefined) continue;
    const [group = '', name] = operation.command.split(' ');
    const parent =
      name === undefined
        ? root
        : (groups.get(group) ?? root.command(group).description(operation.groupDescription));
    if (name !== undefined) groups.set(group, parent);
    const command = addFields(parent.command(name ?? group), operation);
    if (canFollow(operation.id))
      command.option('--follow', 'then print new and changed ones until Ctrl+C; with --json one per line');
    const example = ['service-cli sandbox', operation.command, formatExample(operation)];
    command
      .description(`${operation.summary}.`)
      .addHelpText('after', `\nExample:\n  $ ${example.filter(Boolean).join(' ')}`)
      .action(act((session, args, options) => runOperation(session, operation, { args, options })));
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
async function runOperation(session: Session, operation: Operation, given: GivenInput): Promise<ExitCode> {
  const { args, options } = given;
  const { output } = session;
  checkStdin([session.globals().keyFile, options.secretFile, takesFile(operation) ? args[0] : undefined]);
  // All input is validated before the first request.
  const input = await readInput(session, operation, given);
  const findAccount = await createOperationLookup(session, operation, options);
  if (options.follow === true) return followList(session, operation.id, input as Values, findAccount);
  const control = await openControl(session);
  const account = await findAccount(control);
  const isFile = input instanceof Uint8Array;
  const body = await control.call(operation.id, isFile ? input : { ...account, ...input });
  const { list } = operation;
  if (list !== undefined && !Array.isArray(toRecord(body)[list.name]))
    throw createUnreadableError(operation.id);
  const print = operation.reveals ? output.reveal : output.result;
  await print(body ?? {}, toResponseLines(body, operation, output.terminal));
  return exitCodes.ok;
}

async function readInput(
  session: Session,
  operation: Operation,
  given: GivenInput,
): Promise<Values | Uint8Array> {
  if (takesFile(operation)) {
    const path = String(given.args[0]);
    const text = await readText(path, session);
    if (parseJson(text) === undefined) throw new UsageError(`${JSON.stringify(path)} must be JSON.`);
    return Buffer.from(text);
  }
  const { account: _, key: __, secret: ___, ...fields } = collectFields(operation, given);
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  const { secretFile } = given.options;
  const takesKey = operation.fields.some(({ name }) => name === 'key');
  return {
    ...Object.fromEntries(present),
    ...(typeof secretFile === 'string' && { secret: await readSecret(secretFile, session) }),
    ...(takesKey && { key: await readUsableKey(session) }),
  };
}

/** Creates the lookup of the account fields of an operation. The mode of the key applies only to operations of one account. */
async function createOperationLookup(
  session: Session,
  operation: Operation,
  options: Values,
): Promise<AccountLookup> {
  const selected = findDefaultAccount(operation);
  if (selected === undefined) return async () => ({});
  const find = await createAccountLookup(session, options, selected === 'all');
  const takes = (name: string): boolean =>
    operation.fields.some((field) => field.name === name) && (selected === 'own' || name !== 'mode');
  return async (control) =>
    Object.fromEntries(Object.entries(await find(control)).filter(([name]) => takes(name)));
}

/** The columns of lists whose items are not flat, by the name of the schema of the item. A column can be a path. */
const columnsByItem: Readonly<Record<string, string>> = {
  CollectedEvent: 'id payment_id event body',
  Delivery: 'id payment_id status state attempts.length fault',
  Fault: 'id target kind operation event account mode times after probability fired',
  RequestView: 'at id method path operation response.status account mode fault.kind',
};

/** The names of columns that differ from the end of their path. */
const columnNames: Readonly<Record<string, string>> = {
  'attempts.length': 'attempts',
  'fault.kind': 'fault',
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
  const paths = columnsByItem[item]?.split(' ') ?? fields;
  const columns = paths.map((path) => [columnNames[path] ?? path.split('.').at(-1) ?? path, path] as const);
  const table = createTable(
    columns.map(([field]) => ({ field })),
    terminal,
  );
  const cells = (rows as readonly unknown[]).map((row) =>
    Object.fromEntries(columns.map(([column, path]) => [column, readPath(row, path)])),
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
