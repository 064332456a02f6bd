import { isServiceError } from './service-error.ts';

/** Holds the stack of the code that made a call. */
export type Caller = { readonly stack?: string };

/** Remembers who called `entry`, where the runtime can tell. */
export function captureCaller(entry: (...input: never) => unknown): Caller {
  const caller: { stack?: string } = {};
  Error.captureStackTrace?.(caller, entry);
  return caller;
}

/** Makes an error of this package point at the code that made the call, not at the timer or socket that ended it. */
export function pointAtCaller(error: unknown, caller: Caller): unknown {
  const frames = caller.stack?.split('\n').filter((line) => line.startsWith('    at '));
  if (isServiceError(error) && frames !== undefined && frames.length > 0) {
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  }
  return error;
}
