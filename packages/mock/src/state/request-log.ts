import { type RequestLogBounds, createBoundedLog } from './bounded-log.ts';
import type { LoggedResponse, LoggedRequest } from './logged-request.ts';

/** Keeps the last requests, within bounds. */
export interface RequestLog {
  /** How many requests it keeps at most; 0 when it is off. */
  readonly capacity: number;
  /** Enters a request as it arrives. */
  readonly add: (record: LoggedRequest) => void;
  /** Enters the answer of a request. */
  readonly complete: (record: LoggedRequest, answer: LoggedResponse) => void;
  /** Lists the requests in the order in which they arrived. */
  readonly list: () => readonly LoggedRequest[];
  /** Forgets the requests of one account, by its id, or all of them. */
  readonly clear: (account?: string) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: () => number;
  /** Calls a listener after each answer, until the function that it returns is called. */
  readonly watch: (listener: () => void) => () => void;
}

/** Creates an empty journal. */
export function createRequestLog(bounds: RequestLogBounds): RequestLog {
  const archive = createBoundedLog(bounds);
  const listeners = new Set<() => void>();
  const isOn = bounds.requests > 0;
  return {
    capacity: bounds.requests,
    add: isOn ? archive.add : () => {},
    complete(record, answer) {
      record.response = answer;
      archive.weigh(record);
      for (const listener of listeners) listener();
    },
    list: archive.list,
    clear: (account) => archive.retain((record) => account !== undefined && record.account !== account),
    dropped: archive.dropped,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
