import { explainIsoTime, parseIsoTime } from '@service/internal';
import type { Instant } from './json.ts';
import * as s from './schema.ts';

/** The last instant that a timestamp can represent. */
export const END_OF_TIME: Instant = Date.UTC(9999, 11, 31, 23, 59, 59);

const TIME = 'an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z';
const timeJson = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ].*(?:[Zz]|[+-]\\d{2}(?::?\\d{2})?)$',
  examples: ['2026-03-01T00:00:00Z'],
};

/** A time of a caller in milliseconds since 1970. In process also a `Date`. */
export const time: s.Schema<Instant> = s.convert(TIME, parseTime, timeJson, explainIsoTime);

function parseTime(value: unknown): Instant | undefined {
  const isTime = typeof value === 'string' || value instanceof Date;
  const instant = isTime ? toInstant(value) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

/** A start time of a clock. It keeps the form that was given. */
/* @__NO_SIDE_EFFECTS__ */
export function startTime(expected: string = TIME): s.Schema<Date | string> {
  return s.convert(`${expected}, from 1970 to 9999`, parseStart, timeJson, explainIsoTime);
}

function parseStart(value: unknown): Date | string | undefined {
  const instant = parseTime(value) ?? -1;
  return instant >= 0 && instant <= END_OF_TIME ? (value as Date | string) : undefined;
}

/** Converts a valid time of a caller. */
export function toInstant(given: Date | string): Instant {
  return typeof given === 'string' ? parseIsoTime(given) : given.getTime();
}
