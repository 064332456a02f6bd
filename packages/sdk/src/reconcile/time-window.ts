import { parseTimestamp } from '@service/internal';
import type { Clock } from '../transport/clock.ts';
import { parseHttpDate } from '../transport/response.ts';

/** The bounds of the clock of the service minus the clock of the client, in milliseconds. */
interface ClockOffset {
  readonly low: number;
  readonly high: number;
}

/** An estimate of the difference between the clock of the service and the clock of the client. */
export interface OffsetEstimate {
  /** Narrows the estimate with the `Date` header of a response. `sentAt` is not later than its request. */
  readonly narrow: (headers: Headers, sentAt: Date) => void;
  /** Returns undefined if no response had a usable header, or if two headers contradict each other. */
  readonly get: () => ClockOffset | undefined;
}

/** Creates an estimate without observations. */
export function createOffsetEstimate(clock: Clock): OffsetEstimate {
  let offset: ClockOffset | undefined = { low: -Infinity, high: Infinity };
  return {
    narrow: (headers, sentAt) => {
      const date = parseHttpDate(headers.get('date') ?? '');
      // A cache repeats the date of the response that it stored (RFC 9111, section 5.1).
      if (offset === undefined || Number.isNaN(date) || Number(headers.get('age')) > 0) return;
      // The header is cut to whole seconds, so the response was created up to one second later.
      const low = Math.max(offset.low, date - clock.date().getTime());
      const high = Math.min(offset.high, date + 1_000 - sentAt.getTime());
      offset = low > high ? undefined : { low, high };
    },
    get: () => (offset?.low === -Infinity ? undefined : offset),
  };
}

/**
 * The time of a payment relative to the create. `recent`: the create can have made it. `unclear`: the create
 * can have made it if the clocks differ by up to `clockSkew`, or the time is unreadable. `older`: another
 * create made it, unless the clocks differ by more.
 */
export type Age = 'recent' | 'unclear' | 'older';

/** The times that the payment of a create can have. */
export interface TimeWindow {
  readonly getAge: (createdAt: unknown) => Age;
  /** The earliest expected time of a record of the create, by the clock of the service. */
  readonly start: number;
  /** Whether `start` is based on the clock of the service, so that the search may end there. */
  readonly isCertain: boolean;
}

/**
 * Tolerance for timestamps cut to whole seconds and for clock differences between machines of the service, in
 * milliseconds.
 */
const TIMESTAMP_TOLERANCE = 1_000;
/** The assumed difference between two clocks without an estimate, in milliseconds. */
const ASSUMED_SKEW = 2_000;

/** Creates the time window of a create. `sentAt` is in milliseconds by the clock of the client. */
export function createWindow(
  { sentAt, clockSkew }: { readonly sentAt: number; readonly clockSkew: number },
  offset: ClockOffset | undefined,
): TimeWindow {
  const isCertain = offset !== undefined;
  const recent = isCertain
    ? sentAt + offset.low - TIMESTAMP_TOLERANCE
    : sentAt - Math.min(ASSUMED_SKEW, clockSkew);
  const start = isCertain ? recent - clockSkew : sentAt - clockSkew;
  return {
    start,
    isCertain,
    getAge: (createdAt) => {
      const time = parseTimestamp(createdAt);
      if (time >= recent) return 'recent';
      return time < (isCertain ? recent : start) ? 'older' : 'unclear';
    },
  };
}
