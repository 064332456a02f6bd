/** Does a step no longer than it may take. */
export type Within = <S>(step: () => Promise<S>, isOver?: boolean) => Promise<S>;

/** Lets work of one name go on one at a time; work of other names goes on beside it. */
export type Lanes = {
  /** Waits until nothing of the name goes on; what follows at once is alone. */
  readonly quiet: (name: string, within: Within) => Promise<void>;
  /** Does work of a name, which nothing else of that name must be doing. */
  readonly run: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

/** Makes lanes of which none is taken. */
export function createLanes(): Lanes {
  const running = new Map<string, Promise<unknown>>();
  return {
    quiet: async (name, within) => {
      for (let other = running.get(name); other; other = running.get(name)) {
        const over = other.catch(() => {});
        await within(() => over);
      }
    },
    run: (name, work) => {
      const whole = work().finally(() => running.delete(name));
      running.set(name, whole);
      return whole;
    },
  };
}
