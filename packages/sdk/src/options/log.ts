import { redactText } from '../errors/redact.ts';
import { isRecord, parseJson } from '../values/json.ts';

/** Names how much is logged: each level holds those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** Takes lines and their fields; `console` is one. */
export type Logger = {
  readonly [Level in Exclude<LogLevel, 'off'>]: (message: string, fields?: object) => unknown;
};

/** Writes a line, where the level lets it: what is not written is not made. */
export type Log = (
  level: Exclude<LogLevel, 'off'>,
  line: () => readonly [message: string, fields: object],
) => void;

/** Lists the levels, the quietest first. */
export const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** Makes the log of a client, with keys struck out. */
export function createLog(logger: Logger | undefined, most: LogLevel): Log {
  return (level, line) => {
    if (levels.indexOf(level) > levels.indexOf(most)) return;
    tell(() => {
      const [message, fields] = line();
      return (logger ?? console)[level](redactText(message), fields);
    });
  };
}

/** Tells a listener something, and lets be what fails there: a payment that was made must not look as if it had not been. */
export function tell(listener: () => unknown): void {
  void (async () => listener())().catch(() => {});
}

/** Returns a body for the log: who is paid, and to which account, stays out of it. */
export function maskBody(json: string | undefined): unknown {
  const body = json === undefined ? undefined : parseJson(redactText(json));
  if (!isRecord(body)) return undefined;
  const masked = Object.keys(body).filter((name) => /^beneficiary_(?:name|account)$/.test(name));
  return { ...body, ...Object.fromEntries(masked.map((name) => [name, '[masked]'])) };
}
