import type { RequestRecord } from './request-record.ts';
import { createRing } from './ring.ts';

/** Bounds an archive. */
export interface ArchiveBounds {
  /** How many requests are kept; 0 keeps none. */
  readonly requests: number;
  /** How many characters of text are kept, over all requests. */
  readonly characters: number;
}

/** Keeps the last requests, within bounds: the oldest ones make room for new ones. */
export interface Archive {
  readonly add: (record: RequestRecord) => void;
  /** Counts anew what a request takes, now that its texts have changed. */
  readonly weigh: (record: RequestRecord) => void;
  /** Lists the requests in the order in which they were added. */
  readonly list: () => RequestRecord[];
  /** Takes out all requests that are not to be kept; they do not count as dropped. */
  readonly retain: (isKept: (record: RequestRecord) => boolean) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: () => number;
}

/** Stands for what a request takes besides its texts. */
const OVERHEAD = 512;

/** Creates an empty archive. */
export function createArchive({ requests, characters }: ArchiveBounds): Archive {
  const ring = createRing<RequestRecord>(requests);
  let used = 0;
  let dropped = 0;

  const takeOldest = (): RequestRecord | undefined => {
    const oldest = ring.shift();
    if (oldest === undefined) return undefined;
    used -= oldest.size;
    oldest.size = 0;
    return oldest;
  };
  const isOver = (): boolean => ring.count() > requests || used > characters;
  const makeRoom = (): void => {
    while (isOver() && takeOldest() !== undefined) dropped += 1;
  };
  const add = (record: RequestRecord): void => {
    record.size = measure(record);
    used += record.size;
    ring.push(record);
    makeRoom();
  };
  const weigh = (record: RequestRecord): void => {
    // One that was taken out in the meantime counts no more.
    if (record.size === 0) return;
    used -= record.size;
    record.size = measure(record);
    used += record.size;
    makeRoom();
  };
  const retain: Archive['retain'] = (isKept) => {
    const kept = ring.list().filter(isKept);
    while (takeOldest() !== undefined);
    kept.forEach(add);
  };
  return { add, weigh, list: ring.list, retain, dropped: () => dropped };
}

/** Counts the characters of a request and its answer. */
function measure({ path, search, headers, body, answer }: RequestRecord): number {
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0);
  for (const [name, value] of headers) size += name.length + value.length;
  if (answer !== null && answer !== 'connection_lost') size += answer.body?.length ?? 0;
  return size;
}
