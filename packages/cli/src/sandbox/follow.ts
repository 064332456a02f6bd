import { type JsonObject, toRecord } from '@service/internal';
import type { Session } from '../session.ts';
import { type Control, createUnreadableError, readList } from './control.ts';
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
  readonly fields: Values;
  readonly print: (rows: readonly JsonObject[]) => Promise<void>;
}

/**
 * Prints the rows of a list, and then each new or changed row, until the run is interrupted. Reads the list again when
 * something in the mock has changed.
 *
 * @throws {ControlError} when the mock does not respond, or rejects a request.
 */
export async function followList(
  { signal, clock }: Session,
  control: Control,
  { id, name, fields, print }: FollowedList,
): Promise<void> {
  let printed = new Map<unknown, string>();
  let version: string | undefined;
  while (!signal.aborted) {
    try {
      const found = await readVersion(control);
      if (found !== version) {
        // A reset starts again with the same ids.
        if (found.split('-')[0] !== version?.split('-')[0]) printed.clear();
        version = found;
        const states = new Map<unknown, string>();
        const rows = (await readList(control, id, name, fields)).filter((row) => {
          const state = lists[id]?.(row);
          if (state !== undefined) states.set(row.id, state);
          return state !== undefined && state !== printed.get(row.id);
        });
        printed = states;
        await print(rows);
      }
    } catch (error) {
      if (signal.aborted) return;
      throw error;
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
