/** Does a step no longer than it may take. */
export type Within = <S>(step: () => Promise<S>, isOver?: boolean) => Promise<S>;

/** Does work of a name once nothing else of that name goes on; work of other names goes on beside it. */
export type Alone = <T>(name: string, work: () => Promise<T>, within: Within) => Promise<T>;

/** Makes what lets work of one name go on one at a time; `within` bounds the waiting, not the work. */
export function createAlone(): Alone {
  const running = new Map<string, Promise<unknown>>();
  return async (name, work, within) => {
    for (let other = running.get(name); other; other = running.get(name)) {
      const over = other.catch(() => {});
      await within(() => over);
    }
    // Between finding nothing and beginning nobody else has a turn.
    const whole = work().finally(() => running.delete(name));
    running.set(name, whole);
    return whole;
  };
}
