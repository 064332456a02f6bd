import type { LoggedResponse, LoggedRequest } from './logged-request.ts';

/** A first-in, first-out buffer. */
interface RingBuffer<Item> {
  readonly count: () => number;
  /** Adds an item at the end. There must be room for it. */
  readonly push: (item: Item) => void;
  /** Removes and returns the oldest item; undefined if there is none. */
  readonly shift: () => Item | undefined;
  /** Returns the items, oldest first. */
  readonly list: () => Item[];
}

/** Creates an empty buffer with room for `capacity` + 1 items. Adding and removing take constant time. */
function createRingBuffer<Item>(capacity: number): RingBuffer<Item> {
  const room = capacity + 1;
  const slots: (Item | undefined)[] = [];
  let start = 0;
  let count = 0;
  const shift = (): Item | undefined => {
    if (count === 0) return undefined;
    const oldest = slots[start];
    // The empty slot must not keep the item in memory.
    slots[start] = undefined;
    start = (start + 1) % room;
    count -= 1;
    return oldest;
  };
  return {
    count: () => count,
    push(item) {
      slots[(start + count) % room] = item;
      count += 1;
    },
    shift,
    list: () => Array.from({ length: count }, (_, index) => slots[(start + index) % room] as Item),
  };
}

/** The limits of a request log. */
export interface RequestLogBounds {
  /** Maximum number of requests; 0 turns the log off. */
  readonly requests: number;
  /** Maximum number of characters over all requests. */
  readonly characters: number;
}

/** The most recent requests within limits. Adding a request drops the oldest ones. */
interface BoundedLog {
  readonly add: (record: LoggedRequest) => void;
  /** Measures a request again after its texts have changed. */
  readonly weigh: (record: LoggedRequest) => void;
  /** Returns the requests in the order of their arrival. */
  readonly list: () => LoggedRequest[];
  /** Removes the other requests. They do not count as dropped. */
  readonly retain: (isKept: (record: LoggedRequest) => boolean) => void;
  /** Returns the number of requests that were dropped to stay within the limits. */
  readonly dropped: () => number;
}

/** The size of a request without its texts, in characters. */
const OVERHEAD = 512;

/** Creates an empty log. */
function createBoundedLog({ requests, characters }: RequestLogBounds): BoundedLog {
  const ringBuffer = createRingBuffer<LoggedRequest>(requests);
  let used = 0;
  let dropped = 0;

  const takeOldest = (): LoggedRequest | undefined => {
    const oldest = ringBuffer.shift();
    if (oldest === undefined) return undefined;
    used -= oldest.size;
    oldest.size = 0;
    return oldest;
  };
  const isOver = (): boolean => ringBuffer.count() > requests || used > characters;
  const makeRoom = (): void => {
    while (isOver() && takeOldest() !== undefined) dropped += 1;
  };
  const add = (record: LoggedRequest): void => {
    record.size = measure(record);
    used += record.size;
    ringBuffer.push(record);
    makeRoom();
  };
  const weigh = (record: LoggedRequest): void => {
    // The log may have dropped the request in the meantime.
    if (record.size === 0) return;
    used -= record.size;
    record.size = measure(record);
    used += record.size;
    makeRoom();
  };
  const retain: BoundedLog['retain'] = (isKept) => {
    const kept = ringBuffer.list().filter(isKept);
    while (takeOldest() !== undefined);
    kept.forEach(add);
  };
  return { add, weigh, list: ringBuffer.list, retain, dropped: () => dropped };
}

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

/** Creates an empty request log. */
export function createRequestLog(bounds: RequestLogBounds): RequestLog {
  const archive = createBoundedLog(bounds);
  const listeners = new Set<(record: LoggedRequest) => void>();
  const isOn = bounds.requests > 0;
  return {
    capacity: bounds.requests,
    add: isOn ? archive.add : () => {},
    complete(record, response) {
      record.response = response;
      archive.weigh(record);
      for (const listener of listeners) listener(record);
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
