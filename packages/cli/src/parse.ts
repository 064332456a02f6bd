import { explainIsoTime, parseDurationText, parseIsoTime } from '@service/internal';
import type { PaymentEventName } from '@service/webhooks';
import { InvalidArgumentError } from 'commander';
import { preset, type Row, value } from './command.ts';

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

/** The option for the maximum time of a request. */
export function timeoutOption(subject = 'the request', initial = '30s'): Row<number | undefined> {
  return value('<span>', `maximum time of ${subject} (default: ${initial})`, parseDuration);
}

/** The option for the file of the signing secret. */
export const secretFile: Row<string | undefined> = value(
  '<file>',
  'file with the signing secret (default: SERVICE_WEBHOOK_SECRET)',
);

/**
 * Creates a parser of whole numbers between two bounds, both included.
 *
 * @throws {InvalidArgumentError} from the parser, when the text is not such a number.
 */
export function parseWhole(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    const limit = to === Number.MAX_SAFE_INTEGER ? `of ${from} or more` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`Write a whole number ${limit}.`);
  };
}

/**
 * Parses a decimal number above 0.
 *
 * @throws {InvalidArgumentError} when the text is not such a number.
 */
export function parsePositive(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0) return number;
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

/**
 * Parses the path of a URL.
 *
 * @throws {InvalidArgumentError} when the text has another form than in a request line.
 */
export function parsePath(text: string): string {
  if (/^\/[^\s?#]*$/.test(text) && new URL(text, 'http://localhost').pathname === text) return text;
  throw new InvalidArgumentError('Write a URL path, such as /webhooks.');
}

/** Adds a text, or several with commas, to the earlier ones of an option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',')];
}

/** The names of the documented events (docs/contract.md#webhooks). */
export const eventNames: readonly PaymentEventName[] = [
  'payment.pending',
  'payment.processing',
  'payment.completed',
  'payment.failed',
];

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

/** The options for the address on which a command listens. */
export function listenOptions(
  port: number,
  purpose = 'port to listen on',
): { readonly port: Row<number>; readonly host: Row<string> } {
  return {
    port: preset('<port>', `${purpose}; 0 for any free port`, port, parseWhole(0, 65_535)),
    host: preset<string>('<address>', 'address to listen on', '127.0.0.1'),
  };
}
