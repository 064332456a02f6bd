import { type ExitCode, exitCodes } from '../exit-code.ts';
import { checkStdin, readSecret, readText } from '../input.ts';
import { parseJson } from '../json.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { findList, toAnswerLines } from './answer-lines.ts';
import { openControl, unreadable } from './control.ts';
import { collectFields, type Given } from './flags.ts';
import { type Locate, locate, readUsableKey } from './locate.ts';
import type { Operation } from './operations.ts';
import type { CommandRow } from './rows.ts';
import type { Values } from './values.ts';

/** Names one command and what it was given. */
export type Order = { readonly row: CommandRow; readonly operation: Operation; readonly given: Given };

/** Carries out one operation of the control and shows its answer. Throws ControlError, UsageError. */
export async function steer(session: Session, order: Order): Promise<ExitCode> {
  const { row, operation } = order;
  const { args, options } = order.given;
  checkStdin([session.globals().keyFile, options.secretFile, row.isFile ? args[0] : undefined]);
  // All that can be wrong here is found before anything is sent.
  const input = await readInput(session, order);
  const whose = await readWhose(session, order);
  const control = await openControl(session);
  const located = await whose?.(control);
  const answer = await control.call(
    operation,
    input instanceof Uint8Array ? input : { ...select(operation, row, located), ...input },
  );
  if (row.columns !== undefined && findList(answer) === undefined) throw unreadable(operation);
  const { output } = session;
  const show = row.reveals ? output.reveal : output.result;
  await show(answer ?? {}, toAnswerLines(answer, row));
  return exitCodes.ok;
}

async function readInput(session: Session, { row, operation, given }: Order): Promise<Values | Uint8Array> {
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
  if (parseJson(text) === undefined) throw new UsageError(`${JSON.stringify(path)} does not hold JSON.`);
  return Buffer.from(text);
}

async function readWhose(session: Session, { row, given }: Order): Promise<Locate | undefined> {
  return row.account === undefined ? undefined : locate(session, given.options);
}

/** Keeps what the operation takes of where a key leads; the mode only where the account is one alone. */
function select({ fields }: Operation, { account }: CommandRow, located: Values = {}): Values {
  const takes = (name: string): boolean =>
    fields.some((field) => field.name === name) && (account === 'own' || name !== 'mode');
  return Object.fromEntries(Object.entries(located).filter(([name]) => takes(name)));
}
