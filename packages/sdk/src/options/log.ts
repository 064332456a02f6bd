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
