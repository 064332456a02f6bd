/** Runs tasks one after another, in the order in which they were added. */
export interface Queue {
  readonly add: (task: () => Promise<void>) => void;
  /** Fulfilled when nothing is left to run, what the tasks added included. */
  readonly idle: () => Promise<void>;
}

/** Creates an empty queue; its tasks must not throw. */
export function createQueue(): Queue {
  let tail = Promise.resolve();
  return {
    add(task) {
      tail = tail.then(task);
    },
    async idle() {
      for (let seen: Promise<void> | undefined; seen !== tail; await seen) seen = tail;
    },
  };
}
