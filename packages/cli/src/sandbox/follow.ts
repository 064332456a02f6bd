import { isRecord, type JsonObject, runClock, toRecord } from '@service/internal';
import { ControlError } from '../errors.ts';
import { type ExitCode, exitCodes, type Session } from '../session.ts';
import { createTable, type Table } from '../table.ts';
import {
  type AccountLookup,
  type Control,
  createUnreadableError,
  openControl,
  readControlUrl,
} from './control.ts';
import type { Values } from './operations.ts';

/** A list that can be followed. */
interface FollowedList {
  /** The id of the operation that lists its rows, newest first. */
  readonly operation: string;
  /** The name of its rows in the changes. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Returns the part of a row whose changes are printed. Undefined for a row that is not printed yet. */
  readonly readState: (row: JsonObject) => string | undefined;
  /** Returns whether a row matches the filter. */
  readonly matches: (row: JsonObject, filter: Values) => boolean;
}

function hasFields(row: JsonObject, filter: Values): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || row[name] === value);
}

/** The lists with `--follow`, by the id of the operation of their command. */
const lists: Readonly<Record<string, FollowedList>> = {
  listRequests: {
    operation: 'listRequestSummaries',
    name: 'requests',
    columns: ['at', 'method', 'path', 'status', 'fault', 'id', 'payment_id', 'account', 'mode'],
    // A request is printed once, with its response.
    readState: ({ at, path, status }) =>
      status === null ? undefined : [at, path, status].map(String).join(' '),
    matches: ({ at, ...row }, { since, ...filter }) =>
      hasFields(row, filter) && (typeof since !== 'string' || Date.parse(String(at)) >= Date.parse(since)),
  },
  listDeliveries: {
    operation: 'listDeliverySummaries',
    name: 'deliveries',
    columns: ['id', 'event', 'state', 'attempts', 'payment_id', 'next_at'],
    readState: ({ attempts, state }) => `${Number(attempts)} ${String(state)}`,
    matches: hasFields,
  },
};

/** Returns whether a command has `--follow`. */
export function canFollow(operation: string): boolean {
  return Object.hasOwn(lists, operation);
}

/** Time between two questions for changes, in milliseconds. */
const INTERVAL = 1_000;
/** Maximum number of rows in one response. */
const PAGE = 1_000;

/** The list to follow. */
export interface FollowOptions {
  /** The id of the operation of the command. */
  readonly operation: string;
  readonly input: Values;
  /** Returns the fields of the selected account that the operation takes. */
  readonly findAccount: AccountLookup;
}

/**
 * Prints the rows of a list, and then each new or changed row, until the run is interrupted.
 *
 * @throws {ControlError} when the mock does not respond at first, or rejects a request.
 */
export async function followList(
  session: Session,
  { operation, input, findAccount }: FollowOptions,
): Promise<ExitCode> {
  const list = lists[operation];
  if (list === undefined) throw new Error(`The rows of ${operation} cannot be followed.`);
  const printer = createRowPrinter(session, list);
  const { signal, clock = runClock } = session.environment;
  const { note } = session.output;
  let control: Control | undefined;
  let since: unknown;
  let filter: Values = input;
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
      const page = toRecord(await control.call('listChanges', { since, limit: PAGE }));
      if (typeof page.cursor !== 'string') throw createUnreadableError('listChanges');
      const isReset = page.isReset === true;
      // A reset starts again with the same ids. After a restart, the rows of a data file are the printed ones.
      if (isReset && !isNew) printer.forget();
      const rows = isReset ? await readRows(control, list, filter) : toRows(page[list.name]);
      await printer.print(rows.filter((row) => list.matches(row, filter)));
      if (isReset && isNew) printer.retain(rows);
      ({ cursor: since, hasMore } = page);
    } catch (error) {
      if (signal.aborted) break;
      const isFirst = since === undefined;
      if (isFirst || !(error instanceof ControlError) || error.isRefusal) throw error;
      if (!isLost)
        note(`The mock at ${readControlUrl(session).origin} does not respond. Waiting until it does.`);
      isLost = true;
      control = undefined;
    }
    if (hasMore !== true && !signal.aborted) await clock.sleep(INTERVAL, signal);
  }
  return exitCodes.ok;
}

interface RowPrinter {
  /** Prints the rows that are new or have changed. */
  readonly print: (rows: readonly JsonObject[]) => Promise<void>;
  readonly forget: () => void;
  /** Forgets the other rows. */
  readonly retain: (rows: readonly JsonObject[]) => void;
}

function createRowPrinter({ output }: Session, { columns, readState }: FollowedList): RowPrinter {
  const table = createTable(
    columns.map((field) => ({ field })),
    output.terminal,
  );
  const printed = new Map<unknown, string>();
  const isUpdate = (row: JsonObject): boolean => {
    const state = readState(row);
    if (state === undefined || state === printed.get(row.id)) return false;
    printed.set(row.id, state);
    return true;
  };
  return {
    async print(rows) {
      const updates = rows.filter(isUpdate);
      if (output.json) for (const row of updates) await output.result(row, []);
      else if (updates.length > 0)
        await output.result(undefined, toLines(updates, table, output.terminal.isTTY));
    },
    forget: () => printed.clear(),
    retain(rows) {
      const ids = new Set(rows.map(({ id }) => id));
      for (const id of printed.keys()) if (!ids.has(id)) printed.delete(id);
    },
  };
}

/** Formats rows. On a terminal a time has no date, because a relative time would become wrong while it is shown. */
function toLines(rows: readonly JsonObject[], table: Table, isTTY: boolean): ReturnType<Table> {
  if (!isTTY) return table(rows);
  return table(rows.map(({ at, ...row }) => ({ ...row, at: String(at).slice(11, 19) })));
}

/** Reads all rows, oldest first. New rows that arrive between two pages shift the next one, so that it repeats rows. */
async function readRows(
  control: Control,
  { operation }: FollowedList,
  filter: Values,
): Promise<JsonObject[]> {
  const rows = new Map<unknown, JsonObject>();
  const { account, mode } = filter;
  for (let offset = 0, total = Infinity; offset < total; offset += PAGE) {
    const page = toRecord(await control.call(operation, { account, mode, limit: PAGE, offset }));
    if (!Array.isArray(page.rows)) throw createUnreadableError(operation);
    for (const row of toRows(page.rows)) rows.set(row.id, row);
    total = Number(page.total) || 0;
  }
  return [...rows.values()].toReversed();
}

function toRows(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
