import { type JsonObject, toRecord } from '@service/internal';
import { ControlError } from '../errors.ts';
import { exitCodes, type Session } from '../session.ts';
import { createTable } from '../terminal.ts';
import {
  type AccountLookup,
  type Control,
  createUnreadableError,
  MAX_ROWS,
  openControl,
  readControlUrl,
  readList,
  toRows,
} from './control.ts';
import type { Values } from './operations.ts';

/** A list that can be followed. */
interface FollowedList {
  /** The id of the operation that lists its rows, newest first. */
  readonly operation: string;
  /** The name of its rows in the changes. */
  readonly name: string;
  readonly columns: string;
  /** Returns the part of a row whose changes are printed. Undefined for a row that is not printed yet. */
  readonly readState: (row: JsonObject) => string | undefined;
}

/** The lists with `--follow`, by the id of the operation of their command. */
const lists: Readonly<Record<string, FollowedList>> = {
  listRequests: {
    operation: 'listRequestSummaries',
    name: 'requests',
    columns: 'at method path status fault id payment_id account mode',
    // A request is printed once, with its response.
    readState: ({ at, path, status }) =>
      status === null ? undefined : [at, path, status].map(String).join(' '),
  },
  listDeliveries: {
    operation: 'listDeliverySummaries',
    name: 'deliveries',
    columns: 'id event state attempts payment_id next_at',
    readState: ({ attempts, state }) => `${Number(attempts)} ${String(state)}`,
  },
};

/** Returns whether a command has `--follow`. */
export function canFollow(operation: string): boolean {
  return Object.hasOwn(lists, operation);
}

/** Whether a row has the fields of a filter. `since` is the first time. */
function matches(row: JsonObject, { since, ...filter }: Values): boolean {
  const isEqual = Object.entries(filter).every(([name, value]) => value === undefined || row[name] === value);
  return isEqual && (typeof since !== 'string' || Date.parse(String(row.at)) >= Date.parse(since));
}

/** Time between two questions for changes, in milliseconds. */
const INTERVAL = 1_000;

/**
 * Prints the rows of a list, and then each new or changed row, until the run is interrupted.
 *
 * @param operation The id of the operation of the command.
 * @param findAccount Returns the fields of the selected account that the operation takes.
 * @throws {ControlError} when the mock does not respond at first, or rejects a request.
 */
export async function followList(
  session: Session,
  operation: string,
  input: Values,
  findAccount: AccountLookup,
): Promise<void> {
  const list = lists[operation];
  if (list === undefined) throw new Error(`The rows of ${operation} cannot be followed.`);
  const { signal, clock, output } = session;
  const { note, terminal } = output;
  const fields = list.columns.split(' ').map((field) => ({ field }));
  const table = createTable(fields, terminal);
  /** The printed states by id. */
  const printed = new Map<unknown, string>();
  /** Prints the rows that are new or have changed. */
  const print = async (rows: readonly JsonObject[]): Promise<void> => {
    const updates = rows.filter((row) => {
      const state = list.readState(row);
      const isUpdate = state !== undefined && state !== printed.get(row.id);
      if (isUpdate) printed.set(row.id, state);
      return isUpdate;
    });
    // A relative time would become wrong while it is shown.
    const shown = updates.map(({ at, ...row }) => ({
      ...row,
      at: terminal.isTTY ? String(at).slice(11, 19) : at,
    }));
    if (output.json) for (const row of updates) await output.result(row, []);
    else if (updates.length > 0) await output.result(undefined, table(shown));
  };
  let control: Control | undefined;
  let since: unknown;
  let filter = input;
  let isLost = false;
  while (!signal.aborted) {
    let hasMore: unknown = false;
    try {
      // After a lost connection another process can answer, with other accounts.
      const isNew = control === undefined;
      control ??= await openControl(session);
      if (isNew) filter = { ...(await findAccount(control)), ...input };
      if (isLost) note('The mock responds again.');
      isLost = false;
      const page = toRecord(await control.call('listChanges', { since, limit: MAX_ROWS }));
      if (typeof page.cursor !== 'string') throw createUnreadableError('listChanges');
      const isReset = page.isReset === true;
      // A reset starts again with the same ids. After a restart, the rows of a data file are the printed ones.
      if (isReset && !isNew) printed.clear();
      const { account, mode } = filter;
      const rows = isReset
        ? await readList(control, list.operation, 'rows', { account, mode })
        : toRows(page[list.name]);
      await print(rows.filter((row) => matches(row, filter)));
      const ids = new Set(rows.map(({ id }) => id));
      if (isReset) for (const id of printed.keys()) if (!ids.has(id)) printed.delete(id);
      ({ cursor: since, hasMore } = page);
    } catch (error) {
      if (signal.aborted) break;
      if (since === undefined || !(error instanceof ControlError) || error.exitCode === exitCodes.refused)
        throw error;
      if (!isLost)
        note(`The mock at ${readControlUrl(session).origin} does not respond. Waiting until it does.`);
      isLost = true;
      control = undefined;
    }
    if (hasMore !== true && !signal.aborted) await clock.sleep(INTERVAL, signal);
  }
}
