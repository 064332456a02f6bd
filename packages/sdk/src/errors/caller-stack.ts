import { isServiceError } from './service-error.ts';

/**
 * Replaces the stack of an error of this package by that of the code that awaits the call. Otherwise the
 * stack shows the timer or socket that ended the call. The stack is captured after `entry` has failed: to
 * capture it before each call costs more than the rest of the client. Without an awaiting caller, or without
 * async stack traces in the runtime, the error is unchanged.
 */
export function addCallerStack(error: unknown, entry: (...input: never) => unknown): unknown {
  const captured: { stack?: string } = {};
  Error.captureStackTrace?.(captured, entry);
  const frames = captured.stack?.match(/^ {4}at (?!.*\bnode:internal\b).*$/gm);
  if (isServiceError(error) && frames)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
