import { type JsonObject, toRecord } from '@service/internal';
import { ControlError } from '../errors.ts';
import { exitCodes, type Session } from '../session.ts';
import { type Control, createUnreadableError, openControl, readControlUrl, readList } from './control.ts';
import type { Values } from './document.ts';

/** Returns the part of a row whose changes are printed. Undefined for a row that is not printed yet. */
type ReadState = (row: JsonObject) => string | undefined;

/** The lists with `--follow`, by the id of their operation. */
const lists: Readonly<Record<string, ReadState>> = {
  // A request is printed once, with its response. A reset starts again with the same ids.
  listRequests: ({ at, path, response }) =>
    response === null ? undefined : JSON.stringify([at, path, toRecord(response).status]),
  listDeliveries: ({ attempts, state }) => JSON.stringify([state, attempts]),
};

/** Returns whether a list can be followed. */
export function canFollow(operation: string): boolean {
  return Object.hasOwn(lists, operation);
}

/** Time between two questions for changes, in milliseconds. */
const INTERVAL = 1_000;

/** A list to follow. */
interface FollowedList {
  /** The id of its operation. */
  readonly id: string;
  /** The name of the list in the response. */
  readonly name: string;
  /** Returns the fields of the operation, for the mock that responds. */
  readonly findFields: (control: Control) => Promise<Values>;
  readonly print: (rows: readonly JsonObject[]) => Promise<void>;
}

/**
 * Prints the rows of a list, and then each new or changed row, until the run is interrupted. Reads the list again when
 * something in the mock has changed.
 *
 * @throws {ControlError} when the mock does not respond at first, or rejects a request.
 */
export async function followList(
  session: Session,
  first: Control,
  { id, name, findFields, print }: FollowedList,
): Promise<void> {
  const { signal, clock, output } = session;
  const readState = lists[id];
  let printed = new Map<unknown, string>();
  let control: Control | undefined = first;
  let fields: Values | undefined;
  let version: string | undefined;
  let isConnected = false;
  while (!signal.aborted) {
    try {
      if (control === undefined) {
        control = await openControl(session);
        output.note('The mock responds again.');
      }
      fields ??= await findFields(control);
      const found = await readVersion(control);
      if (found !== version) {
        // A reset starts again with the same ids. After a restart, the rows of a data file are the printed ones.
        const isReset = isConnected && found.split('-')[0] !== version?.split('-')[0];
        if (isReset) printed.clear();
        const states = new Map<unknown, string>();
        const rows = (await readList(control, id, name, fields)).filter((row) => {
          const state = readState?.(row);
          if (state !== undefined) states.set(row.id, state);
          return state !== undefined && state !== printed.get(row.id);
        });
        printed = states;
        version = found;
        isConnected = true;
        await print(rows);
      }
    } catch (error) {
      if (signal.aborted) break;
      if (version === undefined || !(error instanceof ControlError) || error.exitCode === exitCodes.refused)
        throw error;
      if (control !== undefined)
        output.note(`The mock at ${readControlUrl(session).origin} does not respond. Waiting until it does.`);
      // Another process can respond, with other accounts.
      control = fields = undefined;
      isConnected = false;
    }
    if (!signal.aborted) await clock.sleep(INTERVAL, signal);
  }
}

/** Returns a text that is another one after each change. Its part before a hyphen is another one after a reset. */
async function readVersion({ call }: Control): Promise<string> {
  const { version } = toRecord(await call('getChanges'));
  if (typeof version !== 'string') throw createUnreadableError('getChanges');
  return version;
}
