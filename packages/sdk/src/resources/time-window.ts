import type { Clock } from '../transport/clock.ts';
import { parseHttpDate } from '../values/http-date.ts';

/** The clock of the service minus the clock of the client, in milliseconds: at least `low`, at most `high`. */
interface ClockOffset {
  readonly low: number;
  readonly high: number;
}

/** Estimates how far the clock of the service is ahead of the clock of the client. */
export interface OffsetEstimate {
  /** Narrows the estimate by the `Date` header of a response to a request that was sent at `sentAt` or later. */
  readonly narrow: (headers: Headers, sentAt: Date) => void;
  /** Undefined when no response had a usable header, or when two contradict each other. */
  readonly get: () => ClockOffset | undefined;
}

/** Creates an estimate without any observation. */
export function createOffsetEstimate(clock: Clock): OffsetEstimate {
  let offset: ClockOffset | undefined = { low: -Infinity, high: Infinity };
  return {
    narrow: (headers, sentAt) => {
      const date = parseHttpDate(headers.get('date') ?? '');
      // A cache repeats the date of the response that it stored (RFC 9111, section 5.1).
      if (offset === undefined || Number.isNaN(date) || Number(headers.get('age')) > 0) return;
      // The header has whole seconds, so the response was made within the second that follows.
      const low = Math.max(offset.low, date - clock.date().getTime());
      const high = Math.min(offset.high, date + 1_000 - sentAt.getTime());
      offset = low > high ? undefined : { low, high };
    },
    get: () => (offset?.low === -Infinity ? undefined : offset),
  };
}

/**
 * The time of a payment relative to the create. `recent`: the create may have made it. `unclear`: it may have, if the clocks differ
 * that far or the time cannot be read. `older`: another create made it, unless the clocks differ further than expected.
 */
export type Age = 'recent' | 'unclear' | 'older';

/** The times that a payment of a create can have. */
export interface TimeWindow {
  readonly getAge: (createdAt: unknown) => Age;
  /** The time before which no record of the create is expected, by the clock of the service. */
  readonly start: number;
  /** Whether `start` rests on the clock of the service, so that a walk may end there. */
  readonly isCertain: boolean;
}

// Services often cut their timestamps to whole seconds, and their machines differ by some milliseconds.
const precision = 1_000;
/** The difference between two clocks that is expected when nothing is known of it. */
const assumedSkew = 2_000;

/** Creates the window of a create that was sent at `sentAt`, in milliseconds by the clock of the client. */
export function createWindow(
  { sentAt, clockSkew }: { readonly sentAt: number; readonly clockSkew: number },
  offset: ClockOffset | undefined,
): TimeWindow {
  const isCertain = offset !== undefined;
  const recent = isCertain ? sentAt + offset.low - precision : sentAt - Math.min(assumedSkew, clockSkew);
  const start = isCertain ? recent - clockSkew : sentAt - clockSkew;
  return {
    start,
    isCertain,
    getAge: (createdAt) => {
      const time = parseTime(createdAt);
      if (time >= recent) return 'recent';
      return time < (isCertain ? recent : start) ? 'older' : 'unclear';
    },
  };
}

const zonedTime = /\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** Parses a timestamp of the service (contract.md 8) into milliseconds; NaN for one without a UTC offset, which is ambiguous. */
export function parseTime(text: unknown): number {
  return typeof text === 'string' && zonedTime.test(text) ? Date.parse(addColon(text)) : Number.NaN;
}

/** Writes a UTC offset with a colon: not every `Date` parses one without. */
export function addColon(time: string): string {
  return time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}
