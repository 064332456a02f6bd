/** Holds a value that is there, or is promised. */
export type Sooner<Value> = Value | Promise<Value>;

/** Tells a promise, of any kind, from a value that is there: awaiting the latter would cost a turn for nothing. */
export function isPromised<Value>(value: Sooner<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | null | undefined)?.then === 'function';
}
