import type { RequestLog } from '../state/request-log.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { createFindEffects } from './effects.ts';
import { type RequestView, toRequestView } from './request-view.ts';
import { describeFilter, filterFields, type RequestFilter, readFilter } from './request-filter.ts';
import { type AccountRef, findAccount } from './locate.ts';
import { readLimits, type WaitTimeoutOptions } from './wait.ts';

/** The most recent requests to the service, including rejected ones. */
export interface RequestLogControl {
  /**
   * Returns requests, oldest first.
   *
   * @throws {SandboxError} for an invalid filter, and when the request log is off
   */
  readonly list: (filter?: RequestFilter) => readonly RequestView[];
  /**
   * Waits until `count` requests that match the filter have a response, and returns them. Rejects with a
   * `SandboxError` of the code `timeout` that states the number found.
   *
   * @example
   * await mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 1 });
   */
  readonly waitFor: (
    filter: RequestFilter & { readonly count: number },
    options?: WaitTimeoutOptions,
  ) => Promise<readonly RequestView[]>;
  /** Removes the requests of an account, or all requests. Does not change `dropped`. */
  readonly clear: (account?: AccountRef) => void;
  /** The number of requests that were dropped to stay within the limits. */
  readonly dropped: number;
}

// Captured at load time: fake timers that a test installs later must not block a wait.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the request log control of a sandbox. */
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
    const lost = requestLog.dropped() === 0 ? '' : ` Dropped requests: ${requestLog.dropped()}.`;
    const message = `${find().length} of ${count} requests ${describeFilter(filter)}had a response within ${timeout} ms.${lost}`;
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
