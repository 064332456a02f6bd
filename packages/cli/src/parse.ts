import { explainIsoTime, parseDurationText, parseIsoTime } from '@service/internal';
import { InvalidArgumentError } from 'commander';

/** The longest delay of a timer in Node, in milliseconds. */
const MAX_TIMER = 2_147_483_647;

/**
 * Parses a duration such as `500ms`, `60s` or `2m` into milliseconds.
 *
 * @throws {InvalidArgumentError} when the text is not a duration above 0.
 */
export function parseDuration(text: string): number {
  // Days are a unit of the mock only.
  const milliseconds = text.endsWith('d') ? Number.NaN : parseDurationText(text);
  if (milliseconds > 0 && milliseconds <= MAX_TIMER) return milliseconds;
  throw new InvalidArgumentError(
    'Write a duration above 0 with its unit (ms, s, m or h), such as 500ms, 60s or 2m; at most 596h.',
  );
}

/**
 * Creates a parser of whole numbers between two bounds, both included.
 *
 * @throws {InvalidArgumentError} from the parser, when the text is not such a number.
 */
export function parseWhole(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Write a whole number from ${from} to ${to}.`);
  };
}

/**
 * Parses a decimal number above 0.
 *
 * @throws {InvalidArgumentError} when the text is not such a number.
 */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Write a number above 0.');
}

/**
 * Parses an ISO 8601 time with its offset, such as `2026-01-31T12:00:00Z`.
 *
 * @throws {InvalidArgumentError} when the text is not such a time.
 */
export function parseTime(text: string): Date {
  const instant = parseIsoTime(text);
  if (!Number.isNaN(instant)) return new Date(instant);
  const reason = explainIsoTime(text);
  const rule = 'Write a full time with its offset, such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00';
  throw new InvalidArgumentError(reason === undefined ? `${rule}.` : `${rule}: ${reason}.`);
}

/**
 * Parses an id. An empty id, such as an unset variable, and `.` or `..` would change the path of the request.
 *
 * @throws {InvalidArgumentError} when the id is empty, `.` or `..`.
 */
export function parseId(text: string): string {
  if (!/^\.{0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('Write an id.');
}

/** Returns the status in the name of an event, documented or not; undefined if the name is not `payment.…` (docs/contract.md#webhooks). */
export function statusOfEvent(name: string): string | undefined {
  return /^payment\.([a-z][a-z_]{0,40})$/.exec(name)?.[1];
}

/**
 * Creates a parser of absolute http and https URLs without a user name and password.
 *
 * @throws {InvalidArgumentError} from the parser, when the text is not such a URL.
 */
export function parseUrl(example: string): (text: string) => URL {
  return (text) => {
    const url = parseHttpUrl(text);
    if (url !== undefined) return url;
    throw new InvalidArgumentError(
      `Write an http or https URL without user name and password, such as ${example}.`,
    );
  };
}

/** Parses an absolute http or https URL. Returns undefined for any other text, and for a URL with a user name or password. */
export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  return isPlain ? url : undefined;
}

/**
 * Parses the path of a URL.
 *
 * @throws {InvalidArgumentError} when the text does not start with a slash, or has a query.
 */
export function parsePath(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw new InvalidArgumentError('Write a URL path, such as /api/webhooks.');
}
