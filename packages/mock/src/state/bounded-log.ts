import type { LoggedRequest } from './logged-request.ts';
import { createRingBuffer } from './ring-buffer.ts';

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
function measure({ path, search, headers, body, response: answer }: LoggedRequest): number {
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0);
  for (const [name, value] of headers) size += name.length + value.length;
  if (answer !== null && answer !== 'connection_lost') size += answer.body?.length ?? 0;
  return size;
}
