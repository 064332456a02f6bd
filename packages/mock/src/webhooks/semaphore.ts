/** Runs a task as soon as there is room for it; the others before it first. */
export type Semaphore = (task: () => Promise<void>) => Promise<void>;

/** Creates a gate that at most `limit` tasks are inside of at once. */
export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  let inside = 0;
  let next = 0;
  const leave = (): void => {
    const enter = waiting[next];
    if (enter === undefined) {
      inside -= 1;
      waiting.length = next = 0;
    } else {
      next += 1;
      enter();
    }
  };
  return async (task) => {
    if (inside < limit) inside += 1;
    // Whoever leaves hands its place on.
    else await new Promise<void>((enter) => void waiting.push(enter));
    try {
      await task();
    } finally {
      leave();
    }
  };
}
