import type { LoggedResponse, LoggedRequest } from './logged-request.ts';

/** Keeps items in the order in which they came. */
export interface RingBuffer<Item> {
  readonly count: () => number;
  /** Adds an item behind the last; there must be room. */
  readonly push: (item: Item) => void;
  /** Takes the oldest item out; undefined when there is none. */
  readonly shift: () => Item | undefined;
  /** Lists the items, oldest first. */
  readonly list: () => Item[];
}

/** Creates an empty ring with room for so many items and one more; adding and taking cost the same however many there are. */
export function createRingBuffer<Item>(capacity: number): RingBuffer<Item> {
  const room = capacity + 1;
  const slots: (Item | undefined)[] = [];
  let start = 0;
  let count = 0;
  const shift = (): Item | undefined => {
    if (count === 0) return undefined;
    const oldest = slots[start];
    // An item that was taken out is not kept alive by its slot.
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

/** Bounds an archive. */
export interface RequestLogBounds {
  /** How many requests are kept; 0 keeps none. */
  readonly requests: number;
  /** How many characters of text are kept, over all requests. */
  readonly characters: number;
}

/** Keeps the last requests, within bounds: the oldest ones make room for new ones. */
export interface BoundedLog {
  readonly add: (record: LoggedRequest) => void;
  /** Counts anew what a request takes, now that its texts have changed. */
  readonly weigh: (record: LoggedRequest) => void;
  /** Lists the requests in the order in which they were added. */
  readonly list: () => LoggedRequest[];
  /** Takes out all requests that are not to be kept; they do not count as dropped. */
  readonly retain: (isKept: (record: LoggedRequest) => boolean) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: () => number;
}

/** Stands for what a request takes besides its texts. */
const OVERHEAD = 512;

/** Creates an empty archive. */
export function createBoundedLog({ requests, characters }: RequestLogBounds): BoundedLog {
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
    // One that was taken out in the meantime counts no more.
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

/** Counts the characters of a request and its answer. */
function measure({ path, search, headers, body, response }: LoggedRequest): number {
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0);
  for (const [name, value] of headers) size += name.length + value.length;
  if (response !== null && response !== 'connection_lost') size += response.body?.length ?? 0;
  return size;
}

/** Keeps the last requests, within bounds. */
export interface RequestLog {
  /** How many requests it keeps at most; 0 when it is off. */
  readonly capacity: number;
  /** Enters a request as it arrives. */
  readonly add: (record: LoggedRequest) => void;
  /** Enters the answer of a request. */
  readonly complete: (record: LoggedRequest, response: LoggedResponse) => void;
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
    complete(record, response) {
      record.response = response;
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
