import { explainIsoTime, parseIsoTime } from '@service/internal';
import type { Instant } from './json.ts';
import type { Value } from './value.ts';

/** The last instant that a timestamp can represent. */
export const END_OF_TIME: Instant = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A time of a caller in milliseconds since 1970. In process also a `Date`. */
export const time: Value<Instant, Date | string> = {
  expected: 'an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z',
  parse: (value) => {
    const instant = typeof value === 'string' ? parseIsoTime(value) : Number.NaN;
    return Number.isNaN(instant) ? undefined : instant;
  },
  explain: (value) => (typeof value === 'string' ? explainIsoTime(value) : undefined),
  toJson: (given) => (given instanceof Date && !Number.isNaN(given.getTime()) ? given.toISOString() : given),
  json: {
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ].*(?:[Zz]|[+-]\\d{2}(?::?\\d{2})?)$',
    examples: ['2026-03-01T00:00:00Z'],
  },
};

/** A start time of a clock. */
export const startTime: Value<Instant, Date | string> = {
  ...time,
  expected: `${time.expected}, from 1970 to 9999`,
  parse: (value) => {
    const instant = time.parse(value) ?? -1;
    return instant >= 0 && instant <= END_OF_TIME ? instant : undefined;
  },
};

/** Converts a valid time of a caller. */
export function toInstant(given: Date | string): Instant {
  return typeof given === 'string' ? parseIsoTime(given) : given.getTime();
}
