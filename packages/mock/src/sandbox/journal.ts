import type { Journal } from '../world/journal.ts';
import type { RequestRecord } from '../world/request-record.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { World } from '../world/world.ts';
import { checkArguments } from './arguments.ts';
import { createFindConsequences } from './consequences.ts';
import { type JournalEntry, toJournalEntry } from './journal-entry.ts';
import { describeFilter, filterFields, type JournalFilter, readFilter } from './journal-filter.ts';
import { type AccountRef, findAccount } from './locate.ts';
import { readLimits, type WaitOptions } from './wait.ts';

/** Shows the requests that reached the service, also those that it refused; the last ones, within bounds. */
export interface JournalControl {
  /** Lists requests, oldest first. Throws `SandboxError` for a bad filter, and when the journal is off. */
  readonly requests: (filter?: JournalFilter) => readonly JournalEntry[];
  /**
   * Waits until so many requests have been answered that match a filter, and lists them; at once when they have been.
   * Rejects with a `SandboxError` 'timeout' that says how many there were.
   *
   * @example
   * await mock.sandbox.journal.waitFor({ operation: 'createPayment', count: 1 });
   */
  readonly waitFor: (
    filter: JournalFilter & { readonly count: number },
    options?: WaitOptions,
  ) => Promise<readonly JournalEntry[]>;
  /** Forgets the requests of an account; without one all requests. It leaves `dropped` as it is. */
  readonly clear: (account?: AccountRef) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: number;
}

// Kept from load time, so that fake timers installed later cannot freeze a wait.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the control of the journal. */
export function createJournalControl(world: World, journal: Journal): JournalControl {
  return {
    requests(filter = {}) {
      requireOn(journal);
      checkArguments('journal.requests', filter, filterFields);
      return show(journal.list().filter(readFilter(world, filter)));
    },
    async waitFor(wanted, options = {}) {
      requireOn(journal);
      checkArguments('journal.waitFor', wanted, [...filterFields, 'count']);
      const { count, ...filter } = wanted;
      const wait = { filter, matches: readFilter(world, filter), count: readCount(count, journal.capacity) };
      return show(await waitForRecords(journal, { ...wait, ...readLimits('journal.waitFor', options) }));
    },
    clear: (account) => journal.clear(account === undefined ? undefined : findAccount(world, account).id),
    get dropped() {
      return journal.dropped();
    },
  };
}

function show(records: readonly RequestRecord[]): JournalEntry[] {
  const findConsequences = createFindConsequences();
  return records.map((record) => toJournalEntry(record, findConsequences));
}

interface Wait {
  readonly filter: JournalFilter;
  readonly matches: (record: RequestRecord) => boolean;
  readonly count: number;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

async function waitForRecords(
  journal: Journal,
  { filter, matches, count, timeout, signal }: Wait,
): Promise<readonly RequestRecord[]> {
  const find = (): RequestRecord[] =>
    journal.list().filter((record) => record.answer !== null && matches(record));
  const { promise, resolve, reject } = Promise.withResolvers<readonly RequestRecord[]>();
  const look = (): void => {
    const found = find();
    if (found.length >= count) resolve(found);
  };
  const abort = (): void => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const unwatch = journal.watch(look);
  const timer = setTimeout(() => {
    const lost = journal.dropped() === 0 ? '' : ` Dropped to stay within bounds: ${journal.dropped()}.`;
    const message = `${find().length} of ${count} requests ${describeFilter(filter)}were answered within ${timeout} ms.${lost}`;
    reject(new SandboxError('timeout', message));
  }, timeout);
  try {
    look();
    return await promise;
  } finally {
    unwatch();
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function requireOn({ capacity }: Journal): void {
  if (capacity > 0) return;
  const message = "The journal is off; create the mock without journal: 'off' to read it.";
  throw new SandboxError('invalid_state', message);
}

function readCount(count: unknown, capacity: number): number {
  if (Number.isInteger(count) && Number(count) >= 1 && Number(count) <= capacity) return Number(count);
  const message = `count must be a whole number from 1 to ${capacity}, which is what the journal keeps, not ${String(count)}.`;
  throw new SandboxError('invalid_argument', message);
}
