import { isServiceError } from './service-error.ts';

/** Holds the stack of whoever made a call. */
export type Caller = { readonly stack?: string };

/** Remembers who called `entry`, where the runtime can tell. */
export function captureCaller(entry: (...input: never) => unknown): Caller {
  const caller: Caller = {};
  Error.captureStackTrace?.(caller, entry);
  return caller;
}

/** Makes an error of this package point at the code that made the call, not at the timer or socket that ended it. */
export function pointAtCaller(error: unknown, { stack = '' }: Caller): unknown {
  const frames = stack.indexOf('\n    at ');
  if (isServiceError(error) && frames >= 0) {
    error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  }
  return error;
}
