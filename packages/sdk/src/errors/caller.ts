import { isServiceError } from './service-error.ts';

/**
 * Makes an error of this package point at the code that waits for it, not at the timer or socket that ended the call. It asks
 * the runtime who waits for `entry` once that has failed: a stack that is taken before each call costs more than the rest of the
 * client. Where nobody waits, or the runtime cannot tell, the error stays as it is.
 */
export function pointAtCaller(error: unknown, entry: (...input: never) => unknown): unknown {
  const waiting: { stack?: string } = {};
  Error.captureStackTrace?.(waiting, entry);
  const frames = waiting.stack?.match(/^ {4}at (?!.*\bnode:internal\b).*$/gm);
  if (isServiceError(error) && frames)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
