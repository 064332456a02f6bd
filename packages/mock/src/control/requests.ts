import type { RequestLog } from '../state/request-log.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { createFindEffects } from './effects.ts';
import { type RequestView, toRequestView } from './request-view.ts';
import { describeFilter, filterFields, type RequestFilter, readFilter } from './request-filter.ts';
import { type AccountRef, findAccount } from './locate.ts';
import { readLimits, type WaitOptions } from './wait.ts';

/** Shows the requests that reached the service, also those that it refused; the last ones, within bounds. */
export interface RequestLogControl {
  /** Lists requests, oldest first. Throws `SandboxError` for a bad filter, and when the journal is off. */
  readonly list: (filter?: RequestFilter) => readonly RequestView[];
  /**
   * Waits until so many requests have been answered that match a filter, and lists them; at once when they have been.
   * Rejects with a `SandboxError` 'timeout' that says how many there were.
   *
   * @example
   * await mock.sandbox.journal.waitFor({ operation: 'createPayment', count: 1 });
   */
  readonly waitFor: (
    filter: RequestFilter & { readonly count: number },
    options?: WaitOptions,
  ) => Promise<readonly RequestView[]>;
  /** Forgets the requests of an account; without one all requests. It leaves `dropped` as it is. */
  readonly clear: (account?: AccountRef) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: number;
}

// Kept from load time, so that fake timers installed later cannot freeze a wait.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the control of the journal. */
export function createRequestLogControl(state: State, requestLog: RequestLog): RequestLogControl {
  return {
    list(filter = {}) {
      requireOn(requestLog);
      checkArguments('requests.list', filter, filterFields);
      return toViews(requestLog.list().filter(readFilter(state, filter)));
    },
    async waitFor(wanted, options = {}) {
      requireOn(requestLog);
      checkArguments('requests.waitFor', wanted, [...filterFields, 'count']);
      const { count, ...filter } = wanted;
      const wait = {
        filter,
        matches: readFilter(state, filter),
        count: readCount(count, requestLog.capacity),
      };
      return toViews(
        await waitForRecords(requestLog, { ...wait, ...readLimits('requests.waitFor', options) }),
      );
    },
    clear: (account) => requestLog.clear(account === undefined ? undefined : findAccount(state, account).id),
    get dropped() {
      return requestLog.dropped();
    },
  };
}

function toViews(records: readonly LoggedRequest[]): RequestView[] {
  const findEffects = createFindEffects();
  return records.map((record) => toRequestView(record, findEffects));
}

interface PendingWait {
  readonly filter: RequestFilter;
  readonly matches: (record: LoggedRequest) => boolean;
  readonly count: number;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

async function waitForRecords(
  requestLog: RequestLog,
  { filter, matches, count, timeout, signal }: PendingWait,
): Promise<readonly LoggedRequest[]> {
  const find = (): LoggedRequest[] =>
    requestLog.list().filter((record) => record.response !== null && matches(record));
  const { promise, resolve, reject } = Promise.withResolvers<readonly LoggedRequest[]>();
  const check = (): void => {
    const found = find();
    if (found.length >= count) resolve(found);
  };
  const abort = (): void => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const unwatch = requestLog.watch(check);
  const timer = setTimeout(() => {
    const lost = requestLog.dropped() === 0 ? '' : ` Dropped to stay within bounds: ${requestLog.dropped()}.`;
    const message = `${find().length} of ${count} requests ${describeFilter(filter)}were answered within ${timeout} ms.${lost}`;
    reject(new SandboxError('timeout', message));
  }, timeout);
  try {
    check();
    return await promise;
  } finally {
    unwatch();
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function requireOn({ capacity }: RequestLog): void {
  if (capacity > 0) return;
  const message = "The request log is off; create the mock without requestLog: 'off' to read it.";
  throw new SandboxError('invalid_state', message);
}

function readCount(count: unknown, capacity: number): number {
  if (Number.isInteger(count) && Number(count) >= 1 && Number(count) <= capacity) return Number(count);
  const message = `count must be a whole number from 1 to ${capacity}, the capacity of the request log, not ${String(count)}.`;
  throw new SandboxError('invalid_argument', message);
}
