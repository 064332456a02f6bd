import { parseJson, toRecord } from '@service/internal';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import { type AccountLookup, createAccountLookup, readUsableKey } from '../sandbox/account-lookup.ts';
import { createUnreadableError, openControl } from '../sandbox/control.ts';
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
export function defineSandbox(sandbox: Command, act: CreateAction): void {
  sandbox.addHelpText('after', helpText);
  const groups = new Map<string, Command>();
  for (const operation of operations) {
    if (operation.command === undefined) continue;
    const [group = '', name] = operation.command.split(' ');
    const parent =
      name === undefined
        ? sandbox
        : (groups.get(group) ?? sandbox.command(group).description(operation.groupDescription));
    if (name !== undefined) groups.set(group, parent);
    addOperation(parent.command(name ?? group), operation).action(
      act((session: Session, given: GivenInput) => runOperation(session, { operation, given })),
    );
  }
}

const helpText = `
The commands call the mock at the base URL. Set SERVICE_SANDBOX_TOKEN if its control API needs a token.

Example:
  $ service-cli sandbox clock advance 3s`;

function addOperation(command: Command, operation: Operation): Command {
  const example = ['service-cli sandbox', operation.command, formatExample(operation)]
    .filter(Boolean)
    .join(' ');
  addFields(command, operation);
  if (canFollow(operation.id))
    command.option('--follow', 'then print new and changed ones until Ctrl+C; with --json one per line');
  return command.description(`${operation.summary}.`).addHelpText('after', `\nExample:\n  $ ${example}`);
}

/** A command of `sandbox` with its arguments and options. */
interface OperationCommand {
  readonly operation: Operation;
  readonly given: GivenInput;
}

/**
 * Calls one operation of the control API and prints its response.
 *
 * @throws {UsageError} when an option, a file or the key is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
async function runOperation(session: Session, command: OperationCommand): Promise<ExitCode> {
  const { operation } = command;
  const { args, options } = command.given;
  checkStdin([session.globals().keyFile, options.secretFile, takesFile(operation) ? args[0] : undefined]);
  // All input is validated before the first request.
  const input = await readInput(session, command);
  const findSelected = await readAccountLookup(session, command);
  const findAccount: AccountLookup = async (api) => selectAccountFields(operation, await findSelected?.(api));
  if (options.follow === true)
    return followList(session, { operation: operation.id, input: input as Values, findAccount });
  const control = await openControl(session);
  const account = await findAccount(control);
  const body = await control.call(
    operation.id,
    input instanceof Uint8Array ? input : { ...account, ...input },
  );
  const { list } = operation;
  if (list !== undefined && !Array.isArray(toRecord(body)[list.name]))
    throw createUnreadableError(operation.id);
  const { output } = session;
  const print = operation.reveals ? output.reveal : output.result;
  await print(body ?? {}, toResponseLines(body, operation, output.terminal));
  return exitCodes.ok;
}

async function readInput(
  session: Session,
  { operation, given }: OperationCommand,
): Promise<Values | Uint8Array> {
  if (takesFile(operation)) return readDocument(session, String(given.args[0]));
  const { account: _, key: __, secret: ___, ...fields } = collectFields(operation, given);
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const { secretFile } = given.options;
  const takesKey = operation.fields.some(({ name }) => name === 'key');
  return {
    ...present,
    ...(typeof secretFile === 'string' && { secret: await readSecret(secretFile, session) }),
    ...(takesKey && { key: await readUsableKey(session) }),
  };
}

async function readDocument(session: Session, path: string): Promise<Uint8Array> {
  const text = await readText(path, session);
  if (parseJson(text) === undefined) throw new UsageError(`${JSON.stringify(path)} must be JSON.`);
  return Buffer.from(text);
}

async function readAccountLookup(
  session: Session,
  { operation, given }: OperationCommand,
): Promise<AccountLookup | undefined> {
  const selected = findDefaultAccount(operation);
  return selected === undefined ? undefined : createAccountLookup(session, given.options, selected === 'all');
}

/** Returns the account fields that the operation has. The mode of the key applies only to operations of one account. */
function selectAccountFields(operation: Operation, found: Values = {}): Values {
  const isOwn = findDefaultAccount(operation) === 'own';
  const takes = (name: string): boolean =>
    operation.fields.some((field) => field.name === name) && (isOwn || name !== 'mode');
  return Object.fromEntries(Object.entries(found).filter(([name]) => takes(name)));
}

/** The columns of a table, each with the path to its value: `{ status: 'response.status' }`. */
type Columns = Readonly<Record<string, string>>;

/** The columns of lists whose items are not flat, by the name of the schema of the item. */
const columnsByItem: Readonly<Record<string, Columns>> = {
  CollectedEvent: toColumns(['id', 'payment_id', 'event', 'body']),
  Delivery: {
    ...toColumns(['id', 'payment_id', 'status', 'state']),
    attempts: 'attempts.length',
    fault: 'fault',
  },
  Fault: toColumns([
    'id',
    'target',
    'kind',
    'operation',
    'event',
    'account',
    'mode',
    'times',
    'after',
    'probability',
    'fired',
  ]),
  RequestView: {
    ...toColumns(['at', 'id', 'method', 'path', 'operation']),
    status: 'response.status',
    ...toColumns(['account', 'mode']),
    fault: 'fault.kind',
  },
};

function toColumns(names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, name]));
}

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
  const columns = columnsByItem[item] ?? toColumns(fields);
  const table = createTable(
    Object.keys(columns).map((field) => ({ field })),
    terminal,
  );
  const cells = (rows as readonly unknown[]).map((row) =>
    Object.fromEntries(Object.entries(columns).map(([column, path]) => [column, readPath(row, path)])),
  );
  return [...table(cells), ...(Object.keys(others).length > 0 ? ['', ...toFields(others, terminal)] : [])];
}

function readPath(value: unknown, path: string): unknown {
  let found = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
