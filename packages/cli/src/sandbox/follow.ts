import { isRecord, type JsonObject, toRecord } from '@service/internal';
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
  toRows,
} from './control.ts';
import type { Values } from './operations.ts';

/** A list that can be followed. */
interface FollowedList {
  /** The name of its rows in a response, which has the oldest one first. */
  readonly name: string;
  readonly columns: string;
  /** Converts an item of the response to a row. */
  readonly toRow: (item: JsonObject) => JsonObject;
  /** Returns the part of a row whose changes are printed. Undefined for a row that is not printed yet. */
  readonly readState: (row: JsonObject) => string | undefined;
}

/** The lists with `--follow`, by the id of the operation that lists them. */
const lists: Readonly<Record<string, FollowedList>> = {
  listRequests: {
    name: 'requests',
    columns: 'at method path status fault id payment_id account mode',
    toRow({ id, at, method, path, query, account, mode, operation, response, fault, effects }) {
      const status = isRecord(response) ? response.status : response;
      const { payment_id } = toRecord(effects);
      const { kind = null } = toRecord(fault);
      return { id, at, method, path, query, account, mode, operation, status, fault: kind, payment_id };
    },
    // A request is printed once, with its response.
    readState: ({ at, path, status }) =>
      status === null ? undefined : [at, path, status].map(String).join(' '),
  },
  listDeliveries: {
    name: 'deliveries',
    columns: 'id event state attempts payment_id next_at',
    toRow({ id, payment_id, event, state, attempts, next_at }) {
      const at = typeof next_at === 'number' ? new Date(next_at).toISOString() : null;
      return { id, payment_id, event, state, attempts: toRows(attempts).length, next_at: at };
    },
    readState: ({ attempts, state }) => `${Number(attempts)} ${String(state)}`,
  },
};

/** Returns whether a command has `--follow`. */
export function canFollow(operation: string): boolean {
  return Object.hasOwn(lists, operation);
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
  let filter = input;
  let [version, restores]: (string | undefined)[] = [];
  let isLost = false;
  /** Reads the newest rows, up to the first page with a printed one. */
  const read = async (asked: Control): Promise<JsonObject[]> => {
    const rows: JsonObject[] = [];
    for (let offset = 0, isEnd = false; !isEnd; offset += MAX_ROWS) {
      const page = toRecord(await asked.call(operation, { ...filter, limit: MAX_ROWS, offset }));
      if (!Array.isArray(page[list.name])) throw createUnreadableError(operation);
      const found = toRows(page[list.name]).map(list.toRow);
      rows.unshift(...found);
      isEnd = found.length < MAX_ROWS || found.some(({ id }) => printed.has(id));
    }
    return rows;
  };
  while (!signal.aborted) {
    try {
      // After a lost connection another process can answer, with other accounts.
      const isNew = control === undefined;
      control ??= await openControl(session);
      if (isNew) filter = { ...(await findAccount(control)), ...input };
      if (isLost) note('The mock responds again.');
      isLost = false;
      const next = toRecord(await control.call('getChanges', {})).version;
      if (typeof next !== 'string') throw createUnreadableError('getChanges');
      if (isNew || next !== version) {
        const [era = '']: string[] = next.split('-');
        // A reset starts again with the same ids. After a restart, the rows of a data file are the printed ones.
        if (era !== restores && !isNew) printed.clear();
        await print(await read(control));
        [version, restores] = [next, era];
      }
    } catch (error) {
      if (signal.aborted) break;
      if (version === undefined || !(error instanceof ControlError) || error.exitCode === exitCodes.refused)
        throw error;
      if (!isLost)
        note(`The mock at ${readControlUrl(session).origin} does not respond. Waiting until it does.`);
      isLost = true;
      control = undefined;
    }
    if (!signal.aborted) await clock.sleep(INTERVAL, signal);
  }
}
