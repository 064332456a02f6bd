import { type ArchiveBounds, createArchive } from './archive.ts';
import type { RecordedAnswer, RequestRecord } from './request-record.ts';

/** Keeps the last requests, within bounds. */
export interface Journal {
  /** How many requests it keeps at most; 0 when it is off. */
  readonly capacity: number;
  /** Enters a request as it arrives. */
  readonly enter: (record: RequestRecord) => void;
  /** Enters the answer of a request. */
  readonly settle: (record: RequestRecord, answer: RecordedAnswer) => void;
  /** Lists the requests in the order in which they arrived. */
  readonly list: () => readonly RequestRecord[];
  /** Forgets the requests of one account, by its id, or all of them. */
  readonly clear: (account?: string) => void;
  /** Counts the requests that were dropped to stay within the bounds. */
  readonly dropped: () => number;
  /** Calls a listener after each answer, until the function that it returns is called. */
  readonly watch: (listener: () => void) => () => void;
}

/** Creates an empty journal. */
export function createJournal(bounds: ArchiveBounds): Journal {
  const archive = createArchive(bounds);
  const listeners = new Set<() => void>();
  const isOn = bounds.requests > 0;
  return {
    capacity: bounds.requests,
    enter: isOn ? archive.add : () => {},
    settle(record, answer) {
      record.answer = answer;
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
