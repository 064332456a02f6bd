import type { RawResponse } from './raw-client.ts';
import type { Timeline } from './timeline.ts';

/** Spreads requests over the window of a rate limit. */
export interface Pace {
  /** Waits until the next request may be sent. */
  readonly wait: () => Promise<void>;
  /** Reads the rest of the window from the headers of a response. */
  readonly note: (response: Pick<RawResponse, 'status' | 'headers'>) => void;
}

interface PaceOptions {
  readonly timeline: Pick<Timeline, 'sleep'>;
  readonly now: () => number;
}

/** The longest window whose requests are spread, in milliseconds. */
const MAX_WINDOW = 60_000;

/**
 * Creates a pace for services whose headers state their rate limit. From the first 429, requests after half of those of a
 * window are spread over its rest: a wait for the next window would hide the changes of a payment.
 */
export function createPace({ timeline, now }: PaceOptions): Pace {
  let gap = 0;
  let last = -Infinity;
  let hasLimited = false;
  return {
    async wait() {
      const time = now();
      const at = Math.max(time, last + gap);
      last = at;
      if (at > time) await timeline.sleep(at - time);
    },
    note({ status, headers }) {
      hasLimited ||= status === 429;
      const read = (name: string): number =>
        Number.parseFloat(headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`) ?? '');
      const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
      // A time is in seconds since 1970.
      const date = Date.parse(headers.get('date') ?? '') / 1_000;
      const rest = (reset > 1e9 ? reset - date : reset) * 1_000;
      // The client waits after a refusal.
      const isShort = hasLimited && status !== 429 && remaining < limit / 2 && rest <= MAX_WINDOW;
      gap = isShort ? Math.max(0, rest) / (remaining + 1) : 0;
    },
  };
}
