import { redactText } from '../errors/redact.ts';
import { isRecord, parseJson } from '@service/internal';

/**
 * The amount of log output. Each level includes the levels before it: `'info'` includes `'warn'` and
 * `'error'`.
 */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** A target of log lines, such as `console`: one function per level, called with a message and its fields. */
export type Logger = {
  readonly [Level in Exclude<LogLevel, 'off'>]: (message: string, fields?: object) => unknown;
};

/** Writes a log line. `line` is called only if the level is logged. */
export type Log = (
  level: Exclude<LogLevel, 'off'>,
  line: () => readonly [message: string, fields: object],
) => void;

/** The log levels, from the least to the most output. */
export const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** Creates the log of a client. Removes API keys from its messages. */
export function createLog(logger: Logger | undefined, maxLevel: LogLevel): Log {
  return (level, line) => {
    if (levels.indexOf(level) > levels.indexOf(maxLevel)) return;
    callLogger(() => {
      const [message, fields] = line();
      return (logger ?? console)[level](redactText(message), fields);
    });
  };
}

/**
 * Calls a listener and ignores its errors: they must not make a payment that was created look like a failure.
 */
export function callLogger(listener: () => unknown): void {
  void (async () => listener())().catch(() => {});
}

/** Returns a request body for the log, with the name and account of the beneficiary masked. */
export function maskBody(json: string | undefined): unknown {
  const body = json === undefined ? undefined : parseJson(redactText(json));
  if (!isRecord(body)) return undefined;
  const masked = Object.keys(body).filter((name) => /^beneficiary_(?:name|account)$/.test(name));
  return { ...body, ...Object.fromEntries(masked.map((name) => [name, '[masked]'])) };
}

/**
 * The kind of a warning.
 *
 * - `'deprecated'`: the version of the service is deprecated.
 * - `'inexact_money'`: a `number` cannot represent an amount exactly. Read it with `rawAmount`.
 * - `'other_amount'`: the service used another amount than the one that was sent.
 * - `'unexpected_response'`: a response does not match its schema in `responseSchemas`.
 * - `'unreadable_row'`: rows of a page of transactions were omitted.
 * - `'unclear_amount'`: amounts of transactions may be in minor units, such as cents.
 * - `'store_failed'`: the intent store failed after a payment was created, so its record is missing.
 * - `'reference_conflict'`: the reference of a created payment may have a second payment.
 */
export type WarningCode =
  | 'deprecated'
  | 'inexact_money'
  | 'other_amount'
  | 'unexpected_response'
  | 'unreadable_row'
  | 'unclear_amount'
  | 'store_failed'
  | 'reference_conflict';

/** A problem that does not make a call fail. */
export interface Warning {
  /** The kind of the warning. */
  readonly code: WarningCode;
  /** The problem and its remedy, in words. */
  readonly message: string;
}

/** Emits a process warning in Node, Deno and Bun. Does nothing in other runtimes. */
export function emitWarning({ code, message }: Warning): void {
  const { process } = globalThis as {
    process?: { emitWarning?: (message: string, options: object) => void };
  };
  process?.emitWarning?.(message, { type: 'ServiceWarning', code });
}

interface Scope {
  [deprecations]?: Set<string>;
}
const deprecations = Symbol.for('@service/sdk/deprecations');

/**
 * Warns that the version of the service is deprecated (RFC 9745) or has a sunset date (RFC 8594). Warns once
 * per process and base URL.
 */
export function warnOfDeprecation(
  headers: Headers,
  { baseUrl, warn }: { readonly baseUrl: string; readonly warn: (warning: Warning) => void },
): void {
  const since = headers.get('deprecation');
  const end = headers.get('sunset');
  if (since === null && end === null) return;
  const warned = ((globalThis as Scope)[deprecations] ??= new Set());
  if (warned.has(baseUrl)) return;
  warned.add(baseUrl);
  // RFC 9745, section 2.1: a date is `@` and seconds since 1970.
  const date = since?.replace(/^@(\d{1,11})$/, (_, seconds: string) =>
    new Date(Number(seconds) * 1000).toUTCString(),
  );
  const when = [date && ` since ${date}`, end && ` and ends ${end}`].filter(Boolean).join(',');
  const more = /<([^>]*)>[^,]*;\s*rel="?(?:deprecation|sunset)\b/i.exec(headers.get('link') ?? '')?.[1];
  const message = `This version of the service is deprecated${when}.${more ? ` See ${more}.` : ''}`;
  warn({ code: 'deprecated', message: redactText(message) });
}
