import { type ExitCode, exitCodes } from '../session.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import { parseJson } from '@service/internal';
import type { Session } from '../session.ts';
import { UsageError } from '../errors.ts';
import { findList, toResponseLines } from './response-lines.ts';
import { openControl, createUnreadableError } from './control.ts';
import { collectFields, type Given } from './flags.ts';
import { type AccountLookup, createAccountLookup, readUsableKey } from './account-lookup.ts';
import type { Operation } from './operations.ts';
import type { CommandRow } from './rows.ts';
import type { Values } from './values.ts';

/** A command of `sandbox` with its arguments and options. */
export interface OperationCommand {
  readonly row: CommandRow;
  readonly operation: Operation;
  readonly given: Given;
}

/**
 * Calls one operation of the control API and prints its response.
 *
 * @throws {UsageError} when an option, a file or the key is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
export async function runOperation(session: Session, command: OperationCommand): Promise<ExitCode> {
  const { row, operation } = command;
  const { args, options } = command.given;
  checkStdin([session.globals().keyFile, options.secretFile, row.isFile ? args[0] : undefined]);
  // All input is validated before the first request.
  const input = await readInput(session, command);
  const findSelected = await readAccountLookup(session, command);
  const control = await openControl(session);
  const account = await findSelected?.(control);
  const body = await control.call(
    operation,
    input instanceof Uint8Array ? input : { ...selectAccountFields(operation, row, account), ...input },
  );
  if (row.columns !== undefined && findList(body) === undefined) throw createUnreadableError(operation);
  const { output } = session;
  const print = row.reveals ? output.reveal : output.result;
  await print(body ?? {}, toResponseLines(body, row));
  return exitCodes.ok;
}

async function readInput(
  session: Session,
  { row, operation, given }: OperationCommand,
): Promise<Values | Uint8Array> {
  if (row.isFile) return readDocument(session, String(given.args[0]));
  const { account: _, key: __, secret: ___, ...fields } = collectFields(row, operation, given);
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
  { row, given }: OperationCommand,
): Promise<AccountLookup | undefined> {
  return row.account === undefined ? undefined : createAccountLookup(session, given.options);
}

/** Returns the account fields that the operation has. The mode of the key applies only to operations of one account. */
function selectAccountFields({ fields }: Operation, { account }: CommandRow, found: Values = {}): Values {
  const takes = (name: string): boolean =>
    fields.some((field) => field.name === name) && (account === 'own' || name !== 'mode');
  return Object.fromEntries(Object.entries(found).filter(([name]) => takes(name)));
}
