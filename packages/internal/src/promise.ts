/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Checks whether a value is a thenable. Awaiting any other value would cost a microtask. */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | null | undefined)?.then === 'function';
}
