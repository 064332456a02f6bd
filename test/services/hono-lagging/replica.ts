/** A value whose reads lag behind its writes, like a replica of a database. */
export interface Replicated<Value> {
  readonly write: (value: Value) => void;
  /** Returns the last written value. */
  readonly readPrimary: () => Value;
  /** Returns the value that the replica has. Undefined before its first write arrives there. */
  readonly readReplica: () => Value | undefined;
}

/** @param lag Milliseconds until a write reaches the replica. */
export function createReplicated<Value>(initial: Value, lag: number): Replicated<Value> {
  const versions = [{ value: initial, at: Date.now() }];
  return {
    write: (value) => void versions.push({ value, at: Date.now() }),
    readPrimary: () => versions.at(-1)?.value ?? initial,
    readReplica: () => versions.findLast(({ at }) => at <= Date.now() - lag)?.value,
  };
}
