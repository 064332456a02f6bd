/** Runs a step within a time limit. With `isOver`, the signal of the caller no longer stops the step. */
export type WithTimeout = <S>(step: () => Promise<S>, isOver?: boolean) => Promise<S>;

/** Runs work once no other work of the same name is running. Work of other names runs concurrently. */
export type KeyedMutex = <T>(name: string, work: () => Promise<T>, within: WithTimeout) => Promise<T>;

/** Creates a mutex per name. `within` limits the wait for the mutex, not the work. */
export function createKeyedMutex(): KeyedMutex {
  const running = new Map<string, Promise<unknown>>();
  return async (name, work, within) => {
    for (let other = running.get(name); other; other = running.get(name)) {
      const settled = other.catch(() => {});
      await within(() => settled);
    }
    // There is no `await` since the last check, so no other work can have started.
    const current = work().finally(() => running.delete(name));
    running.set(name, current);
    return current;
  };
}
