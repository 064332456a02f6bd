import type { LoggedResponse, LoggedRequest } from './logged-request.ts';

/** The limits of a request log. */
export interface RequestLogBounds {
  /** Maximum number of requests; 0 turns the log off. */
  readonly requests: number;
  /** Maximum number of characters over all requests. */
  readonly characters: number;
}

/** The size of a request without its texts, in characters. */
const OVERHEAD = 512;

/** Returns the number of characters of a request and its response. */
function measure({ path, search, headers, body, response }: LoggedRequest): number {
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0);
  for (const [name, value] of headers) size += name.length + value.length;
  if (response !== null && response !== 'connection_lost') size += response.body?.length ?? 0;
  return size;
}

/** The request log of a sandbox. */
export interface RequestLog {
  /** Maximum number of requests; 0 when it is off. */
  readonly capacity: number;
  /** Adds a request on arrival. */
  readonly add: (record: LoggedRequest) => void;
  /** Adds the response to a request. */
  readonly complete: (record: LoggedRequest, response: LoggedResponse) => void;
  /** Returns the requests in the order of their arrival. */
  readonly list: () => readonly LoggedRequest[];
  /** Removes the requests of an account, or all requests. */
  readonly clear: (account?: string) => void;
  /** Returns the number of requests that were dropped to stay within the limits. */
  readonly dropped: () => number;
  /** Calls a listener after each response. Returns a function that removes it. */
  readonly watch: (listener: (record: LoggedRequest) => void) => () => void;
}

/** Creates an empty request log. Adding a request drops the oldest ones over the limits. */
export function createRequestLog({ requests, characters }: RequestLogBounds): RequestLog {
  const records = new Set<LoggedRequest>();
  const listeners = new Set<(record: LoggedRequest) => void>();
  let used = 0;
  let dropped = 0;
  const remove = (record: LoggedRequest): void => {
    records.delete(record);
    used -= record.size;
    record.size = 0;
  };
  const weigh = (record: LoggedRequest): void => {
    const size = measure(record);
    used += size - record.size;
    record.size = size;
    for (const oldest of records) {
      if (records.size <= requests && used <= characters) return;
      remove(oldest);
      dropped += 1;
    }
  };
  return {
    capacity: requests,
    add(record) {
      if (requests === 0) return;
      records.add(record);
      weigh(record);
    },
    complete(record, response) {
      record.response = response;
      // The log may have dropped the request in the meantime.
      if (record.size > 0) weigh(record);
      for (const listener of listeners) listener(record);
    },
    list: () => [...records],
    clear(account) {
      for (const record of records) if (account === undefined || record.account === account) remove(record);
    },
    dropped: () => dropped,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
